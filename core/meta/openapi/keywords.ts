import type { Facets, Json, JsonObject, List, ScalarType, Schema } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'

/** Constraints of built-in types: only enums are published, as in the reference server. */
export function keywords(facets: Facets | undefined, { enums }: Dialect): JsonObject {
  return enums && facets?.enum ? { enum: [...facets.enum] } : {}
}

/** Identity and ownership of list items. */
export function listKeywords({ listType, keys }: List): JsonObject {
  return {
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(keys && { 'x-kubernetes-list-map-keys': [...keys] }),
  }
}

/** Scalars without a model of their own. */
export const plainScalars: { readonly [T in ScalarType]: JsonObject } = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { type: 'string' },
  intOrString: { 'x-kubernetes-int-or-string': true },
}

const zeros: { readonly [T in ScalarType]?: Json } = { string: '', bool: false, int32: 0, int64: 0, double: 0 }

/** Zero value of a schema; undefined if there is none. */
export function zeroOf(schema: Schema): Json | undefined {
  if (schema.type === 'message') return {}
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? undefined : zeros[schema.type]
}
