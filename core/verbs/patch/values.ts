/** JSON values that patches take apart: `__proto__` and `constructor` are keys like others here. */
import type { Json, JsonObject } from '../../schema/model.ts'

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member's value; undefined when the object has no such key of its own. */
export function get(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function set(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/** A copy that shares nothing with the original. */
export function clone<T extends Json>(value: T): T
export function clone(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => clone(item))
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) set(copy, key, clone(value[key] as Json))
  return copy
}

/** Name of a value's type in messages that clients know from Go. */
export function typeName(value: Json | undefined): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : '<nil>'
}

/** Name of a value's JSON type, as in `cannot unmarshal array into …`. */
export function jsonTypeName(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** A value in messages that clients know from Go: `map[image:nginx name:web]`. */
export function goText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (isObject(value)) {
    const members = Object.keys(value).sort()
    return `map[${members.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`
  }
  return value === null || value === undefined ? '<nil>' : String(value)
}
