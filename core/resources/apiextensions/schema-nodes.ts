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
  const own = unsupported.find((name) => isSet(schema[name]) || (name === 'additionalItems' && schema[name] !== undefined))
  if (own !== undefined) return own
  if (schema[keeps] === false) return keeps
  if (itemsByPlace(schema).length > 0) return 'items'
  for (const each of nodesBelow(schema)) {
    const found = each && findUnsupported(each)
    if (found !== undefined) return found
  }
  return undefined
}

const none: readonly SchemaNode[] = []

/** Direct children of a schema; most have none. */
function nodesBelow(schema: SchemaNode): readonly SchemaNode[] {
  const { not, allOf, anyOf, oneOf, properties } = schema
  const items = itemsOf(schema)
  const others = othersOf(schema)
  if (!(not || items || others || allOf || anyOf || oneOf || properties)) return none
  const below = [...(allOf ?? none), ...(anyOf ?? none), ...(oneOf ?? none)]
  if (not) below.unshift(not)
  if (items) below.push(items)
  if (others) below.push(others)
  if (properties) for (const name of Object.keys(properties)) below.push(properties[name] as SchemaNode)
  return below
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

/** Whether the test holds for a schema or one of its descendants. */
export function someNode(schema: SchemaNode, test: (node: SchemaNode) => boolean): boolean {
  for (const node of everyNode(schema)) if (test(node)) return true
  return false
}

/** A schema and all of its descendants. */
export function* everyNode(schema: SchemaNode): Generator<SchemaNode> {
  const open = [schema]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    const { not, allOf, anyOf, oneOf, properties } = node
    const [items, others] = [itemsOf(node), othersOf(node)]
    if (not) open.push(not)
    if (items) open.push(items)
    if (others) open.push(others)
    for (const list of [allOf, anyOf, oneOf]) if (list) for (const each of list) if (each) open.push(each)
    if (properties) for (const name of Object.keys(properties)) if (properties[name]) open.push(properties[name])
  }
}
