import type { JsonObject } from '../schema/model.ts'
import { atomOf, type Scope } from './scope.ts'
import { TypeMismatch } from './type-mismatch.ts'
import { validateType } from './validate-type.ts'

/**
 * Converts an object to another version. Throws a TypeMismatch (its message prefixed by `failing`) when it does not match that version's
 * schema: versions of custom resources need not have anything in common.
 */
export function convertTo(scope: Scope, object: JsonObject, from: string, to: string, failing: string): JsonObject {
  if (from === to) return object
  const converted = scope.versions.convert(object, from, to)
  try {
    validateType(atomOf(scope, to), converted, false)
  } catch (error) {
    throw error instanceof TypeMismatch ? error.within(failing) : error
  }
  return converted
}
