/**
 * Parts of objects that keep their original text (Go: RawExtension), because clients compare it byte by byte. The value is an ordinary JSON
 * value; its text, without white space between tokens, is in a property that only `printJson` and the protobuf writer read.
 */

import type { Json, JsonObject } from '../model.ts'
import { htmlSafe } from './html-safe.ts'

const rawText = Symbol('raw JSON')

/** The kept text of a value; undefined: none. */
export function rawTextOf(value: Json): string | undefined {
  return typeof value === 'object' && value !== null ? (value as { [rawText]?: string })[rawText] : undefined
}

/** Sets the text of an object or list; other values can't have one. Returns the value. */
export function setRawText<T extends Json>(value: T, text: string): T {
  if (typeof value !== 'object' || value === null) return value
  // toJSON makes JSON.stringify throw, so that printJson falls back to its own printer.
  Object.defineProperties(value, { [rawText]: { value: text, configurable: true }, toJSON: { value: unprintable, configurable: true } })
  return value
}

/** As `setRawText`, for any value. Scalars with a non-canonical text, such as `1.0`, become an empty object with that text. */
export function withRawText(value: Json, text: string): Json {
  if (typeof value === 'object') return value === null ? null : setRawText(value, text)
  return printed(value) === text ? value : setRawText({}, text)
}

/** Whether a part is a JSON object: a scalar with a text of its own is an empty object with that text. */
export const isRawObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && (rawTextOf(value as Json)?.startsWith('{') ?? true)

const printed = (value: string | number | boolean | bigint) => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value))

function unprintable(): never {
  throw new TypeError('an object with a text of its own is printed by printJson')
}

/** JSON as Go prints an untyped value: sorted keys, with `<`, `>` and `&` escaped. */
export function goJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return htmlSafe(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${goJson(key)}:${goJson((value as JsonObject)[key] as Json)}`)
  return `{${members.join(',')}}`
}
