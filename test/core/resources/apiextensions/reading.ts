/**
 * A second implementation of custom resource schemas, to compare the product with: pruning, defaulting and validation on
 * the raw schema, one plain function per rule, after the documentation of structural schemas and the behaviour of
 * kube-apiserver.
 */
import { isDeepStrictEqual } from 'node:util'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import type { Json, JsonObject } from '../../../../core/schema/model.ts'

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const entries = (value: JsonObject) => Object.entries(value) as [string, Json][]
const additional = ({ additionalProperties }: SchemaNode) =>
  isObject(additionalProperties) ? (additionalProperties as SchemaNode) : undefined
const items = (node: SchemaNode | undefined) => node?.items as SchemaNode | undefined

/** Removes fields that the schema does not declare. `node` undefined: none is declared. */
export function pruned(value: Json, node: SchemaNode | undefined, keeps = false): Json {
  const open = keeps || node?.['x-kubernetes-preserve-unknown-fields'] === true
  if (Array.isArray(value))
    return value.map((item) => (open ? (node?.items ? pruned(item, items(node), true) : item) : pruned(item, items(node))))
  if (!isObject(value)) return value
  return Object.fromEntries(
    entries(value).flatMap(([key, member]): [string, Json][] => {
      if (node?.properties && Object.hasOwn(node.properties, key)) return [[key, pruned(member, node.properties[key])]]
      if (node?.additionalProperties !== undefined) return [[key, pruned(member, additional(node))]]
      return open ? [[key, member]] : []
    }),
  )
}

const below = (node: SchemaNode | undefined, key: string) =>
  node?.properties && Object.hasOwn(node.properties, key) ? node.properties[key] : node && additional(node)

/** Removes nulls that are neither allowed nor replaced by a default. */
export function withoutNulls(value: Json, node: SchemaNode | undefined): Json {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, items(node)))
  if (!isObject(value)) return value
  const kept = entries(value).filter(([key, member]) => {
    const schema = below(node, key)
    return !(member === null && schema && !schema.nullable && schema.default === undefined)
  })
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member, below(node, key))]))
}

const replaced = (value: Json, node: SchemaNode | undefined): Json =>
  value === null && node && !node.nullable && node.default !== undefined ? structuredClone(node.default) : value

/** Sets missing values that have a default, and replaces nulls that are not allowed by their default. */
export function defaulted(value: Json, node: SchemaNode | undefined): Json {
  if (node === undefined) return value
  if (Array.isArray(value)) return value.map((item) => defaulted(replaced(item, items(node)), items(node)))
  if (!isObject(value)) return value
  const missing = Object.entries(node.properties ?? {}).filter(
    ([key, schema]) => !Object.hasOwn(value, key) && schema.default !== undefined,
  )
  const whole = [...entries(value), ...missing.map(([key, schema]): [string, Json] => [key, structuredClone(schema.default as Json)])]
  return Object.fromEntries(whole.map(([key, member]) => [key, defaulted(replaced(member, below(node, key)), below(node, key))]))
}

function typesOf(node: SchemaNode): readonly string[] {
  return node['x-kubernetes-int-or-string'] ? ['integer', 'string'] : node.type ? [node.type] : []
}

function hasType(value: Json, types: readonly string[]): boolean {
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'number' ? 'number' : typeof value
  return types.length === 0 || types.some((type) => type === own || (type === 'integer' && Number.isInteger(value)))
}

const number = (node: SchemaNode, name: string) => node[name] as number | undefined

/** Whether a value is valid against the schema and its value validations. */
export function isValid(value: Json, node: SchemaNode): boolean {
  const { enum: allowed, anyOf = [], oneOf = [], allOf = [], not } = node as SchemaNode & { enum?: Json[] }
  if (allowed && (value === null || !allowed.some((each) => isDeepStrictEqual(each, value)))) return false
  if (value === null) return node.nullable === true || typesOf(node).length === 0
  if (!hasType(value, typesOf(node))) return false
  const holds = (each: SchemaNode) => isValid(value, each)
  if (anyOf.length > 0 && !anyOf.some(holds)) return false
  if (oneOf.length > 0 && oneOf.filter(holds).length !== 1) return false
  if (!allOf.every(holds) || (not && holds(not))) return false
  if (typeof value === 'string') return isValidText(value, node)
  if (typeof value === 'number') return value >= (number(node, 'minimum') ?? -Infinity) && value <= (number(node, 'maximum') ?? Infinity)
  if (Array.isArray(value)) {
    if (value.length < (number(node, 'minItems') ?? 0) || value.length > (number(node, 'maxItems') ?? Infinity)) return false
    const each = items(node)
    return (!each || value.every((item) => isValid(item, each))) && !repeats(value, node)
  }
  return !isObject(value) || isValidObject(value, node)
}

function isValidText(value: string, node: SchemaNode): boolean {
  const length = [...value].length
  if (length > (number(node, 'maxLength') ?? Infinity) || length < (number(node, 'minLength') ?? 0)) return false
  return node.pattern === undefined || new RegExp(node.pattern, 'u').test(value)
}

function isValidObject(value: JsonObject, node: SchemaNode): boolean {
  const count = Object.keys(value).length
  if (count < (number(node, 'minProperties') ?? 0) || count > (number(node, 'maxProperties') ?? Infinity)) return false
  if (!(node.required ?? []).every((key) => Object.hasOwn(value, key))) return false
  return entries(value).every(([key, member]) => {
    const schema = below(node, key)
    return !schema || isValid(member, schema)
  })
}

/** Whether a set has equal items, or a map list has items with equal keys. */
function repeats(value: readonly Json[], node: SchemaNode): boolean {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = node
  if (type !== 'set' && type !== 'map') return false
  const identities = type === 'set' ? value : value.map((item) => keys.map((key) => (isObject(item) ? (item[key] ?? 'none') : 'none')))
  return identities.some((each, index) => identities.findIndex((other) => isDeepStrictEqual(each, other)) < index)
}
