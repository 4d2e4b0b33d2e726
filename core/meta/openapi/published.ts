/**
 * Schemas of custom resources in OpenAPI documents: as their authors wrote them, plus the common fields. Swagger 2.0 contains
 * only what its clients, above all kubectl, support (reference: pkg/controller/openapi).
 */
import { equal } from '../../schema/json/equal.ts'
import { clone, get } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'
import { allInOrder } from './schema-order.ts'

/** Schemas of the fields of every object. */
export interface CommonFields {
  readonly kind: JsonObject
  readonly apiVersion: JsonObject
  readonly metadata: JsonObject
}

type Schemas = { [name: string]: JsonObject }

const junctors = ['allOf', 'anyOf', 'oneOf', 'not']
const either = [{ type: 'integer' }, { type: 'string' }]

const schemasIn = (node: JsonObject) => (node['properties'] ?? {}) as Schemas
const isNode = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Expands x-kubernetes-int-or-string to `anyOf`. */
function unfold(node: JsonObject): void {
  if (node['x-kubernetes-int-or-string'] !== true) return
  const { anyOf, allOf } = node
  const [first] = (allOf ?? []) as Schemas[]
  if (equal(anyOf, either) || (first && equal(first['anyOf'], either))) return
  if (anyOf === undefined) node['anyOf'] = clone(either as Json)
  else node['allOf'] = [{ anyOf: clone(either as Json) }, ...((allOf ?? []) as Json[])]
}

/** Removes keywords that Swagger 2.0 clients don't support. */
function downgrade(node: JsonObject): void {
  for (const name of [...junctors, 'default']) delete node[name]
  const isNullable = (schema: Json | undefined) => isNode(schema) && schema['nullable'] === true
  const nullable = Object.entries(schemasIn(node)).flatMap(([name, schema]) => (isNullable(schema) ? [name] : []))
  const required = ((node['required'] ?? []) as string[]).filter((name) => !nullable.includes(name))
  if (required.length > 0 && !isNullable(node['additionalProperties'])) node['required'] = required
  else delete node['required']
  const open = node['x-kubernetes-preserve-unknown-fields'] === true
  if (node['nullable'] === true || open) {
    delete node['items']
    delete node['properties']
  }
  const untyped = node['nullable'] === true || (node['type'] === 'array' && !node['items']) || (node['type'] === 'object' && open)
  if (untyped) delete node['type']
  delete node['nullable']
}

function addCommonFields(node: JsonObject, { kind, apiVersion, metadata }: CommonFields): void {
  node['properties'] = { ...schemasIn(node), apiVersion, kind, metadata }
}

function visit(node: JsonObject, dialect: Dialect, common: CommonFields): void {
  if (dialect.downgrades) downgrade(node)
  else unfold(node)
  for (const schema of Object.values(schemasIn(node))) visit(schema, dialect, common)
  for (const name of ['items', 'additionalProperties']) {
    const schema = get(node, name)
    if (isNode(schema)) visit(schema, dialect, common)
  }
  const hidden = dialect.downgrades && node['x-kubernetes-preserve-unknown-fields'] === true
  if (node['x-kubernetes-embedded-resource'] !== true || hidden) return
  addCommonFields(node, common)
  const required = (node['required'] ?? []) as string[]
  node['required'] = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}

/** The published schema of a custom resource; `source`, the definition's schema, is not changed. */
export function publishedSchema(source: JsonObject | undefined, dialect: Dialect, common: CommonFields): JsonObject {
  // If any fields are listed, kubectl rejects all others: with preserved unknown fields nothing may be listed.
  if (source === undefined || (dialect.downgrades && source['x-kubernetes-preserve-unknown-fields'] === true)) return { type: 'object' }
  const node = clone(source)
  visit(node, dialect, common)
  addCommonFields(node, common)
  return allInOrder(node)
}
