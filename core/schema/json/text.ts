/**
 * Lossless JSON parser and printer: integers that a double can't hold are bigints. Texts without such numbers, nearly all,
 * are handled by the engine's own parser and printer. Also sets the text of parts that keep it.
 */

import { NumberRangeError, spelledNumber } from '../go/spelled-number.ts'
import type { Json, JsonObject, Schema } from '../model.ts'
import { reaching } from '../reaches.ts'
import { set } from './members.ts'
import { rawTextOf, withRawText } from './raw.ts'

/** Maximum nesting depth; the parser recurses. */
const maxDepth = 1000
/** Digits of the shortest integer that may exceed a double's precision. */
const longDigits = 16
/** Characters of the longest 64-bit integer with sign. */
const maxIntegerLength = 21

/** An integer as number if it is a safe integer or exceeds 64 bits (which Go reads as double); otherwise as bigint. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) || BigInt.asIntN(65, value) !== value ? number : value
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/**
 * Whether the text may contain an integer that a double can't hold. Checks only every sixteenth character: a run of that many
 * digits covers one of them.
 */
export function hasLongInteger(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue
    let first = at
    while (isDigit(text.charCodeAt(first - 1))) first--
    let end = at + 1
    while (isDigit(text.charCodeAt(end))) end++
    if (end - first >= longDigits && beginsNumber(text, first) && endsNumber(text, end)) return true
    at = Math.max(at, end - longDigits)
  }
  return false
}

/** Whether digits may start a number: they follow a token, not a word. */
function beginsNumber(text: string, first: number): boolean {
  const before = text.charCodeAt(first - 1) === 0x2d ? first - 2 : first - 1
  return before < 0 || ':[, \n\r\t'.includes(text.charAt(before))
}

/** Whether digits may end an integer: not those at the end of a string, such as a digest. */
const endsNumber = (text: string, end: number): boolean => end >= text.length || ',]} \n\r\t'.includes(text.charAt(end))

/** Replaces lone surrogates by U+FFFD, as Go does. */
const wellFormed = (text: string): string => decoder.decode(encoder.encode(text))
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Whether a JSON text may contain escaped surrogates. */
export const hasSurrogateEscape = (text: string): boolean => text.includes('\\ud') || text.includes('\\uD')

/**
 * Whether the engine's parser may take another name for an escaped one: V8 of Node 22.12 to 26 does when an object was read before with a name that
 * ends with a backslash (nodejs/node#63785).
 */
const misreadsNames = (() => {
  const objectOf = (first: string, name: string) => JSON.parse(`{${JSON.stringify('h')}:${first},${JSON.stringify(name)}:0}`) as object
  objectOf('[]', '\\')
  return !Object.hasOwn(objectOf('0', '"'), '"')
})()

/** Whether a JSON text has a name with an escape. */
export function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    // This is the first escape of its string.
    at = endOfString(text, at - 1) + 1
    if (at === 0) return false
    while (space.test(text.charAt(at))) at++
    if (text.charAt(at) === ':') return true
  }
  return false
}

/** Whether the engine's parser may misread a JSON text. */
export const mayBeMisread = (text: string): boolean => misreadsNames && hasEscapedName(text)

/** Whether a schema has parts that keep their text. */
export const keepsText = reaching((schema) => schema.type === 'any' && schema.raw === true)

/** Lossless JSON.parse; parts that keep their text get it as the schema says. Throws SyntaxError. */
export function parseJsonText(text: string, schema?: Schema): Json {
  const value = JSON.parse(text) as Json
  const isExact = !(schema && keepsText(schema)) && !hasLongInteger(text) && !hasSurrogateEscape(text) && !mayBeMisread(text)
  return isExact ? value : parseExact(text, schema)
}

/**
 * Parses a text that is known to be JSON. With `spelled`, numbers with a fraction or exponent become symbols for
 * `settle`. Throws SyntaxError when nesting is too deep.
 */
export const parseExact = (text: string, schema?: Schema, spelled = false): Json => new ExactParser(text, spelled).value(schema)

const mayBeTooLarge = /[eE]\+?\d{3}|\d{300}/

/** Parses JSON written by this server, for another encoding: as `parseJsonText`, but numbers beyond a double's range become strings. */
export const parseToShow = (text: string): Json =>
  mayBeTooLarge.test(text) ? new ExactParser(text, false, true).value() : parseJsonText(text)

/**
 * Position of the closing quote of the string that starts here; negative: none, or the string has more than `max` characters. Uses native search,
 * because strings are long.
 */
export function endOfString(text: string, start: number, max = Number.POSITIVE_INFINITY): number {
  for (let at = text.indexOf('"', start + 1); at >= 0 && at - start <= max; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === 0x5c) first--
    if ((at - first) % 2 === 0) return at
  }
  return -1
}

/** The schema of a member, if any part of it keeps its text. */
function memberSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const own = schema?.type === 'message' ? schema.json.get(key)?.schema : schema?.type === 'map' ? schema.values : undefined
  return own && keepsText(own) ? own : undefined
}

const space = /[ \n\r\t]/

/** Removes white space between tokens. */
function compact(text: string): string {
  if (!space.test(text)) return text
  let result = ''
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : endOfString(text, quote) + 1
    result += text.slice(at, quote < 0 ? end : quote).replace(/[ \n\r\t]+/g, '') + (quote < 0 ? '' : text.slice(quote, end))
    at = end
  }
  return result
}

const literals: { readonly [first: string]: Json } = { t: true, f: false, n: null }

class ExactParser {
  readonly #text: string
  readonly #spelled: boolean
  /** Numbers beyond a double's range become strings: parts that keep their text need not be interpreted. */
  #anySize: boolean
  #at = 0
  #depth = 0

  constructor(text: string, spelled: boolean, anySize = false) {
    this.#text = text
    this.#spelled = spelled
    this.#anySize = anySize
  }

  value(schema?: Schema): Json {
    if (schema?.type !== 'any' || !schema.raw || this.#anySize) return this.#value(schema)
    this.#token()
    const start = this.#at
    this.#anySize = true
    const value = this.#value()
    this.#anySize = false
    return withRawText(value, compact(this.#text.slice(start, this.#at)))
  }

  #value(schema?: Schema): Json {
    const first = this.#token()
    if (first === '{' || first === '[') {
      if (++this.#depth > maxDepth) throw new SyntaxError('exceeded max depth')
      const value = first === '{' ? this.#object(schema) : this.#array(schema)
      this.#depth--
      return value
    }
    if (first === '"') return this.#string()
    const literal = literals[first]
    if (literal === undefined) return this.#number()
    this.#at += literal === false ? 5 : 4
    return literal
  }

  /** Skips white space; the position stays on the returned character. */
  #token(): string {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return this.#text.charAt(this.#at)
      this.#at++
    }
  }

  #string(): string {
    const start = this.#at
    this.#at = endOfString(this.#text, start) + 1
    const content = this.#text.slice(start + 1, this.#at - 1)
    if (!content.includes('\\')) return content
    const text = JSON.parse(`"${content}"`) as string
    return hasSurrogateEscape(content) ? wellFormed(text) : text
  }

  #number(): Json {
    const start = this.#at
    while (',]} \n\r\t'.indexOf(this.#text.charAt(this.#at)) < 0 && this.#at < this.#text.length) this.#at++
    const text = this.#text.slice(start, this.#at)
    const value = Number(text)
    if (!Number.isFinite(value)) {
      if (this.#anySize) return text
      if (this.#spelled) return spelledNumber(text)
      throw new NumberRangeError(text)
    }
    if (this.#spelled && /[.eE]/.test(text)) return spelledNumber(text)
    if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return value
    const exact = text.length > maxIntegerLength ? value : exactInteger(BigInt(text))
    return this.#spelled && typeof exact === 'number' ? spelledNumber(text) : exact
  }

  #array(schema: Schema | undefined): Json[] {
    const own = schema?.type === 'list' ? schema.items : undefined
    const items: Json[] = []
    this.#at++
    while (this.#token() !== ']') {
      items.push(this.value(own))
      if (this.#token() === ',') this.#at++
    }
    this.#at++
    return items
  }

  #object(schema: Schema | undefined): JsonObject {
    const object: JsonObject = {}
    this.#at++
    while (this.#token() !== '}') {
      const key = this.#string()
      this.#token()
      this.#at++
      set(object, key, this.value(memberSchema(schema, key)))
      if (this.#token() === ',') {
        this.#at++
        this.#token()
      }
    }
    this.#at++
    return object
  }
}

/** JSON.stringify with bigints; undefined members are omitted. `indent`: spaces per level, default none. */
export function printJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (error instanceof TypeError) return printExact(value, indent ? `\n${' '.repeat(indent)}` : '', '')
    throw error
  }
}

/** `step` is the indentation that one more level adds, with its line feed; `end` the line feed and indentation of this level. */
function printExact(value: unknown, step: string, end: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const text = rawTextOf(value as Json)
  if (text !== undefined) return text
  const open = step === '' ? '' : end === '' ? step : end + step.slice(1)
  const close = step === '' ? '' : end === '' ? '\n' : end
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[${open}${value.map((item) => printExact(item, step, open)).join(`,${open}`)}${close}]`
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return '{}'
  const colon = step === '' ? ':' : ': '
  const texts = members.map(([key, member]) => JSON.stringify(key) + colon + printExact(member, step, open))
  return `{${open}${texts.join(`,${open}`)}${close}}`
}
