/**
 * JSON documents of other programs, parsed in time slices: neither their size nor their shape holds the thread. Like `parseJsonText`, without
 * recursion.
 */
import type { Slices } from '../../common/slices.ts'
import type { Json, JsonObject } from '../model.ts'
import { set } from './members.ts'
import { endOfString, exactInteger, hasSurrogateEscape } from './text.ts'

/** What a document may have at most. */
export interface DocumentBounds {
  /** Levels of objects and lists. */
  readonly depth: number
  /** Values, which take some 50 bytes of memory each, however short they are. */
  readonly values: number
  /** Values of a row, such as the definition of a kind: a member or item at the third level. Rows are what later work does without a pause. */
  readonly rowValues: number
}

/** Values between looks at the clock. */
const atOnce = 256
/** Level of rows: those of `{ definitions: { ROW } }`. */
const rowDepth = 2

const space = /[ \n\r\t]*/y
const number = /-?(?:0|[1-9]\d{0,999})(?:\.\d{1,999})?(?:[eE][+-]?\d{1,999})?/y
const integer = /^-?\d{16,20}$/
const literals: { readonly [first: string]: readonly [text: string, value: Json] } = {
  t: ['true', true],
  f: ['false', false],
  n: ['null', null],
}
/** An escape, or a character that must be escaped. */
const special = /[^ -[\]-\uffff]/
/** Maximum characters of a string: what is done with one is done without a pause. */
const maxString = 1024 * 1024
/** Characters of a part of a string from which on V8 refers to the whole string, which would stay in memory. */
const sliced = 13
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Parses a text. Rejects with an Error: it is no JSON, or exceeds a bound. */
export async function parseInSlices(text: string, bounds: DocumentBounds, slices: Slices): Promise<Json> {
  const parser = new SlicedParser(text, bounds)
  while (!parser.advance(atOnce)) if (slices.over) await slices.next()
  return parser.result
}

class SlicedParser {
  readonly #text: string
  readonly #bounds: DocumentBounds
  #at = 0
  #values = 0
  /** Number of the first value of the current row. */
  #row = 0
  /** Containers that have not ended, outermost first, and the current key of each. */
  readonly #open: (JsonObject | Json[])[] = []
  readonly #keys: string[] = []
  /** Of one item: a document in a list, so that its values are set like all others. */
  readonly #results: Json[] = []

  constructor(text: string, bounds: DocumentBounds) {
    this.#text = text
    this.#bounds = bounds
  }

  get result(): Json {
    return this.#results[0] as Json
  }

  /** Reads so many values; whether the text has ended. */
  advance(count: number): boolean {
    for (let left = count; left > 0; left--) {
      const container = this.#value()
      if (container !== undefined && !this.#begins(container)) continue
      if (this.#follows()) continue
      if (this.#at < this.#text.length) throw this.#invalid()
      return true
    }
    return false
  }

  #invalid(): SyntaxError {
    const at = this.#at
    if (at >= this.#text.length) return new SyntaxError('unexpected end of JSON input')
    return new SyntaxError(`invalid character ${JSON.stringify(this.#text.charAt(at))} at position ${at} of JSON input`)
  }

  /** The next character that is no space; the position stays on it. */
  #token(): string {
    space.lastIndex = this.#at
    space.test(this.#text)
    this.#at = space.lastIndex
    return this.#text.charAt(this.#at)
  }

  /** Reads a scalar, or the start of a container, which is returned. */
  #value(): JsonObject | Json[] | undefined {
    const first = this.#token()
    this.#count()
    if (first === '{' || first === '[') {
      if (this.#open.length === this.#bounds.depth) throw new Error(`the document is nested more than ${this.#bounds.depth} levels deep`)
      this.#at++
      const container = first === '{' ? {} : []
      this.#add(container)
      return container
    }
    this.#add(this.#scalar(first))
    return undefined
  }

  #scalar(first: string): Json {
    if (first === '"') return this.#string()
    const literal = literals[first]
    if (literal === undefined) return this.#number()
    const [text, value] = literal
    if (!this.#text.startsWith(text, this.#at)) throw this.#invalid()
    this.#at += text.length
    return value
  }

  #count(): void {
    const { values, rowValues } = this.#bounds
    if (++this.#values > values) throw new Error(`the document has more than ${values} values`)
    if (this.#open.length <= rowDepth) this.#row = this.#values
    if (this.#values - this.#row >= rowValues) throw new Error(`a part of the document has more than ${rowValues} values`)
  }

  #add(value: Json): void {
    const container = this.#open.at(-1) ?? this.#results
    if (Array.isArray(container)) container.push(value)
    else set(container, this.#keys.at(-1) as string, value)
  }

  /** Enters a container, up to its first value; whether it is empty, and has been left again. */
  #begins(container: JsonObject | Json[]): boolean {
    this.#open.push(container)
    this.#keys.push('')
    const isList = Array.isArray(container)
    if (this.#token() !== (isList ? ']' : '}')) {
      if (!isList) this.#key()
      return false
    }
    this.#leave()
    return true
  }

  #leave(): void {
    this.#at++
    this.#open.pop()
    this.#keys.pop()
  }

  /** After a value: leaves the containers that end here; whether another value follows. */
  #follows(): boolean {
    for (;;) {
      const next = this.#token()
      const container = this.#open.at(-1)
      if (container === undefined) return false
      const isList = Array.isArray(container)
      if (next === ',') {
        this.#at++
        if (!isList) this.#key()
        return true
      }
      if (next !== (isList ? ']' : '}')) throw this.#invalid()
      this.#leave()
    }
  }

  #key(): void {
    if (this.#token() !== '"') throw this.#invalid()
    this.#keys[this.#keys.length - 1] = this.#string()
    if (this.#token() !== ':') throw this.#invalid()
    this.#at++
  }

  #string(): string {
    const start = this.#at
    const end = endOfString(this.#text, start, maxString)
    if (end < 0) throw new SyntaxError(`a string has no end, or more than ${maxString} characters`)
    this.#at = end + 1
    const content = this.#text.slice(start + 1, end)
    if (content.length < sliced && !special.test(content)) return content
    const text = JSON.parse(this.#text.slice(start, end + 1)) as string
    // Lone surrogates are U+FFFD, as in Go.
    return hasSurrogateEscape(content) ? decoder.decode(encoder.encode(text)) : text
  }

  #number(): Json {
    number.lastIndex = this.#at
    const [text] = number.exec(this.#text) ?? []
    if (text === undefined) throw this.#invalid()
    this.#at += text.length
    const value = Number(text)
    if (!Number.isFinite(value)) throw new Error('a number of the document exceeds the range of a float64')
    return Number.isSafeInteger(value) || !integer.test(text) ? value : exactInteger(BigInt(text))
  }
}
