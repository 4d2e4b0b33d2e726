/** Heads of CBOR data items (RFC 8949 section 3). */
import { DecodeError } from '../decode-error.ts'

/** Major types. */
export const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const
/** Additional information of an item without a length, which a break ends. */
export const indefinite = 31
/** Go's greatest integer. */
const maxInteger = 2n ** 63n - 1n
const breakCode = 0xff
/** The head of the tag that marks CBOR as such (RFC 8949 section 3.4.6). */
export const magic: readonly number[] = [0xd9, 0xd9, 0xf7]

const names = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives'] as const

/** Name of a major type in errors. */
export const nameOf = (type: number): string => names[type] as string

export const unexpectedEnd = () => new DecodeError('unexpected EOF')

/** The half-precision float of these bits. */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}

/** Bytes of the argument behind the first byte, by additional information. */
const argumentSizes: { readonly [info: number]: number } = { 24: 1, 25: 2, 26: 4, 27: 8 }

/** Reads the heads of one data item after the other. */
export class HeadReader {
  readonly bytes: Uint8Array
  readonly #view: DataView
  at = 0
  /** Major type of the last head. */
  type = 0
  /** Additional information of the last head. */
  info = 0
  /** Argument of the last head; inexact beyond 2^53, as `exact` is not. */
  argument = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Major type of the next item. */
  get next(): number {
    return (this.bytes[this.at] as number) >> 5
  }

  /** Whether the next byte is a break. */
  get atBreak(): boolean {
    return this.bytes[this.at] === breakCode
  }

  get ended(): boolean {
    return this.at >= this.bytes.length
  }

  /** Reads a head. Throws DecodeError when it is cut off or malformed. */
  read(): void {
    if (this.ended) throw unexpectedEnd()
    const first = this.bytes[this.at++] as number
    this.type = first >> 5
    this.info = first & 31
    this.argument = this.info
    if (this.info < 24) return
    const size = argumentSizes[this.info]
    if (size !== undefined) this.#readArgument(size)
    else if (this.info !== indefinite || this.type < major.bytes || this.type === major.tag)
      throw new DecodeError(`cbor: invalid additional information ${this.info} for type ${nameOf(this.type)}`)
    else if (this.type === major.simple) throw new DecodeError('cbor: unexpected "break" code')
  }

  #readArgument(size: number): void {
    if (this.bytes.length - this.at < size) throw unexpectedEnd()
    const view = this.#view
    if (size === 1) this.argument = view.getUint8(this.at)
    else if (size === 2) this.argument = view.getUint16(this.at)
    else if (size === 4) this.argument = view.getUint32(this.at)
    else this.argument = view.getUint32(this.at) * 2 ** 32 + view.getUint32(this.at + 4)
    this.at += size
    if (this.type !== major.simple) return
    if (size > 1) refuseUnbounded(this.float)
    else if (this.argument < 32) throw new DecodeError(`cbor: invalid simple value ${this.argument} for type ${nameOf(this.type)}`)
  }

  /** The argument of eight bytes. */
  get exact(): bigint {
    return this.#view.getBigUint64(this.at - 8)
  }

  /** Whether the argument exceeds Go's integers, which have 64 bits with their sign. */
  get overflows(): boolean {
    return this.info === 27 && this.exact > maxInteger
  }

  /** The float of the last head. */
  get float(): number {
    if (this.info === 25) return halfFloat(this.argument)
    return this.info === 26 ? this.#view.getFloat32(this.at - 4) : this.#view.getFloat64(this.at - 8)
  }
}

/** JSON has neither. */
function refuseUnbounded(value: number): void {
  if (Number.isFinite(value)) return
  throw unaccepted(major.simple, `floating-point ${Number.isNaN(value) ? 'NaN' : 'infinity'}`)
}

/** The error for an item that JSON has no form of. */
export const unaccepted = (type: number, what: string) =>
  new DecodeError(`cbor: data item of cbor type ${nameOf(type)} is not accepted by protocol: ${what}`)
