/** Validates objects embedded in custom resources (x-kubernetes-embedded-resource): kind, version and metadata. */

import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { formats } from './formats/formats.ts'
import { isObject } from './json/is-object.ts'
import { get } from './json/members.ts'
import type { Json, JsonObject, Schema } from './model.ts'
import { type Metadata, validateObjectMeta } from './object-meta.ts'
import { reaching } from './reaches.ts'

const hasEmbedded = reaching((schema) => schema.facets?.embeddedResource === true)

function validateVersion(value: Json, path: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'string') errors.invalid(path, value, 'must be a string')
  else if (value === '') errors.invalid(path, value, 'must not be empty')
  else if (value.split('/').length > 2) errors.invalid(path, value, `unexpected GroupVersion string: ${value}`)
}

function validateKind(value: Json, path: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'string') errors.invalid(path, value, 'must be a string')
  else if (value === '') errors.invalid(path, value, 'must not be empty')
  else {
    const problems = formats.dns1035Label(value.toLowerCase())
    if (problems.length > 0) errors.invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)
  }
}

function validateResource(value: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const [apiVersion, kind, metadata] = [get(value, 'apiVersion'), get(value, 'kind'), get(value, 'metadata')]
  if (apiVersion === undefined) errors.required(path.child('apiVersion'))
  if (kind === undefined) errors.required(path.child('kind'))
  if (apiVersion !== undefined) validateVersion(apiVersion, path.child('apiVersion'), errors)
  if (kind !== undefined) validateKind(kind, path.child('kind'), errors)
  if (!isObject(metadata)) return
  const given = metadata as Metadata
  // Templates need no name.
  const named = given.name ? given : { ...given, name: 'fakename' }
  const rules = { namespaced: Boolean(given.namespace), nameFormat: 'pathSegment', path: path.child('metadata') } as const
  validateObjectMeta(named, rules, errors)
}

/** Adds the errors of all embedded objects in a value. */
export function validateEmbedded(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors): void {
  if (!hasEmbedded(schema) || typeof value !== 'object' || value === null) return
  if (schema.type === 'list' && Array.isArray(value)) {
    value.forEach((item, index) => {
      validateEmbedded(schema.items, item, path.index(index), errors)
    })
  }
  if (schema.type !== 'message' || !schema.open || Array.isArray(value)) return
  if (schema.facets?.embeddedResource) validateResource(value, path, errors)
  for (const key of Object.keys(value)) {
    const declared = schema.json.get(key)?.schema
    if (declared) validateEmbedded(declared, value[key] as Json, path.child(key), errors)
    else if (schema.additional) validateEmbedded(schema.additional, value[key] as Json, path.key(key), errors)
  }
}
