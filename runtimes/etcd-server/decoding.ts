/**
 * Requests of protobuf as tables of their fields, for protocols whose messages are few and flat. As in proto3, a field that is missing has its
 * default.
 */
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../core/schema/decode-error.ts'
import { expectWire, reading, readNumber, readRecord } from '../../core/schema/protobuf/records.ts'

/** Maximum depth of messages in messages. */
const maxDepth = 100

/** A field of a request; `T` is the type of its value. */
export interface Field<T> {
  readonly number: number
  /** Absent: `read` accepts several. */
  readonly wire?: WireType
  readonly initial: T
  /** The value after a further one was read: repeated fields add to what is there. */
  read(reader: BinaryReader, before: T, depth: number, wire: WireType): T
}

/** Reads a message of `length` bytes. */
export type Decoder<V> = (reader: BinaryReader, length: number, depth: number) => V

/** The value that a decoder reads. */
export type Decoded<D> = D extends Decoder<infer V> ? V : never

type Values<F> = { readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never }

/** A message type, by the names of its fields. Unknown fields are skipped. */
export function request<F extends { readonly [name: string]: unknown }>(fields: F): Decoder<Values<F>> {
  const rows = Object.entries(fields as { readonly [name: string]: Field<unknown> })
  const initial = Object.fromEntries(rows.map(([name, field]) => [name, field.initial]))
  const byNumber = new Map(rows.map(([name, field]) => [field.number, { name, field }]))
  return (reader, length, depth) => {
    if (depth > maxDepth) throw new DecodeError('proto: messages are nested too deeply')
    const value = { ...initial }
    readRecord(reader, length, (number, wire) => {
      const row = byNumber.get(number)
      if (row === undefined) return false
      if (row.field.wire !== undefined) expectWire(wire, row.field.wire, row.name)
      value[row.name] = row.field.read(reader, value[row.name], depth, wire)
      return true
    })
    return value as Values<F>
  }
}

/** @throws DecodeError when the message is malformed. */
export const decode = <V>(decoder: Decoder<V>, bytes: Uint8Array): V => reading(bytes, (reader) => decoder(reader, bytes.length, 0))

const scalar = <T>(number: number, wire: WireType, initial: T, read: (reader: BinaryReader) => T): Field<T> => ({
  number,
  wire,
  initial,
  read,
})

/** int64, int32 or an enumeration, for values below 2^53. */
export const int = (number: number) => scalar(number, WireType.Varint, 0, readNumber)

/** int64 with all of its bits, such as the ID of a lease. */
export const int64 = (number: number) => scalar(number, WireType.Varint, 0n, (reader) => BigInt(reader.int64()))

export const uint64 = (number: number) => scalar(number, WireType.Varint, 0n, (reader) => BigInt(reader.uint64()))

export const bool = (number: number) => scalar(number, WireType.Varint, false, (reader) => reader.bool())

export const string = (number: number) => scalar(number, WireType.LengthDelimited, '', (reader) => reader.string())

/** A copy: the message may be in a buffer that is used again. */
export const bytes = (number: number) =>
  scalar(number, WireType.LengthDelimited, new Uint8Array(0), (reader) => new Uint8Array(reader.bytes()))

/** Bytes as a text that has a character for each: any bytes can be compared, and be keys of a map. */
export const key = (number: number) =>
  scalar(number, WireType.LengthDelimited, '', (reader) => {
    const { buffer, byteOffset, length } = reader.bytes()
    return Buffer.from(buffer, byteOffset, length).toString('latin1')
  })

/** A message; undefined: it is missing. `decoder` is asked for when it is needed, so that types may refer to each other. */
export const nested = <V>(number: number, decoder: () => Decoder<V>): Field<V | undefined> => ({
  number,
  wire: WireType.LengthDelimited,
  initial: undefined,
  read: (reader, _before, depth) => decoder()(reader, reader.uint32(), depth + 1),
})

/** Several values of a field. */
export const repeated = <T>(field: Field<T>): Field<readonly T[]> => ({
  ...field,
  initial: [],
  read(reader, before, depth, wire) {
    const value = field.read(reader, field.initial, depth, wire)
    // What is there was made here, except for the first, which all messages share.
    if (before.length === 0) return [value]
    ;(before as T[]).push(value)
    return before
  },
})

/** A repeated enumeration, packed into one record, as proto3 does it, or not. */
export const packed = (number: number): Field<readonly number[]> => ({
  number,
  initial: [],
  read(reader, before, _depth, wire) {
    if (wire === WireType.Varint) return [...before, readNumber(reader)]
    expectWire(wire, WireType.LengthDelimited, String(number))
    const end = reader.uint32() + reader.pos
    if (end > reader.len) throw new DecodeError('unexpected EOF')
    const values = [...before]
    while (reader.pos < end) values.push(readNumber(reader))
    return values
  },
})
