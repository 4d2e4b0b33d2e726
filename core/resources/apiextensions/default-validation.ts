/** Validates defaults in a custom resource's schema: they must be valid and not be pruned (reference: pkg/apiserver/schema/defaulting). */
import { DecodeError, PartError, unknownIn } from '../../schema/decode.ts'
import { validateEmbedded } from '../../schema/embedded.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { isObject } from '../../schema/json/is-object.ts'
import type { Json, JsonObject, Schema } from '../../schema/model.ts'
import { validatePart } from '../../schema/validate.ts'
import { type InPart, validateInPart } from '../in-parts.ts'
import { partReader } from './read-schema.ts'
import { itemsOf, type SchemaNode, someNode } from './schema-nodes.ts'
import { validateRules } from './validate-validation.ts'

/** Reads a node's schema. */
type Read = ReturnType<typeof partReader>

const metaNames = new Set(['metadata', 'kind', 'apiVersion'])

/** The innermost embedded object around a node. */
interface Embedded {
  readonly node: SchemaNode
  /** Wraps a value of the node in its object. */
  around(value: Json): JsonObject
}

/** Adds the errors of embedded objects: decoding errors, or else validation errors. */
function validateEmbeddedParts(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors): void {
  try {
    if (unknownIn(schema, value).length > 0) {
      errors.forgivable('pruned defaults', () => errors.invalid(path, value, 'must not have unknown fields'))
    }
    validateEmbedded(schema, value, path, errors)
  } catch (error) {
    if (error instanceof PartError) errors.invalid(path.join(error.field), error.value, error.detail)
    else if (error instanceof DecodeError) errors.invalid(path, value, error.message)
    else throw error
  }
}

/** Adds errors of kind, apiVersion or metadata. */
function validateMetadata(value: Json, { node, around }: Embedded, path: FieldPath, errors: FieldErrors, readPart: Read): void {
  const found = new FieldErrors()
  const object = { apiVersion: 'validation/v1', kind: 'Validation', ...around(value) }
  validateEmbeddedParts(readPart(node), object, FieldPath.root, found)
  const problems = found.list.map(({ field, message }) => `${field}: ${message}`)
  if (problems.length === 0) return
  const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
  errors.invalid(path, value, `must result in valid metadata: ${text}`)
}

/** The schema of a default of a node, as far as it is about embedded objects: those can have nodes without that type. */
const embeddedSchema = (node: SchemaNode, value: Json, schema: Schema, readPart: Read): Schema =>
  node['x-kubernetes-embedded-resource'] && node.type !== 'object' && isObject(value)
    ? readPart({ ...node, type: 'object', 'x-kubernetes-int-or-string': false })
    : schema

/** The errors of a default; only those of the first kind found. */
function errorsOf({ node, value, meta, path: holder }: Default, readPart: Read): FieldErrors {
  const path = holder.child('default')
  const found = new FieldErrors()
  const schema = readPart(node)
  if (meta) validateMetadata(value, meta, path, found, readPart)
  else validateEmbeddedParts(embeddedSchema(node, value, schema, readPart), value, path, found)
  const root = schema.facets?.embeddedResource === true
  // A default that would be pruned is still validated.
  const unpruned = found.list.filter(({ forgivable }) => forgivable !== undefined).length
  if (found.count === unpruned) validatePart(schema, value, path, found)
  if (found.count === unpruned) validateRules(schema, value, value, path, found, { root })
  // Evaluated as for a new object or a field that was absent before.
  if (found.count === unpruned) validateRules(schema, value, undefined, path, found, { root })
  return found
}

/** Adds the errors of all defaults of a schema, each validated in a part. Nodes with additionalProperties: true have no fields, hence no defaults. */
export function validateDefaults(schema: SchemaNode, path: FieldPath, errors: FieldErrors, inPart: InPart): void {
  const defaults = inPart(() => {
    const found: Default[] = []
    if (!someNode(schema, (node) => node.default !== undefined)) return found
    addDefaults({ ...schema, 'x-kubernetes-embedded-resource': true }, path, undefined, false, found)
    return found
  })
  const readPart = inPart(partReader)
  for (const each of defaults) validateInPart(errors, inPart, (found) => found.include(errorsOf(each, readPart)))
}

interface Default {
  readonly node: SchemaNode
  readonly value: Json
  readonly meta: Embedded | undefined
  readonly path: FieldPath
}

/** Adds the defaults in and below a node. `inMeta`: the node describes kind, apiVersion or metadata of its object. */
function addDefaults(node: SchemaNode, path: FieldPath, outer: Embedded | undefined, inMeta: boolean, found: Default[]): void {
  const isEmbedded = node['x-kubernetes-embedded-resource'] === true
  const embedded: Embedded | undefined = isEmbedded ? embeddedOf(node) : outer
  const meta = inMeta && !isEmbedded ? embedded : undefined
  const { default: value } = node
  if (value !== undefined) found.push({ node, value, meta, path })
  const items = itemsOf(node)
  if (items) {
    const inside = within(embedded, (value) => [value])
    addDefaults(items, path.child('items'), inside, meta !== undefined, found)
  }
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const isMeta = meta !== undefined || (isEmbedded && metaNames.has(name))
    const inside = within(embedded, (value) => ({ [name]: value }))
    addDefaults(property, path.child('properties').key(name), inside, isMeta, found)
  }
}

const embeddedOf = (node: SchemaNode): Embedded => ({
  node: { ...node, 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  around: (value) => value as JsonObject,
})

function within(embedded: Embedded | undefined, wrap: (value: Json) => Json): Embedded | undefined {
  return embedded && { node: embedded.node, around: (value) => embedded.around(wrap(value)) }
}
