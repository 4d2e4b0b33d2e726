/** Access to members of JSON objects; `__proto__` and `constructor` are ordinary keys. */
import { givenEmpties, setGivenEmpties } from './given-empty.ts'
import type { Json, JsonObject } from './model.ts'
import { rawTextOf, setRawText } from './raw-json.ts'

/** The value of an own member; undefined when absent. */
export function get(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function set(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/** Deletes a member. The engine takes as long to delete one that is not there. */
export function drop<T extends object>(object: T, key: keyof T): void {
  if (object[key] !== undefined) delete object[key]
}

/** Whether an object has no members. */
export function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false
  return true
}

/** A deep copy; many times faster than structuredClone. */
export function clone<T extends Json>(value: T): T
export function clone(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const copy: Json = Array.isArray(value) ? value.map((item) => clone(item)) : cloneObject(value)
  const text = rawTextOf(value)
  return text === undefined ? copy : setRawText(copy, text)
}

function cloneObject(value: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const key in value) set(copy, key, clone(value[key] as Json))
  setGivenEmpties(copy, givenEmpties(value))
  return copy
}
