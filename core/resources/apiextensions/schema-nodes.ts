/** The schema in a CustomResourceDefinition, and its traversal. */
import type { Json } from '../../schema/model.ts'
import { pathSteps } from './path-steps.ts'

export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

type Schemas = { readonly [name: string]: SchemaNode }

/** The members of a JSONSchemaProps that validation uses; all others are `Json`. */
export interface SchemaNode {
  readonly type?: string
  readonly nullable?: boolean
  readonly default?: Json
  readonly pattern?: string
  readonly uniqueItems?: boolean
  readonly required?: readonly string[]
  readonly items?: SchemaNode | readonly SchemaNode[]
  readonly properties?: Schemas
  readonly additionalProperties?: SchemaNode | boolean
  readonly not?: SchemaNode
  readonly allOf?: readonly SchemaNode[]
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly definitions?: Schemas
  readonly patternProperties?: Schemas
  readonly dependencies?: { readonly [name: string]: SchemaNode | readonly string[] }
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  readonly [name: string]: unknown
}

const isList = (value: SchemaNode['items']): value is readonly SchemaNode[] => Array.isArray(value)

/** The schema of all items; undefined without one, or with schemas by index. */
export function itemsOf({ items }: SchemaNode): SchemaNode | undefined {
  return items === undefined || isList(items) ? undefined : items
}

/** The schema of a property by its name. */
export function propertyOf({ properties }: SchemaNode, name: string): SchemaNode | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** Schemas of items by index, which are not supported. */
export function itemsByPlace({ items }: SchemaNode): readonly SchemaNode[] {
  return isList(items) ? items : []
}

/** The schema of additionalProperties. */
export function othersOf({ additionalProperties }: SchemaNode): SchemaNode | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Unsupported members: valid OpenAPI or JSON Schema, but they leave the type of fields open. */
const unsupported = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const

const keeps = 'x-kubernetes-preserve-unknown-fields'
const isSet = (value: unknown) => value !== undefined && value !== '' && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0)

/** The first unsupported member in the schema or below it. */
export function findUnsupported(schema: SchemaNode): string | undefined {
  const own = unsupported.find((name) => isSet(schema[name]))
  if (own !== undefined) return own
  if (schema[keeps] === false) return keeps
  if (itemsByPlace(schema).length > 0) return 'items'
  const { not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema
  const below = [not, ...allOf, ...anyOf, ...oneOf, itemsOf(schema), othersOf(schema), ...Object.values(properties)]
  for (const each of below) {
    const found = each && findUnsupported(each)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The schema at a path such as `.spec.parts['a-b']`. `arrays`: allow `['name']`.
 * @throws Error with the reason when the path is malformed.
 */
export function schemaAt(
  schema: SchemaNode,
  path: string,
  arrays = true,
): { readonly node: SchemaNode; readonly names: readonly string[] } {
  const names: string[] = []
  let node = schema
  for (const name of pathSteps(path, arrays)) {
    const next = node.properties ? propertyOf(node, name) : othersOf(node)
    if (next === undefined) throw new Error('does not refer to a valid field')
    names.push(name)
    node = next
  }
  return { node, names }
}

/** A schema and all of its descendants. */
export function* everyNode(schema: SchemaNode): Generator<SchemaNode> {
  const open = [schema]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    const { not, allOf = [], anyOf = [], oneOf = [], properties = {} } = node
    for (const each of [not, itemsOf(node), othersOf(node), ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)]) {
      if (each) open.push(each)
    }
  }
}
