/** Validates kind and apiVersion of a body against the URL. */

import { type ApiError, badRequest, invalid } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { unrecognizedObject } from '../request/json.ts'
import { readTypeHeader } from '../request/type-header.ts'
import { apiVersionOf } from '../resources/definition.ts'
import { isSameKind, otherKindFault } from '../resources/scheme.ts'
import { quote } from '../schema/go/quote.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import type { SubresourceView } from './views.ts'

export type BodyKind = SubresourceView['body']

/** A body whose kind is read. */
export interface Typed {
  readonly value: Json
  /** The reference has read the members in sorted order, because it has converted the body to JSON. */
  readonly sorted?: boolean | undefined
  /** As sent, for errors. */
  readonly bytes: Uint8Array
}

/** Checks the type of a body and returns it, with kind and apiVersion filled in. */
export type TypeCheck = (body: Typed, kind: BodyKind, platform: Platform) => JsonObject

const textOf = (value: JsonObject, name: 'apiVersion' | 'kind') => {
  const text = value[name]
  return typeof text === 'string' ? text : ''
}

const otherVersion = (given: string, expected: string) =>
  badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`)

/** Go's ParseGroupVersion; undefined: malformed. */
function groupVersionOf(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion === '' ? ['', ''] : apiVersion.split('/')
  const [first = '', second] = parts
  if (parts.length > 2) return undefined
  return second === undefined ? { group: '', version: first } : { group: first, version: second }
}

/** Maximum bytes of a body in an error. */
const maxShown = 1024

const shown = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, maxShown))

/** Why a body can't be decoded as an object of the kind. */
interface Fault {
  readonly why: string
  /** Kind and version as decoded; absent when they can't be read. */
  readonly given?: { readonly kind: string; readonly version: string }
}

/** The object with the kind's type; throws what `refuse` returns for another kind, and for a version that can't be decoded as this kind. */
function typed({ value, sorted, bytes }: Typed, kind: BodyKind, platform: Platform, refuse: (fault: Fault) => ApiError): JsonObject {
  const found = readTypeHeader(value, sorted)
  if (typeof found === 'string') throw refuse({ why: found })
  const expected = apiVersionOf(kind)
  if (found.kind === kind.kind && found.apiVersion === expected) return withType(value as JsonObject, kind)
  const parsed = groupVersionOf(found.apiVersion)
  if (parsed === undefined) throw refuse({ why: `unexpected GroupVersion string: ${found.apiVersion}` })
  const isDefault = parsed.group === '' && parsed.version === ''
  const given = { ...(isDefault ? kind : parsed), kind: found.kind || kind.kind }
  const apiVersion = apiVersionOf(given)
  if (given.version === '') throw refuse({ why: `Object 'apiVersion' is missing in '${shown(bytes)}'`, given })
  const isCurrent = apiVersion === expected || kind.olderVersions?.includes(apiVersion) === true
  if (given.kind !== kind.kind || !(isCurrent || isSameKind(given, kind, platform)))
    throw refuse({ why: otherKindFault(given, kind, value, platform), given })
  if (!isCurrent) throw otherVersion(apiVersion, expected)
  return withType(value as JsonObject | null, kind)
}

/** Sets kind and apiVersion, in place. */
function withType(value: JsonObject | null, kind: BodyKind): JsonObject {
  const object = value ?? {}
  object['kind'] = kind.kind
  object['apiVersion'] = apiVersionOf(kind)
  return object
}

/** The object with the kind's type, which it may leave out. Throws an ApiError with the reason when it is of another kind. */
export const typedAs = (value: JsonObject, kind: BodyKind, platform: Platform): JsonObject =>
  typed({ value, bytes: new Uint8Array() }, kind, platform, ({ why }) => badRequest(why))

const cannotHandle = ({ kind }: BodyKind, bytes: Uint8Array, { why, given }: Fault) =>
  given
    ? badRequest(`${given.kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${kind}: ${why}`)
    : unrecognizedObject(kind, why, bytes)

/** Throws 422 for an object of another kind or version than the URL's. */
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

/** The object of a body that states its type. */
function objectIn({ value, bytes }: Typed, kind: BodyKind): JsonObject {
  if (value === null) throw missingKind(kind, bytes)
  if (isObject(value)) return value
  throw unrecognizedObject(kind.kind, `cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into an object`, bytes)
}

/**
 * Checks kind and apiVersion of a body of a create or update, which must have both where they are explicit (UnstructuredJSONScheme).
 * Throws 400, or there 422 for another kind.
 */
export const checkType: TypeCheck = (body, kind, platform) => {
  if (kind.origin?.typeMeta !== 'explicit') return typed(body, kind, platform, (fault) => cannotHandle(kind, body.bytes, fault))
  const value = objectIn(body, kind)
  if (textOf(value, 'kind') === '') throw missingKind(kind, body.bytes)
  const expected = apiVersionOf(kind)
  const version = textOf(value, 'apiVersion')
  if (version !== expected) throw otherVersion(version, expected)
  validateSame(value, kind)
  return value
}

/** As `checkType`, for the result of a JSON or merge patch. `refuse` makes the error where they are implied. */
export function patchedTypeCheck(refuse: (kind: BodyKind, why: string) => ApiError): TypeCheck {
  return (body, kind, platform) => {
    if (kind.origin?.typeMeta !== 'explicit') return typed(body, kind, platform, ({ why }) => refuse(kind, why))
    const value = objectIn(body, kind)
    validateSame(value, kind)
    return value
  }
}

/** For the result of a strategic merge patch: another kind or version in the patch is ignored. Values of other types are left to decoding. */
export const mergedTypeCheck: TypeCheck = ({ value }, kind) => {
  const merged = value as JsonObject
  for (const [name, own] of Object.entries({ kind: kind.kind, apiVersion: apiVersionOf(kind) }))
    if (typeof (merged[name] ?? '') === 'string') merged[name] = own
  return merged
}

/** Error for a body without kind. */
const missingKind = (kind: BodyKind, bytes: Uint8Array) =>
  unrecognizedObject(kind.kind, `Object 'Kind' is missing in '${shown(bytes)}'`, bytes)

/** Kinds that the reference can decode in place of delete options. */
const otherOptions = new Set(['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList', 'CreateOptions', 'UpdateOptions'])

/** Throws 400 for a body of a delete that is no DeleteOptions of any version. */
export function checkOptionsType({ value, sorted }: Pick<Typed, 'value' | 'sorted'>, { domain }: Platform): void {
  const found = readTypeHeader(value, sorted)
  if (typeof found === 'string') throw badRequest(found)
  const { kind, apiVersion } = found
  if (groupVersionOf(apiVersion) === undefined) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`)
  if (kind === '' || kind === 'DeleteOptions') return
  if (otherOptions.has(kind)) throw badRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
  const version = quote(apiVersion || `meta.${domain}/v1`)
  // The scheme is named after the line that makes it.
  const scheme = quote('pkg/apis/meta/internalversion/scheme/register.go:27')
  throw badRequest(`no kind ${quote(kind)} is registered for version ${version} in scheme ${scheme}`)
}
