/**
 * Encodes JSON values as CBOR, as the reference does (apimachinery, runtime/serializer/cbor): texts are byte strings, bytes have the tag of base64,
 * numbers are as short as they can be.
 */

import { concatenate } from '../bytes.ts'
import { decodeBase64 } from '../formats/base64.ts'
import { encodeUtf8 } from '../formats/utf8.ts'
import { memberOf } from '../go/spelled-number.ts'
import { rawTextOf } from '../json/raw.ts'
import { parseJsonText } from '../json/text.ts'
import type { Json, JsonObject, Schema } from '../model.ts'
import { halfFloat, magic, major } from './head.ts'

/** Tag of byte strings that are base64 in JSON (RFC 8949 section 3.4.5.2). */
const base64Tag = 22
const [isFalse, isTrue, isNull] = [0xf4, 0xf5, 0xf6]

/** Orders of the members of objects: that of RFC 8949 section 4.2.1, or the given one, which costs nothing. */
export type Order = 'deterministic' | 'given'

const firstSize = 1024

class Writer {
  #bytes = new Uint8Array(firstSize)
  #view = new DataView(this.#bytes.buffer)
  #at = 0

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at)
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = value
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  head(type: number, argument: number | bigint): void {
    this.#reserve(9)
    const first = type << 5
    const view = this.#view
    if (argument < 24) view.setUint8(this.#at++, first | Number(argument))
    else if (argument < 0x100) this.#sized(first | 24, 1, (at) => view.setUint8(at, Number(argument)))
    else if (argument < 0x1_0000) this.#sized(first | 25, 2, (at) => view.setUint16(at, Number(argument)))
    else if (argument < 0x1_0000_0000) this.#sized(first | 26, 4, (at) => view.setUint32(at, Number(argument)))
    else this.#sized(first | 27, 8, (at) => view.setBigUint64(at, BigInt(argument)))
  }

  #sized(first: number, size: number, write: (at: number) => void): void {
    this.#view.setUint8(this.#at, first)
    write(this.#at + 1)
    this.#at += size + 1
  }

  /** A float in the fewest bytes that hold it. */
  float(value: number): void {
    this.#reserve(9)
    const view = this.#view
    const half = Math.fround(value) === value ? halfBits(value) : undefined
    if (half !== undefined) this.#sized(0xf9, 2, (at) => view.setUint16(at, half))
    else if (Math.fround(value) === value) this.#sized(0xfa, 4, (at) => view.setFloat32(at, value))
    else this.#sized(0xfb, 8, (at) => view.setFloat64(at, value))
  }

  bytes(bytes: Uint8Array): void {
    this.head(major.bytes, bytes.length)
    this.append(bytes)
  }
}

/** The half-precision float of a single-precision one; undefined: there is none. */
function halfBits(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size))
  const units = size * 2 ** (10 - exponent)
  if (exponent > 15 || !Number.isInteger(units)) return undefined
  const bits = sign | (size < 2 ** -14 ? units : ((exponent + 15) << 10) | (units - 1024))
  return Object.is(halfFloat(bits), value) ? bits : undefined
}

class Encoder {
  readonly writer = new Writer()
  readonly #order: Order

  constructor(order: Order) {
    this.#order = order
  }

  value(value: Json | undefined, schema: Schema | undefined): void {
    const { writer } = this
    if (typeof value === 'string') this.#string(value, schema)
    else if (typeof value === 'number') this.#number(value, schema)
    else if (typeof value === 'bigint') this.#integer(value)
    else if (typeof value === 'boolean') writer.byte(value ? isTrue : isFalse)
    else if (value === null || value === undefined) writer.byte(isNull)
    else this.#container(value, schema)
  }

  #string(text: string, schema: Schema | undefined): void {
    if (schema?.type === 'bytes') {
      this.writer.head(major.tag, base64Tag)
      this.writer.bytes(decodeBase64(text))
    } else this.writer.bytes(encodeUtf8(text))
  }

  #number(value: number, schema: Schema | undefined): void {
    if (Number.isSafeInteger(value) && schema?.type !== 'double') this.#integer(value)
    else this.writer.float(value)
  }

  /** As Go, integers of more than 64 bits with their sign are floats. */
  #integer(value: number | bigint): void {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) this.writer.float(Number(value))
    else if (value >= 0) this.writer.head(major.unsigned, value)
    else this.writer.head(major.negative, typeof value === 'bigint' ? -1n - value : -1 - value)
  }

  #container(value: Json[] | JsonObject, schema: Schema | undefined): void {
    const text = rawTextOf(value)
    if (text !== undefined) this.value(parseJsonText(text), undefined)
    else if (Array.isArray(value)) this.#list(value, schema)
    else this.#object(value, schema)
  }

  #list(list: readonly Json[], schema: Schema | undefined): void {
    const items = schema?.type === 'list' ? schema.items : undefined
    this.writer.head(major.array, list.length)
    for (const item of list) this.value(item, items)
  }

  #object(object: JsonObject, schema: Schema | undefined): void {
    const names = Object.keys(object).filter((name) => object[name] !== undefined)
    this.writer.head(major.map, names.length)
    const members = names.map((name) => ({ name, key: encodeUtf8(name) }))
    if (this.#order === 'deterministic') members.sort((one, other) => compareKeys(one.key, other.key))
    for (const { name, key } of members) {
      this.writer.bytes(key)
      this.value(object[name], memberOf(schema, name))
    }
  }
}

/** By their encodings, in which the length comes first. */
function compareKeys(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return one.length - other.length
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number)
}

/** Encodes a value, with the tag that marks it as CBOR. `schema` says which texts are bytes. */
export function encodeCbor(value: Json, order: Order, schema?: Schema): Uint8Array<ArrayBuffer> {
  const encoder = new Encoder(order)
  encoder.writer.append(new Uint8Array(magic))
  encoder.value(value, schema)
  return encoder.writer.written
}

/** An encoded item of a list, in the given order. */
export function encodeCborItem(value: Json, schema: Schema | undefined): Uint8Array<ArrayBuffer> {
  const encoder = new Encoder('given')
  encoder.value(value, schema)
  return encoder.writer.written
}

/** The start of an object whose last member is a list of so many items, which follow. */
export function cborListStart(head: JsonObject, member: string, count: number): Uint8Array<ArrayBuffer> {
  const { writer } = new Encoder('given')
  writer.append(new Uint8Array(magic))
  writer.head(major.map, Object.keys(head).length + 1)
  for (const [name, value] of Object.entries(head)) {
    writer.bytes(encodeUtf8(name))
    writer.append(encodeCborItem(value, undefined))
  }
  writer.bytes(encodeUtf8(member))
  writer.head(major.array, count)
  return writer.written
}

/** An encoded map of a text and of a value that is encoded, in the tag of CBOR: an event of a watch. */
export function encodeEvent(type: string, object: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = new Writer()
  writer.head(major.map, 2)
  for (const text of ['type', type, 'object']) writer.bytes(encodeUtf8(text))
  return concatenate([new Uint8Array(magic), writer.written, object]) as Uint8Array<ArrayBuffer>
}

/** Whether bytes are marked as CBOR. */
export const isCbor = (bytes: Uint8Array): boolean => magic.every((byte, at) => bytes[at] === byte)
