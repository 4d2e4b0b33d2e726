/** Rules for defaults in the schema of a custom resource: they survive pruning and are valid (reference: pkg/apiserver/schema/defaulting). */
import { DecodeError, decodePart } from '../../schema/decode.ts'
import { validateEmbedded } from '../../schema/embedded.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Json, Schema } from '../../schema/model.ts'
import { validatePart } from '../../schema/validate.ts'
import { readPart } from './read-schema.ts'
import { itemsOf, type SchemaNode } from './schema-nodes.ts'
import { validateRules } from './validate-rules.ts'

const metaNames = new Set(['metadata', 'kind', 'apiVersion'])

/** Why a value can't be a default; the first kind of error that is found is all that is said. */
function checkDefault(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors): void {
  const found = new FieldErrors()
  try {
    if (decodePart(schema, value).unknown.length > 0) {
      errors.forgivable('pruned defaults', () => errors.invalid(path, value, 'must not have unknown fields'))
    }
    validateEmbedded(schema, value, path, found)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    found.invalid(path, value, error.message)
  }
  const root = schema.facets?.embeddedResource === true
  if (found.count === 0) validatePart(schema, value, path, found)
  if (found.count === 0) validateRules(schema, value, value, path, found, { root })
  // As the value of a new object, or of a field that was not there before.
  if (found.count === 0) validateRules(schema, value, undefined, path, found, { root })
  errors.include(found)
}

/** Adds the errors of all defaults below a node. Where any keys are allowed there are no fields, and no defaults are looked at. */
export function checkDefaults(node: SchemaNode, path: FieldPath, errors: FieldErrors, whole = true): void {
  if (node.default !== undefined) checkDefault(readPart(node), node.default, path.child('default'), errors)
  const items = itemsOf(node)
  if (items) checkDefaults(items, path.child('items'), errors, items['x-kubernetes-embedded-resource'] === true)
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    // Metadata of objects within objects has a structure of its own.
    if (whole && metaNames.has(name)) continue
    checkDefaults(property, path.child('properties').key(name), errors, property['x-kubernetes-embedded-resource'] === true)
  }
}
