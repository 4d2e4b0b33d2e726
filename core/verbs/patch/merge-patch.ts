/** JSON Merge Patch (RFC 7386). */

import { badRequest } from '../../answers/status.ts'
import { jsonTypeName } from '../../apply/json-values.ts'
import { copyOf } from '../../schema/json/given-empty.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { clone, get, set } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

/**
 * Merges the patch into a copy of the document and returns it; parts that the patch does not reach are shared with the document.
 * Throws BadRequest when the patch is not an object.
 */
export function applyMergePatch(document: JsonObject, patch: Json): JsonObject {
  return merge(document, objectPatch(patch))
}

/** The patch as an object. Throws BadRequest otherwise. */
function objectPatch(patch: Json): JsonObject {
  if (isObject(patch)) return patch
  if (patch === null) throw badRequest('Invalid JSON Patch')
  throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`)
}

function merge(original: JsonObject, patch: JsonObject): JsonObject {
  const target = copyOf(original)
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json
    if (value === null) {
      delete target[key]
      continue
    }
    const current = get(target, key)
    if (isObject(current) && isObject(value)) set(target, key, merge(current, value))
    // As by the reference's library: what takes the place of an object keeps its nulls.
    else set(target, key, isObject(current) ? clone(value) : withoutNulls(value))
  }
  return target
}

/** Copies a value without null members, also within lists, as the reference server stores new values. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) if (value[key] !== null) set(copy, key, withoutNulls(value[key] as Json))
  return copy
}
