/** Validates kind and apiVersion of a body against the URL. */
import { unrecognizedObject } from '../request/json.ts'
import { apiVersionOf } from '../resources/definition.ts'
import { badRequest, invalid } from '../respond/status.ts'
import { quote } from '../schema/field-error.ts'
import type { JsonObject } from '../schema/model.ts'
import type { SubresourceView } from './views.ts'

type BodyKind = SubresourceView['body']

const textOf = (value: JsonObject, name: 'apiVersion' | 'kind') => {
  const text = value[name]
  return typeof text === 'string' ? text : ''
}

const otherVersion = (given: string, expected: string) =>
  badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`)

/** Fills in missing values; throws for another kind, and for a version that can't be decoded as this kind. */
function validateBuiltIn(value: JsonObject, kind: BodyKind): void {
  const expected = apiVersionOf(kind)
  const given = textOf(value, 'kind') || kind.kind
  const version = textOf(value, 'apiVersion') || expected
  if (given !== kind.kind)
    throw badRequest(
      `${given} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: the request is about ${kind.kind} in version ${JSON.stringify(expected)}`,
    )
  if (version !== expected && !kind.olderVersions?.includes(version)) throw otherVersion(version, expected)
  value['kind'] = given
  value['apiVersion'] = expected
}

/** Throws 422 for a custom resource with another kind or version than the URL's. */
function validateSame(value: JsonObject, kind: BodyKind): void {
  const wanted = { kind: kind.kind, apiVersion: apiVersionOf(kind) }
  const given = { kind: textOf(value, 'kind'), apiVersion: textOf(value, 'apiVersion') }
  const errors = (['kind', 'apiVersion'] as const)
    .filter((field) => given[field] !== wanted[field])
    .map((field) => ({
      reason: 'FieldValueInvalid' as const,
      field,
      message: `Invalid value: ${quote(given[field])}: must be ${wanted[field]}`,
    }))
  if (errors.length === 0) return
  const slash = given.apiVersion.indexOf('/')
  const { name } = (value['metadata'] ?? {}) as { name?: unknown }
  throw invalid({ group: given.apiVersion.slice(0, Math.max(slash, 0)), kind: given.kind }, typeof name === 'string' ? name : '', errors)
}

/**
 * Validates kind and apiVersion of a body of a create or update. Custom resources must have both (UnstructuredJSONScheme). Throws 400, or
 * 422 for a custom resource of another kind.
 */
export function validateTypeMeta(value: JsonObject, kind: BodyKind, bytes: Uint8Array): void {
  if (kind.schema.dialect !== 'openapi') {
    validateBuiltIn(value, kind)
    return
  }
  if (textOf(value, 'kind') === '') throw missingKind(kind, bytes)
  const expected = apiVersionOf(kind)
  const version = textOf(value, 'apiVersion')
  if (version !== expected) throw otherVersion(version, expected)
  validateSame(value, kind)
}

/** As `validateTypeMeta`, for the result of a patch. Throws 400, or 422 for custom resources. */
export function validatePatchedTypeMeta(value: JsonObject, kind: BodyKind): void {
  if (kind.schema.dialect === 'openapi') validateSame(value, kind)
  else validateBuiltIn(value, kind)
}

/** Maximum bytes of a body in an error. */
const maxShown = 1024

/** Error for a body without kind. */
export const missingKind = (kind: BodyKind, bytes: Uint8Array) =>
  unrecognizedObject(kind.kind, `Object 'Kind' is missing in '${new TextDecoder().decode(bytes.subarray(0, maxShown))}'`, bytes)

/** As `validateTypeMeta`, for the envelope of a protobuf body. */
export const validateEnvelope = validateBuiltIn
