/** Converts the schema of a custom resource (JSONSchemaProps) to schema nodes. */
import { applyDefaults } from '../../schema/defaults.ts'
import {
  any,
  bool,
  type Condition,
  double,
  type Facets,
  type Field,
  type HookContext,
  int64,
  intOrString,
  type Json,
  type List,
  type ListType,
  type Message,
  message,
  type Schema,
  string,
  withFacets,
} from '../../schema/model.ts'
import { isKnownFormat } from '../../schema/openapi/formats.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { itemsOf, othersOf, type SchemaNode, someNode } from './schema-nodes.ts'

/** Keywords that are facets with another name. */
const renamed = {
  pattern: 'pattern',
  minimum: 'min',
  maximum: 'max',
  exclusiveMinimum: 'exclusiveMin',
  exclusiveMaximum: 'exclusiveMax',
  multipleOf: 'multipleOf',
  minLength: 'minLength',
  maxLength: 'maxLength',
  minItems: 'minItems',
  maxItems: 'maxItems',
  uniqueItems: 'uniqueItems',
  minProperties: 'minProperties',
  maxProperties: 'maxProperties',
  enum: 'enum',
  required: 'requiredKeys',
  nullable: 'nullable',
  'x-kubernetes-preserve-unknown-fields': 'preserveUnknown',
  'x-kubernetes-embedded-resource': 'embeddedResource',
  'x-kubernetes-validations': 'rules',
} as const satisfies { readonly [keyword: string]: keyof Facets }
const keywords = Object.entries(renamed)

function facetsOf(node: SchemaNode, types: readonly string[]): Facets {
  const facets: { -readonly [name in keyof Facets]: unknown } = {}
  for (const [keyword, facet] of keywords) {
    const value = node[keyword]
    if (value !== undefined && value !== false && value !== '') facets[facet] = value
  }
  const { format, allOf, anyOf, oneOf, not } = node
  // Unknown formats, and formats that don't apply to the type, are ignored.
  if (typeof format === 'string' && isKnownFormat(types, format)) facets.format = format
  if (allOf) facets.allOf = allOf.map(conditionOf)
  if (anyOf) facets.anyOf = anyOf.map(conditionOf)
  if (oneOf) facets.oneOf = oneOf.map(conditionOf)
  if (not) facets.not = conditionOf(not)
  return facets as Facets
}

const typesOf = ({ type, 'x-kubernetes-int-or-string': either }: SchemaNode): readonly string[] =>
  either ? ['integer', 'string'] : type ? [type] : []

function conditionOf(node: SchemaNode): Condition {
  const types = typesOf(node)
  const items = itemsOf(node)
  const others = othersOf(node)
  return {
    types,
    facets: facetsOf(node, types),
    ...(node.properties && { properties: new Map(Object.entries(node.properties).map(([name, each]) => [name, conditionOf(each)])) }),
    ...(others && { additional: conditionOf(others) }),
    ...(items && { items: conditionOf(items) }),
  }
}

/** Values below `additionalProperties: true`: fields of objects are unknown. */
const unknownValue = withFacets(any, { nullable: true })

/** Schemas that were read: as fields, and in place (as items or values of maps). */
class KnownSchemas {
  readonly fields = new WeakMap<SchemaNode, Schema>()
  readonly inPlace = new WeakMap<SchemaNode, Schema>()
}

function additionalOf(node: SchemaNode, known: KnownSchemas): Schema | undefined {
  const others = othersOf(node)
  if (others) return schemaOf(others, true, known)
  return node.additionalProperties === undefined ? undefined : unknownValue
}

function fieldOf(schema: Schema, required = false, value?: Json): Field {
  return { tag: 0, schema, doc: '', required, pointer: true, omitEmpty: true, ...(value !== undefined && { default: value }) }
}

/** Metadata has its fixed structure; constraints and defaults of the schema apply in addition. */
function metadataOf(declared: SchemaNode | undefined, known: KnownSchemas): Message {
  if (!declared) return ObjectMeta as Message
  const metadata = withFacets(ObjectMeta as Message, { declared: conditionOf(declared) })
  if (!someNode(declared, (node) => node.default !== undefined)) return metadata
  const schema = schemaOf(declared, false, known)
  if (schema.type !== 'message') return metadata
  return { ...metadata, defaults: (value: unknown, context: HookContext) => applyDefaults(schema, value as Json, context) }
}

function fieldsOf({ properties = {}, required = [] }: SchemaNode, whole: boolean, known: KnownSchemas): { readonly [name: string]: Field } {
  const needed = new Set(required)
  const own = Object.entries(properties).filter(([name]) => !(whole && name === 'metadata'))
  const fields = own.map(([name, each]) => [name, fieldOf(schemaOf(each, false, known), needed.has(name), each.default)] as const)
  if (!whole) return Object.fromEntries(fields)
  const typeMeta = ['kind', 'apiVersion'].map((name) => [name, fieldOf(string)] as const)
  // Objects start with kind, apiVersion and metadata, whatever their order in the schema.
  const head = [
    ...typeMeta,
    ['metadata', fieldOf(metadataOf(properties['metadata'], known), false, properties['metadata']?.default)] as const,
  ]
  const declared = new Map(fields)
  return Object.fromEntries([
    ...head.map(([name, field]) => [name, declared.get(name) ?? field] as const),
    ...fields.filter(([name]) => name !== 'kind' && name !== 'apiVersion'),
  ])
}

function objectOf(node: SchemaNode, facets: Facets, whole: boolean, known: KnownSchemas): Message {
  const additional = additionalOf(node, known)
  return message('', '', fieldsOf(node, whole, known)).with({
    open: true,
    facets,
    ...(additional && { additional }),
    ...(node['x-kubernetes-map-type'] === 'atomic' && { atomic: true }),
  }) as Message
}

function listOf(node: SchemaNode, facets: Facets, known: KnownSchemas): List {
  const items = itemsOf(node)
  const keys = node['x-kubernetes-list-map-keys']
  const listType = node['x-kubernetes-list-type'] as ListType | undefined
  return {
    type: 'list',
    items: items ? schemaOf(items, true, known) : unknownValue,
    facets,
    ...(listType && { listType }),
    ...(keys && { keys }),
  }
}

const scalars = { string, integer: int64, number: double, boolean: bool } as const

/** The schema of a node. `inPlace`: the value is an item or map value, so that its default is not a field default. */
function schemaOf(node: SchemaNode, inPlace: boolean, known: KnownSchemas): Schema {
  const schemas = inPlace ? known.inPlace : known.fields
  const schema = schemas.get(node) ?? readNode(node, inPlace, known)
  schemas.set(node, schema)
  return schema
}

function readNode(node: SchemaNode, inPlace: boolean, known: KnownSchemas): Schema {
  const types = typesOf(node)
  const own = facetsOf(node, types)
  const facets = inPlace && node.default !== undefined ? { ...own, nullDefault: node.default } : own
  const { type } = node
  if (type === 'object') return objectOf(node, facets, node['x-kubernetes-embedded-resource'] === true, known)
  if (type === 'array') return listOf(node, facets, known)
  if (node['x-kubernetes-int-or-string']) return withFacets(intOrString, facets)
  if (type !== undefined && Object.hasOwn(scalars, type)) return withFacets<Schema>(scalars[type as keyof typeof scalars], facets)
  if (node.properties || node.additionalProperties !== undefined) return objectOf(node, { ...facets, untyped: true }, false, known)
  if (node.items) return listOf(node, { ...facets, untyped: true }, known)
  return withFacets(any, facets)
}

/** Returns a function that reads the schemas of parts of an object, each once: parts may be within each other. */
export function partReader(): (node: SchemaNode) => Schema {
  const known = new KnownSchemas()
  return (node) => schemaOf(node, false, known)
}

/**
 * The schema of a kind's objects. Without node, or with `preserve`, unknown fields are kept; with `preserve` the node is still
 * validated.
 */
export function readSchema(node: SchemaNode | undefined, preserve = false): Message {
  if (node === undefined || preserve) {
    const facets: Facets = { preserveUnknown: true, ...(node && { declared: conditionOf(node) }) }
    return message('', '', fieldsOf({}, true, new KnownSchemas())).with({ open: true, facets }) as Message
  }
  const facets = facetsOf(node, ['object'])
  return objectOf(node, typesOf(node).length === 0 ? { ...facets, untyped: true } : facets, true, new KnownSchemas())
}
