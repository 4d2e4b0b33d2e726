import type { Facets, Json, JsonObject, List, ScalarType, Schema } from '../../schema/model.ts'

const copied = {
  format: 'format',
  pattern: 'pattern',
  min: 'minimum',
  max: 'maximum',
  exclusiveMin: 'exclusiveMinimum',
  exclusiveMax: 'exclusiveMaximum',
  multipleOf: 'multipleOf',
  minLength: 'minLength',
  maxLength: 'maxLength',
  minItems: 'minItems',
  maxItems: 'maxItems',
  uniqueItems: 'uniqueItems',
  minProperties: 'minProperties',
  maxProperties: 'maxProperties',
  preserveUnknown: 'x-kubernetes-preserve-unknown-fields',
  embeddedResource: 'x-kubernetes-embedded-resource',
} as const satisfies { readonly [F in keyof Facets]?: string }
const copies = Object.entries(copied) as [keyof typeof copied, string][]

/** Constraints of built-in types: only closed sets of values are made public, as the reference server does. */
export function builtinKeywords(facets: Facets | undefined): JsonObject {
  return facets?.enum ? { enum: [...facets.enum] } : {}
}

/** Constraints of custom resources, which are all public. */
export function customKeywords(facets: Facets | undefined, nullable: boolean): JsonObject {
  const keywords = builtinKeywords(facets)
  for (const [facet, keyword] of facets ? copies : []) {
    const value: Json | undefined = facets?.[facet]
    if (value !== undefined) keywords[keyword] = value
  }
  if (nullable && facets?.nullable) keywords['nullable'] = true
  return keywords
}

/** How the items of a list are told apart and owned. */
export function listKeywords({ listType, keys }: List): JsonObject {
  return {
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(keys && { 'x-kubernetes-list-map-keys': [...keys] }),
  }
}

/** Scalars without a model. Those that have one in built-in types are written so within custom resources. */
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

/** What a value is when nobody sets it; undefined where that is nothing. */
export function zeroOf(schema: Schema): Json | undefined {
  if (schema.type === 'message') return {}
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? undefined : zeros[schema.type]
}
