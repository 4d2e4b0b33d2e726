/**
 * Reads JSON bytes and writes protobuf in one pass: a cursor in the JSON, and an output that grows. The JSON must be valid, as what this server
 * prints and stores.
 */

import { BufferPool } from '../bytes.ts'
import { decodeBase64 } from '../formats/base64.ts'
import { parseDuration } from '../formats/duration.ts'
import { parseTime, plainSecondsAt } from '../formats/time.ts'
import type { RepeatedValues } from '../protobuf/repeated-values.ts'
import { Written } from '../protobuf/written.ts'
import type { openBrace, openBracket } from './bytes.ts'
import { backslash, closeBrace, closeBracket, colon, comma, firstOfNull, firstOfTrue, minus, quote, zero } from './bytes.ts'
import { closingQuote, endOfValue } from './scan.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const nothing: Uint8Array = new Uint8Array(0)
const firstSize = 16 * 1024
/** Maximum bytes of a buffer that is kept for the next value. */
const largestKept = 256 * 1024
/** Strings up to this length are copied byte by byte, longer ones by the engine. */
const shortString = 64
/** Messages whose sizes are told apart. */
const sizes = 256
/** Digits of an integer that a double holds whatever they are. */
const safeDigits = 15

/** Bytes of an unsigned number below 2^32. */
export const varintSize = (value: number) => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5)

/** Tag, below 128, and length of a record. */
export function recordHead(tag: number, length: number): Uint8Array {
  const head = new Uint8Array(1 + varintSize(length))
  head[0] = tag
  writeVarint(head, 1, length)
  return head
}

function writeVarint(bytes: Uint8Array, start: number, value: number): void {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at] = rest
}

export class Transcoder {
  json = nothing
  #viewed = nothing
  #view = new DataView(nothing.buffer)
  readonly #input = new BufferPool()
  /** Position in the JSON. */
  at = 0
  out: Uint8Array
  /** Length of the output. */
  end = 0
  /** The fields of the messages that are being written. */
  readonly written = new Written()
  readonly repeated: RepeatedValues | undefined
  /** The size of the latest length of a message, by the message's hash. */
  readonly #sizes = new Uint8Array(sizes)

  /** `size`: of the first output, in bytes. `repeated`: for values of which others follow. */
  constructor(size = firstSize, repeated?: RepeatedValues) {
    this.out = new Uint8Array(size)
    this.repeated = repeated
  }

  /** The JSON, to read several bytes of it at once. */
  view(): DataView {
    const { json } = this
    if (this.#viewed !== json) {
      this.#viewed = json
      this.#view = new DataView(json.buffer, json.byteOffset, json.byteLength)
    }
    return this.#view
  }

  /** Starts anew, with JSON in pieces. */
  reset(pieces: readonly Uint8Array[]): void {
    this.json = this.#input.join(pieces)
    this.at = 0
    this.end = 0
    this.written.size = 0
  }

  /** A copy of the output; the JSON is let go. */
  finish(): Uint8Array {
    const written = this.out.slice(0, this.end)
    this.json = nothing
    if (this.out.length > largestKept) this.out = new Uint8Array(firstSize)
    return written
  }

  // ── Reading ───────────────────────────────────────────────────────────────────────────────────

  /** The next byte that is not white space; the position stays on it. */
  peek(): number {
    const { json } = this
    let at = this.at
    let byte = json[at] as number
    while (byte === 0x20 || (byte <= 0x0d && byte >= 0x09)) byte = json[++at] as number
    this.at = at
    return byte
  }

  get isNull(): boolean {
    return this.peek() === firstOfNull
  }

  /** Enters an object or list; false, with the position behind it, when it is null or no such value. */
  enter(opening: typeof openBrace | typeof openBracket): boolean {
    if (this.peek() === opening) {
      this.at++
      return true
    }
    this.skip()
    return false
  }

  /** Goes to the next value of an object or list: false, with the position behind it, at its end. */
  more(): boolean {
    let byte = this.peek()
    if (byte === comma) {
      this.at++
      byte = this.peek()
    }
    if (byte !== closeBrace && byte !== closeBracket && byte !== undefined) return true
    this.at++
    return false
  }

  /** Goes from a member's name to its value. */
  toValue(): void {
    if (this.peek() !== colon) throw new SyntaxError(`no JSON: a colon is missing at byte ${this.at}`)
    this.at++
    this.peek()
  }

  /** Skips a value. */
  skip(): void {
    this.at = endOfValue(this.json, this.at)
  }

  /** The text of a value as it stands there. */
  text(): string {
    const start = this.at
    this.skip()
    return decoder.decode(this.json.subarray(start, this.at))
  }

  /** A string's content; that of another value: its text. */
  string(): string {
    if (this.peek() !== quote) return this.text()
    const start = this.at
    const close = closingQuote(this.json, start)
    this.at = close + 1
    const content = decoder.decode(this.json.subarray(start + 1, close))
    return content.includes('\\') ? (JSON.parse(`"${content}"`) as string) : content
  }

  /** Whether the value is true. */
  bool(): boolean {
    const isTrue = this.peek() === firstOfTrue
    this.skip()
    return isTrue
  }

  number(): number | bigint {
    this.peek()
    const { json } = this
    const start = this.at
    const isNegative = json[start] === minus
    let at = isNegative ? start + 1 : start
    const first = at
    let value = 0
    for (; at - first <= safeDigits; at++) {
      const digit = (json[at] as number) - zero
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    const after = json[at]
    const isPlain = at > first && at - first <= safeDigits && (after === comma || after === closeBrace || after === closeBracket)
    if (isPlain) {
      this.at = at
      return isNegative ? -value : value
    }
    const text = this.text()
    if (text === 'null') return 0
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text)
  }

  // ── Writing ───────────────────────────────────────────────────────────────────────────────────

  /** Makes room for some bytes behind the output. */
  reserve(size: number): void {
    if (this.end + size <= this.out.length) return
    const grown = new Uint8Array(Math.max(this.out.length * 2, this.end + size))
    grown.set(this.out.subarray(0, this.end))
    this.out = grown
  }

  /** Writes bytes of a few fields. */
  bytes(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.reserve(to - from)
    const { out } = this
    let end = this.end
    for (let at = from; at < to; at++) out[end++] = bytes[at] as number
    this.end = end
  }

  /** Writes many bytes. */
  copy(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.out.set(bytes, this.end)
    this.end += bytes.length
  }

  /** Writes bytes of the output again. */
  again(from: number, to: number): void {
    this.reserve(to - from)
    this.out.copyWithin(this.end, from, to)
    this.end += to - from
  }

  /** Puts the output from `from` on in place of that from `first` on. */
  replace(first: number, from: number): void {
    this.out.copyWithin(first, from, this.end)
    this.end -= from - first
  }

  /** Writes what another JSON says, and goes on with this one. */
  within(json: Uint8Array, write: (to: Transcoder) => void): void {
    const { json: own, at } = this
    this.json = json
    this.at = 0
    write(this)
    this.json = own
    this.at = at
  }

  /** Writes an unsigned number below 2^32. */
  varint(value: number): void {
    this.reserve(5)
    writeVarint(this.out, this.end, value)
    this.end += varintSize(value)
  }

  /** Writes a signed 64-bit number; negative ones take ten bytes. */
  int64(value: number | bigint): void {
    if (value >= 0 && value <= 0xffffffff) {
      this.varint(Number(value))
      return
    }
    this.reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest >= 0x80n; rest >>= 7n) this.out[this.end++] = Number(rest & 0x7fn) | 0x80
    this.out[this.end++] = Number(rest)
  }

  double(value: number): void {
    this.reserve(8)
    new DataView(this.out.buffer).setFloat64(this.end, value, true)
    this.end += 8
  }

  /** Size of the length of a message, as it was the last time. */
  usualSize(hash: number): number {
    return this.#sizes[hash & (sizes - 1)] || 1
  }

  learnSize(hash: number, size: number): void {
    this.#sizes[hash & (sizes - 1)] = size
  }

  /** Leaves room for the length of what follows, of `size` bytes as far as is known; returns the position for `close`. */
  open(size: number): number {
    this.reserve(size)
    const start = this.end
    this.end += size
    return start
  }

  /** Writes the length into that room, which is widened or narrowed if necessary; returns the size of the length. */
  close(start: number, size: number): number {
    const length = this.end - start - size
    const needed = varintSize(length)
    if (needed !== size) {
      this.reserve(needed)
      this.out.copyWithin(start + needed, start + size, this.end)
      this.end += needed - size
    }
    writeVarint(this.out, start, length)
    return needed
  }

  /** Writes a text with its length. */
  writeText(text: string): void {
    const maxSize = text.length * 3
    const size = varintSize(text.length)
    const start = this.open(size)
    this.reserve(maxSize)
    this.end += encoder.encodeInto(text, this.out.subarray(this.end)).written
    this.close(start, size)
  }

  // ── From JSON to protobuf ─────────────────────────────────────────────────────────────────────

  /** A string with its length; null: an empty one. */
  copyString(): void {
    if (this.peek() !== quote) {
      const isNull = this.isNull
      const text = this.text()
      this.writeText(isNull ? '' : text)
      return
    }
    this.reserve(shortString + 1)
    const { json, out, end } = this
    const start = this.at + 1
    const shift = end + 1 - start
    const far = start + shortString
    let at = start
    for (; at < far; at++) {
      const byte = json[at] as number
      if (byte === quote) {
        out[end] = at - start
        this.end = at + shift
        this.at = at + 1
        return
      }
      if (byte === backslash) break
      out[at + shift] = byte
    }
    const close = closingQuote(json, this.at)
    const content = json.subarray(start, close)
    if (content.includes(backslash)) {
      this.writeText(this.string())
      return
    }
    this.at = close + 1
    this.varint(content.length)
    this.copy(content)
  }

  /** The bytes of a string in base64, with their length. */
  copyBase64(): void {
    const bytes = decodeBase64(this.isNull ? '' : this.string())
    if (this.isNull) this.skip()
    this.varint(bytes.length)
    this.copy(bytes)
  }

  /** A time as a message; a value that is none: an empty one. `fraction`: with microseconds. */
  copyTime(fraction: boolean): void {
    const start = this.open(1)
    const plain = this.peek() === quote ? plainSecondsAt(this.json, this.at + 1) : undefined
    if (plain !== undefined && this.json[this.at + 21] === quote) {
      this.at += 22
      this.#time(plain, 0)
    } else {
      const isText = this.json[this.at] === quote
      const instant = parseTime(this.string())
      if (isText && instant !== undefined) this.#time(instant.seconds, fraction ? instant.nanos - (instant.nanos % 1000) : 0)
    }
    this.close(start, 1)
  }

  #time(seconds: number, nanos: number): void {
    this.varint(0x08)
    this.int64(seconds)
    this.varint(0x10)
    this.varint(nanos)
  }

  /** A quantity as a message. */
  copyQuantity(): void {
    const start = this.open(1)
    this.varint(0x0a)
    this.copyString()
    this.close(start, 1)
  }

  /** A duration as a message. */
  copyDuration(): void {
    const start = this.open(1)
    this.varint(0x08)
    this.int64(this.isNull ? 0 : parseDuration(this.string()))
    if (this.isNull) this.skip()
    this.close(start, 1)
  }

  copyIntOrString(): void {
    const start = this.open(1)
    const isText = this.peek() === quote
    this.varint(0x08)
    this.varint(isText ? 1 : 0)
    this.varint(0x10)
    this.int64(isText ? 0 : this.number())
    this.varint(0x1a)
    if (isText) this.copyString()
    else this.varint(0)
    this.close(start, 1)
  }
}
