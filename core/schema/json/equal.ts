import type { Json, JsonObject } from '../model.ts'
import { rawTextOf } from './raw.ts'

/**
 * Deep equality of JSON values: ignores the order of keys; an absent key equals nothing. Parts that keep their text are compared by text, as
 * in Go.
 */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const text = rawTextOf(a)
  const other = rawTextOf(b)
  if (text !== undefined && other !== undefined) return text === other
  if (isScalar(text) || isScalar(other)) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  }
  let more = 0
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equal(a[key], (b as JsonObject)[key])) return false
    more++
  }
  for (const _ in b) more--
  return more === 0
}

/** Whether two values have the same text as JSON: as `equal`, with members in the same order. False if that is only equal in the end. */
export function isSameText(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const text = rawTextOf(a)
  if (text !== rawTextOf(b)) return false
  if (text !== undefined) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameText(item, b[index]))
  }
  const names = Object.keys(b)
  let index = 0
  for (const name in a) if (name !== names[index++] || !isSameText(a[name], b[name])) return false
  return index === names.length
}

/** Whether two lists have the same items, by identity; an absent one has none. */
export function sameItems(a: readonly unknown[] = [], b: readonly unknown[] = []): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Whether the text of a part is a scalar. */
const isScalar = (text: string | undefined) => text !== undefined && text[0] !== '{' && text[0] !== '['
