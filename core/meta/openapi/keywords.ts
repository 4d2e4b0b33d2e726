import type { AnyModel, Facets, Json, JsonObject, List, MessageUnion, ScalarType, Schema } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'

/** Constraints of built-in types: only enums are published, as in the reference server. */
export function keywords(facets: Facets | undefined, { enums }: Dialect): JsonObject {
  const values = facets?.enum ?? facets?.publishedEnum
  return enums && values ? { enum: [...values].sort() } : {}
}

/** Identity and ownership of list items. */
export function listKeywords({ listType, keys }: List): JsonObject {
  return {
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(keys && { 'x-kubernetes-list-map-keys': [...keys] }),
  }
}

/** Members of which at most one is set: by the value of the discriminator, if there is one (KEP-1027). */
export function unionKeywords({ discriminator, members }: MessageUnion): JsonObject {
  const values = Object.fromEntries([...members].sort().map((name) => [name, name.slice(0, 1).toUpperCase() + name.slice(1)]))
  return { ...(discriminator !== undefined && { discriminator }), 'fields-to-discriminateBy': values }
}

/** Model of any value without a model of its own. */
export const rawExtension: AnyModel = { path: 'apimachinery.pkg.runtime.RawExtension', object: true }

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
