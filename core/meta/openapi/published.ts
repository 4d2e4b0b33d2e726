/**
 * Schemas of custom resources as OpenAPI documents show them: as their authors wrote them, with what every object has. Swagger 2.0 gets
 * only what its readers, kubectl above all, can deal with (reference: pkg/controller/openapi).
 */
import { equal } from '../../schema/equal.ts'
import { clone, get } from '../../schema/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'

/** What stands for the fields that every object has. */
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

/** The rules for an integer or a string, where the schema only has the short form of them. */
function unfold(node: JsonObject): void {
  if (node['x-kubernetes-int-or-string'] !== true) return
  const { anyOf, allOf } = node
  const [first] = (allOf ?? []) as Schemas[]
  if (equal(anyOf, either) || (first && equal(first['anyOf'], either))) return
  if (anyOf === undefined) node['anyOf'] = clone(either as Json)
  else node['allOf'] = [{ anyOf: clone(either as Json) }, ...((allOf ?? []) as Json[])]
}

/** Takes out what readers of Swagger 2.0 can't cope with. */
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

/** The schema of a custom resource; `source` is what its definition says, which is not changed. */
export function publishedSchema(source: JsonObject | undefined, dialect: Dialect, common: CommonFields): JsonObject {
  // kubectl refuses fields that are not listed wherever any are, so that nothing is listed where others are kept.
  if (source === undefined || (dialect.downgrades && source['x-kubernetes-preserve-unknown-fields'] === true)) return { type: 'object' }
  const node = clone(source)
  visit(node, dialect, common)
  addCommonFields(node, common)
  return node
}
