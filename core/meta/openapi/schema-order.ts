import type { Json, JsonObject } from '../../schema/model.ts'

/** Keywords of a schema in output order; `x-` keywords follow, sorted. */
const keywords = [
  'id',
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  'externalDocs',
  'example',
  '$ref',
]
const ranks: ReadonlyMap<string, number> = new Map(keywords.map((keyword, rank) => [keyword, rank]))

const rankOf = (keyword: string) => ranks.get(keyword) ?? keywords.length
const byKeyword = ([a]: readonly [string, Json], [b]: readonly [string, Json]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1)

/** The schema with its keywords in the order of the reference server. Schemas inside it keep theirs. */
export const inOrder = (schema: JsonObject): JsonObject => Object.fromEntries(Object.entries(schema).sort(byKeyword))

/** Sorted by key. */
export const sorted = <T>(members: { readonly [key: string]: T }): { [key: string]: T } =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))

const isNode = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const orderedValue = (value: Json): Json => (Array.isArray(value) ? value.map(orderedValue) : isNode(value) ? allInOrder(value) : value)

/** Keywords that contain schemas, with how to order their values; all other values stay as they are. */
const nested: { readonly [keyword: string]: (value: Json) => Json } = {
  ...Object.fromEntries(['items', 'allOf', 'oneOf', 'anyOf', 'not', 'additionalProperties'].map((keyword) => [keyword, orderedValue])),
  properties: (value) =>
    isNode(value) ? sorted(Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, orderedValue(schema)]))) : value,
}

/** As `inOrder`, with all schemas inside it. Properties are sorted by name. */
export const allInOrder = (schema: JsonObject): JsonObject =>
  inOrder(Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, nested[keyword]?.(value) ?? value])))
