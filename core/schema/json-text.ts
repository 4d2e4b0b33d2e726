/**
 * JSON text ↔ values without loss: integers that a double can't hold are bigints. What holds no such number, which is nearly all,
 * is left to the engine's own parser and printer. Parts that keep their text get it here.
 */
import { set } from './members.ts'
import type { Json, JsonObject, Schema } from './model.ts'
import { rawTextOf, withRawText } from './raw-json.ts'
import { reaching } from './reaches.ts'
import { spelledNumber } from './spelled-number.ts'

/** Containers within containers; the parser recurses. */
const maxDepth = 1000
/** Digits of the shortest integer that a double may not hold. */
const longDigits = 16
/** Characters of the longest integer that fits in 64 bits and a sign. */
const longestInteger = 21

/** Characters of a number that its refusal shows. */
const maxShown = 64

/** An integer as a number where a double holds it or 64 bits and a sign do not, as Go reads those as doubles; else as it is. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) || BigInt.asIntN(65, value) !== value ? number : value
}

/** A number is larger than any double. */
export class NumberRangeError extends Error {}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/**
 * Whether a number in the text may be an integer that a double can't hold. Looks at each sixteenth character only: a run of so many
 * digits covers one of them.
 */
export function hasLongInteger(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue
    let first = at
    while (isDigit(text.charCodeAt(first - 1))) first--
    let end = at + 1
    while (isDigit(text.charCodeAt(end))) end++
    if (end - first >= longDigits && beginsNumber(text, first)) return true
    at = Math.max(at, end - longDigits)
  }
  return false
}

/** Whether digits may be a number: they stand behind a token, not within a word. */
function beginsNumber(text: string, first: number): boolean {
  const before = text.charCodeAt(first - 1) === 0x2d ? first - 2 : first - 1
  return before < 0 || ':[, \n\r\t'.includes(text.charAt(before))
}

/** Halves of surrogate pairs that are alone become U+FFFD, as in Go. */
export const wellFormed = (text: string): string => decoder.decode(encoder.encode(text))
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Whether a JSON text may hold escaped halves of surrogate pairs. */
export const hasSurrogateEscape = (text: string): boolean => text.includes('\\ud') || text.includes('\\uD')

/** Schemas with parts that keep their text. */
export const keepsText = reaching((schema) => schema.type === 'any' && schema.raw === true)

/** JSON.parse that loses nothing; parts that keep their text have it where the schema says so. Throws SyntaxError. */
export function parseJsonText(text: string, schema?: Schema): Json {
  const value = JSON.parse(text) as Json
  return (schema && keepsText(schema)) || hasLongInteger(text) || hasSurrogateEscape(text) ? parseExact(text, schema) : value
}

/**
 * Parses a text that is known to be JSON. With `spelled`, numbers that are written with a fraction or an exponent are symbols for
 * `settle`. Throws SyntaxError when it is nested too deep.
 */
export const parseExact = (text: string, schema?: Schema, spelled = false): Json => new ExactParser(text, spelled).value(schema)

const mayBeTooLarge = /[eE]\+?\d{3}|\d{300}/

/** A text of the server's own to show otherwise: as `parseJsonText`, but numbers that are larger than any double are texts. */
export const parseToShow = (text: string): Json =>
  mayBeTooLarge.test(text) ? new ExactParser(text, false, true).value() : parseJsonText(text)

/** The closing quote of the string that begins there; negative: there is none. The search runs in native code, as strings are long. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === 0x5c) first--
    if ((at - first) % 2 === 0) return at
  }
  return -1
}

/** The schema of a member, when there is something in it that keeps its text. */
function memberSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const own = schema?.type === 'message' ? schema.json.get(key)?.schema : schema?.type === 'map' ? schema.values : undefined
  return own && keepsText(own) ? own : undefined
}

const space = /[ \n\r\t]/

/** The text without white space between its tokens. */
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
  /** Numbers that are larger than any double are texts: what keeps its text need not be understood. */
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
      throw new NumberRangeError(`json: cannot unmarshal number ${text.slice(0, maxShown)} into Go value of type float64`)
    }
    if (this.#spelled && /[.eE]/.test(text)) return spelledNumber(text)
    if (Number.isSafeInteger(value) || text.length > longestInteger || !/^-?\d+$/.test(text)) return value
    return exactInteger(BigInt(text))
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

/** JSON.stringify that prints bigints; members that are undefined are left out. `indent`: spaces per level, none by default. */
export function printJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (error instanceof TypeError) return printExact(value, indent ? `\n${' '.repeat(indent)}` : '', '')
    throw error
  }
}

/** `step` is what one more level of indentation adds, with its line feed; `end` the line feed and indentation of this level. */
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
