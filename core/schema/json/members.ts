/** Access to members of JSON objects; `__proto__` and `constructor` are ordinary keys. */

import type { Json, JsonObject } from '../model.ts'
import { givenEmpties, setGivenEmpties } from './given-empty.ts'
import { rawTextOf, setRawText } from './raw.ts'

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
  const copy: Json = Array.isArray(value) ? value.map((item) => clone(item)) : cloneMembers(value)
  const text = rawTextOf(value)
  return text === undefined ? copy : setRawText(copy, text)
}

/** A deep copy of an object, but for a member that it shares. */
export function cloneMembers(value: JsonObject, shared?: string): JsonObject {
  const copy: JsonObject = {}
  for (const key in value) set(copy, key, key === shared ? (value[key] as Json) : clone(value[key] as Json))
  setGivenEmpties(copy, givenEmpties(value))
  return copy
}

/** The value without the memory of empty lists and maps that were given (given-empty.ts), as it reads once it is stored. Shares what has none. */
export function asStored<T extends Json>(value: T): T
export function asStored(value: Json): Json {
  if (typeof value !== 'object' || value === null || rawTextOf(value) !== undefined) return value
  if (Array.isArray(value)) return storedItems(value)
  let copy = givenEmpties(value) && { ...value }
  for (const key in value) {
    const member = value[key] as Json
    const stored = asStored(member)
    if (stored === member) continue
    copy ??= { ...value }
    set(copy, key, stored)
  }
  return copy ?? value
}

function storedItems(items: Json[]): Json[] {
  let copy: Json[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Json
    const stored = asStored(item)
    if (stored === item) continue
    copy ??= items.slice()
    copy[index] = stored
  }
  return copy ?? items
}
