import type { WireType } from '@bufbuild/protobuf/wire'
import { utf8Length } from '../bytes.ts'

const encoder = new TextEncoder()
/** Up to this length, a loop over the characters is faster than TextEncoder. */
const shortText = 48
const firstSize = 1_024
/** Maximum bytes of a buffer that is kept for the next message by default. */
const largestKept = 64 * 1_024

/** Tag: field number and wire type. */
export const tagOf = (field: number, wire: WireType) => ((field << 3) | wire) >>> 0

/**
 * Writes protobuf backwards: when the length of a message is due, its content has been written. So fields are written in
 * reverse order: first the value, then the length, then the tag.
 */
export class ProtobufWriter {
  #bytes: Uint8Array
  /** Start of the written bytes. */
  #start: number

  /** `size`: initial buffer size in bytes. */
  constructor(size = firstSize) {
    this.#bytes = new Uint8Array(size)
    this.#start = size
  }

  /** Discards the content and keeps the buffer, unless it has more than `kept` bytes. `size`: expected bytes of the next content. */
  reset(kept = largestKept, size = firstSize): void {
    if (this.#bytes.length > kept || this.#bytes.length < size) this.#bytes = new Uint8Array(size)
    this.#start = this.#bytes.length
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  /** A copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(this.#start)
  }

  /** The written bytes without a copy: the writer must not be used any more. */
  view(): Uint8Array {
    return this.#bytes.subarray(this.#start)
  }

  /** Writes a nested message (by `write`), then its length. */
  nested(write: () => void): void {
    const before = this.length
    write()
    this.uint32(this.length - before)
  }

  /** Writes an unsigned number below 2^32. */
  uint32(value: number): void {
    const size = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
    let at = this.#reserve(size)
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 0x80) {
        this.#bytes[at] = rest
        return
      }
      this.#bytes[at++] = (rest & 0x7f) | 0x80
    }
  }

  /** Writes a signed 64-bit number; negative ones take ten bytes. */
  int64(value: number | bigint): void {
    if (value >= 0 && value <= 0xffffffff) {
      this.uint32(Number(value))
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    this.raw(bytes)
  }

  double(value: number): void {
    const at = this.#reserve(8)
    new DataView(this.#bytes.buffer).setFloat64(at, value, true)
  }

  /** Writes bytes without length. */
  raw(bytes: ArrayLike<number>): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes)
    this.uint32(bytes.length)
  }

  /** Space in front of what is written, which the caller fills with so many bytes, from `place` on. */
  space(size: number): Uint8Array {
    this.#reserve(size)
    return this.#bytes
  }

  /** Where the written bytes begin. */
  get place(): number {
    return this.#start
  }

  /** A text that has a character for each byte. */
  latin1(text: string): void {
    const at = this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) this.#bytes[at + i] = text.charCodeAt(i)
    this.uint32(text.length)
  }

  string(text: string): void {
    const size = this.#ascii(text) ? text.length : this.#unicode(text)
    this.uint32(size)
  }

  /** Writes an ASCII string; returns false, with nothing written, for others. */
  #ascii(text: string): boolean {
    const at = this.#reserve(text.length)
    const written = text.length > shortText ? this.#encode(text, at, text.length) : this.#copy(text, at)
    if (written !== text.length) this.#start += text.length
    return written === text.length
  }

  #unicode(text: string): number {
    const size = utf8Length(text)
    this.#encode(text, this.#reserve(size), size)
    return size
  }

  /** Number of characters encoded. */
  #encode(text: string, at: number, size: number): number {
    return encoder.encodeInto(text, this.#bytes.subarray(at, at + size)).read
  }

  /** Number of characters copied, up to the first non-ASCII one. */
  #copy(text: string, at: number): number {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) return i
      this.#bytes[at + i] = code
    }
    return text.length
  }

  /** Reserves space in front; returns its start. */
  #reserve(size: number): number {
    if (this.#start < size) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + size))
      const start = grown.length - this.length
      grown.set(this.#bytes.subarray(this.#start), start)
      this.#bytes = grown
      this.#start = start
    }
    this.#start -= size
    return this.#start
  }
}
