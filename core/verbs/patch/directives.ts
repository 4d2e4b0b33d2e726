/** Directives of strategic merge patches: members that control how their siblings are merged. */

import { badRequest, unreasoned } from '../../answers/status.ts'
import { typeName } from '../../apply/json-values.ts'
import { goString, goText } from '../../schema/go/text.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { get, set } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

export const patchDirective = '$patch'
const retainKeysDirective = '$retainKeys'
export const deletePrefix = '$deleteFromPrimitiveList'
export const orderPrefix = '$setElementOrder'

const badRetainKeys = () => badRequest('invalid patch format of retainKeys')
const badOrderList = () => badRequest('invalid patch format of setElementOrder list')
const badDeleteList = () => badRequest('invalid patch format of primitive list')
export const badPatchType = (type: Json | undefined, map: JsonObject) =>
  unreasoned(`unknown patch type: ${goString(type)} in map: ${goText(map)}`)

/** The type of a value as `%s` prints it. */
export const receivedType = (value: Json | undefined) => (value === null || value === undefined ? '%!s(<nil>)' : typeName(value))

/** The field of a directive such as `$setElementOrder/ports`. */
export function fieldOf(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1)
  throw prefix === deletePrefix ? badDeleteList() : badOrderList()
}

/** Applies `$retainKeys`: removes other keys from the original. Removes the directive from the patch. */
export function retainKeys(original: JsonObject, patch: JsonObject): void {
  const names = get(patch, retainKeysDirective)
  if (names === undefined) return
  delete patch[retainKeysDirective]
  if (!Array.isArray(names)) throw badRetainKeys()
  const kept = new Set<Json>(names)
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue
    if (!kept.has(key)) throw badRetainKeys()
  }
  for (const key of Object.keys(original)) if (!kept.has(key)) delete original[key]
}

/** Turns a part of a patch into a value: removes objects with a `$patch` directive. Undefined: nothing is left. Changes the part. */
export function plainValue(part: Json): Json | undefined {
  if (Array.isArray(part)) return part.map(plainValue).filter((item) => item !== undefined)
  if (!isObject(part)) return part
  if (Object.hasOwn(part, patchDirective)) return undefined
  for (const key of Object.keys(part)) {
    const member = plainValue(part[key] as Json)
    if (member === undefined) delete part[key]
    else set(part, key, member)
  }
  return part
}

/** Removes null members from objects, also within lists. Changes the part. */
export function discardNulls(part: Json): void {
  if (Array.isArray(part)) for (const item of part) discardNulls(item)
  else if (isObject(part))
    for (const key of Object.keys(part)) {
      const member = part[key] as Json
      if (member === null) delete part[key]
      else discardNulls(member)
    }
}
