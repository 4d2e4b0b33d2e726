/** Applies mutations (policy/mutating/patch). Errors are subject to the failure policy. */

import { ApiError, internalError } from '../../answers/status.ts'
import { type Atom, deduce, objectAtom } from '../../apply/atom.ts'
import { applyJsonPatch, PatchTestFailed, UnprocessablePatch } from '../../apply/json-patch.ts'
import { merge } from '../../apply/merge.ts'
import { validateType } from '../../apply/validate-type.ts'
import { CelError } from '../../cel/values/errors.ts'
import { toJson } from '../../cel/values/json.ts'
import { CelObject } from '../../cel/values/values.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { GroupVersionKind, ObjectVersions } from '../attributes.ts'
import { ConfigurationError } from '../expressions/faults.ts'
import { misplaced } from './type-names.ts'

/** Runs a step; errors become a ConfigurationError with the prefix `what`. */
function step<T>(what: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new ConfigurationError(`${what}: ${error instanceof CelError ? error.message : messageOf(error)}`)
  }
}

function checkNames(value: unknown): void {
  const faults = misplaced(value)
  if (faults.length > 0) throw new ConfigurationError(`type mismatch: ${faults.join('\n')}`)
}

/** Paths of atomic values in a configuration, which would be replaced as a whole. */
function atomics(given: Atom, value: Json, path: string): string[] {
  const { map, list } = deduce(given, value)
  if (Array.isArray(value)) {
    if (!list) return []
    const own = list.relation === 'atomic' ? [path] : []
    return [...own, ...value.flatMap((item, index) => atomics(list.items(), item, `${path}[${index}]`))]
  }
  if (typeof value !== 'object' || value === null || !map) return []
  const below = Object.entries(value).flatMap(([key, each]) => {
    const atom = map.field(key)
    return atom ? atomics(atom, each as Json, `${path}.${key}`) : []
  })
  return map.atomic ? [path, ...below] : below
}

/** Merges an apply configuration into the object. */
function applied(object: ApiObject, value: unknown, kind: GroupVersionKind, versions: ObjectVersions): JsonObject {
  checkNames(value)
  const given = step('invalid return type', () => toJson(value)) as JsonObject
  const configuration: JsonObject = { ...given, apiVersion: object.apiVersion, kind: object.kind }
  const atom = objectAtom(versions.schemaOf(kind))
  step('error applying patch: failed to convert patch object to typed object', () => validateType(atom, configuration, false))
  const whole = atomics(atom, configuration, '')
  if (whole.length > 0) {
    const text = `may not mutate atomic arrays, maps or structs: ${whole.join(', ')}`
    throw new ConfigurationError(`error applying patch: invalid ApplyConfiguration: ${text}`)
  }
  return step('error applying patch: failed to merge patch', () => merge(atom, object as JsonObject, configuration)) as JsonObject
}

function operationOf(value: unknown): JsonObject {
  const { raw } = value as CelObject
  const { op = '', path = '', from = '' } = raw as { readonly op?: string; readonly path?: string; readonly from?: string }
  const operation = { op, path, ...(from !== '' && { from }) }
  if (!Object.hasOwn(raw, 'value')) return operation
  if (raw['value'] instanceof CelObject) checkNames(raw['value'])
  const wrong = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON'
  return { ...operation, value: step(wrong, () => toJson(raw['value'])) }
}

/** Applies a JSON patch; undefined: a test operation failed, so that nothing changes. */
function patched(object: ApiObject, value: unknown): JsonObject | undefined {
  const operations = (value as readonly unknown[]).map(operationOf)
  try {
    return applyJsonPatch(structuredClone(object) as JsonObject, operations) as JsonObject
  } catch (error) {
    if (error instanceof PatchTestFailed) return undefined
    throw new ConfigurationError(`JSON Patch: ${error instanceof UnprocessablePatch ? error.detail : messageOf(error)}`)
  }
}

/** Decodes the patched object; unknown fields are an error of the policy, not of the request. */
function decoded(value: JsonObject, kind: GroupVersionKind, versions: ObjectVersions): ApiObject {
  const schema = versions.schemaOf(kind)
  try {
    if (!schema.open) validateType(objectAtom(schema), value, true)
    return versions.decode(value, kind)
  } catch (error) {
    throw error instanceof ApiError ? error : internalError(messageOf(error))
  }
}

/** The object after a mutation; the given one if nothing changes. Throws a ConfigurationError, or the ApiError that ends the request. */
export function mutated(
  object: ApiObject,
  patchType: 'ApplyConfiguration' | 'JSONPatch',
  value: unknown,
  kind: GroupVersionKind,
  versions: ObjectVersions,
): ApiObject {
  if (patchType === 'ApplyConfiguration') {
    const merged = applied(object, value, kind, versions)
    return step('error applying patch', () => versions.decode(merged, kind))
  }
  const result = patched(object, value)
  return result === undefined ? object : decoded(result, kind, versions)
}
