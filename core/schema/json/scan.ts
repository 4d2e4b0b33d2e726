/**
 * Finds members in JSON bytes (UTF-8) without parsing the rest: the only place that looks for structure in JSON. It knows strings, escapes
 * and depth, so a text that looks like a member inside a string, or deeper down, is not one. The bytes must be JSON; in truncated
 * bytes the search ends at their end.
 */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from './bytes.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A member's name to search for. */
export class Name {
  readonly text: string
  /** The name as JSON without quotes, in its shortest spelling. */
  readonly bytes: Uint8Array
  constructor(text: string) {
    this.text = text
    this.bytes = encoder.encode(JSON.stringify(text).slice(1, -1))
  }
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Position of the next byte that is not white space. */
function skipSpace(json: Uint8Array, start: number): number {
  let at = start
  while (isSpace(json[at])) at++
  return at
}

/** Strings of more bytes are searched natively, which costs a call. */
const shortString = 64

/** Position of the closing quote of the string that starts here. */
export function closingQuote(json: Uint8Array, start: number): number {
  const near = Math.min(start + shortString, json.length)
  let at = start + 1
  for (; at < near; at++) {
    const byte = json[at]
    if (byte === quote) return at
    if (byte === backslash) at++
  }
  for (;;) {
    const found = json.indexOf(quote, at)
    if (found < 0) return json.length
    let first = found
    while (first > at && json[first - 1] === backslash) first--
    if ((found - first) % 2 === 0) return found
    at = found + 1
  }
}

/** Position after the value that starts here. */
export function endOfValue(json: Uint8Array, start: number): number {
  const first = json[start]
  if (first === quote) return closingQuote(json, start) + 1
  const { length } = json
  let at = start
  if (first !== openBrace && first !== openBracket) {
    for (; at < length; at++) {
      const byte = json[at]
      if (byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte)) return at
    }
    return length
  }
  let depth = 0
  for (; at < length; at++) {
    const byte = json[at]
    if (byte === quote) {
      // Most strings are short: a loop takes half the time of a call for each.
      const near = Math.min(at + shortString, length)
      at++
      while (at < near) {
        const inner = json[at]
        if (inner === quote) break
        at += inner === backslash ? 2 : 1
      }
      if (at >= near) at = closingQuote(json, at - 1)
    } else if (byte === openBrace || byte === openBracket) depth++
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1
  }
  return length
}

/**
 * The values of an object or list, one after the other. `next` must have returned true before a position is read. A value that was read with
 * another instance is not skipped again if its end is passed to `next`.
 */
export class Values {
  readonly #json: Uint8Array
  readonly #isObject: boolean
  /** Position after the previous value; at first after the opening brace. */
  before: number
  /** Opening quote of the member's name. In lists as `start`. */
  nameStart = 0
  #nameEnd = 0
  /** Start of the value. */
  start = 0
  #end = 0
  /** Position after the closing brace, after `next` has returned false; 0: the bytes are truncated. */
  closed = 0

  /** `at`: the opening brace or bracket. */
  constructor(json: Uint8Array, at: number) {
    this.#json = json
    this.#isObject = json[at] === openBrace
    this.before = at + 1
  }

  /** Position after the value. */
  get end(): number {
    if (this.#end === 0) this.#end = endOfValue(this.#json, this.start)
    return this.#end
  }

  /** Goes to the first or next value. `end`: position after the current one, if known. */
  next(end?: number): boolean {
    const json = this.#json
    if (this.start > 0) this.before = end ?? this.end
    this.#end = 0
    let at = skipSpace(json, this.before)
    if (this.start > 0 && json[at] === comma) at = skipSpace(json, at + 1)
    const byte = json[at]
    if (byte === closeBrace || byte === closeBracket) this.closed = at + 1
    if (byte === closeBrace || byte === closeBracket || byte === undefined) return false
    this.nameStart = at
    if (this.#isObject) {
      this.#nameEnd = closingQuote(json, at)
      at = skipSpace(json, this.#nameEnd + 1)
      if (json[at] !== colon) return false
      at = skipSpace(json, at + 1)
    }
    this.start = at
    return true
  }

  /** Whether this is the name of the current member. */
  is({ bytes, text }: Name): boolean {
    const json = this.#json
    const length = this.#nameEnd - this.nameStart - 1
    if (length < bytes.length) return false
    if (length === bytes.length && this.#hasBytes(bytes)) return true
    if (!this.#isEscaped()) return false
    return JSON.parse(decoder.decode(json.subarray(this.nameStart, this.#nameEnd + 1))) === text
  }

  #hasBytes(bytes: Uint8Array): boolean {
    const start = this.nameStart + 1
    for (let index = 0; index < bytes.length; index++) if (this.#json[start + index] !== bytes[index]) return false
    return true
  }

  #isEscaped(): boolean {
    for (let at = this.nameStart + 1; at < this.#nameEnd; at++) if (this.#json[at] === backslash) return true
    return false
  }

  get isObject(): boolean {
    return this.#json[this.start] === openBrace
  }

  get isList(): boolean {
    return this.#json[this.start] === openBracket
  }
}

const integer = /^(?:0|-?[1-9]\d*)$/

/** The text of a scalar, as `String` makes it; empty for null, objects and lists. */
function scalarText(json: Uint8Array, start: number, end: number): string {
  const first = json[start]
  if (first === openBrace || first === openBracket) return ''
  const text = decoder.decode(json.subarray(start, end))
  if (text === 'null') return ''
  if (integer.test(text)) return text
  if (first === quote && !text.includes('\\')) return text.slice(1, -1)
  return String(JSON.parse(text))
}

/** The text of the scalar at a path in an object; empty when absent. */
export function textAt(json: Uint8Array, path: readonly Name[]): string {
  let at = 0
  for (const [depth, name] of path.entries()) {
    if (json[at] !== openBrace) return ''
    const members = new Values(json, at)
    let found: [start: number, end: number] | undefined
    while (members.next()) if (members.is(name)) found = [members.start, members.end]
    if (found === undefined) return ''
    if (depth === path.length - 1) return scalarText(json, ...found)
    at = found[0]
  }
  return ''
}
