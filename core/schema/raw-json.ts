/**
 * Parts of objects that keep the text that came (Go: RawExtension), since clients compare it byte by byte. The value is a JSON value
 * like others, and has its text, without white space between tokens, in a property that only `printJson` and the protobuf writer see.
 */
import type { Json, JsonObject } from './model.ts'

const rawText = Symbol('raw JSON')

/** The text of a value; undefined: it has none, and is printed as other values are. */
export function rawTextOf(value: Json): string | undefined {
  return typeof value === 'object' && value !== null ? (value as { [rawText]?: string })[rawText] : undefined
}

/** Gives an object or list its text; other values have none. Returns the value. */
export function setRawText<T extends Json>(value: T, text: string): T {
  if (typeof value !== 'object' || value === null) return value
  // JSON.stringify asks for toJSON, and printJson prints the object when that fails.
  Object.defineProperties(value, { [rawText]: { value: text, configurable: true }, toJSON: { value: unprintable, configurable: true } })
  return value
}

/** The same for any value. Scalars that are printed otherwise than they came, such as `1.0`, become an empty object that has their text. */
export function withRawText(value: Json, text: string): Json {
  if (typeof value === 'object') return value === null ? null : setRawText(value, text)
  return printed(value) === text ? value : setRawText({}, text)
}

const printed = (value: string | number | boolean | bigint) => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value))

function unprintable(): never {
  throw new TypeError('an object with a text of its own is printed by printJson')
}

/** For who is about to change a value in place. */
export function forgetRawText(value: object): void {
  if (!(rawText in value)) return
  Reflect.deleteProperty(value, rawText)
  Reflect.deleteProperty(value, 'toJSON')
}

const html = /[<>&\u2028\u2029]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON as Go prints a value that it knows no type of: keys in order, `<`, `>` and `&` escaped. */
export function goJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replace(html, escaped)
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${goJson(key)}:${goJson((value as JsonObject)[key] as Json)}`)
  return `{${members.join(',')}}`
}
