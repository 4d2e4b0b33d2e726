/** Helpers for JSON values and for their type names in messages. */
import { isObject } from '../schema/json/is-object.ts'
import type { Json } from '../schema/model.ts'

/** Go's name of a value's type, for messages that clients know. */
export function typeName(value: Json | undefined): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'bigint') return 'int64'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : '<nil>'
}

/** JSON type name, as in `cannot unmarshal array into …`. */
export function jsonTypeName(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
