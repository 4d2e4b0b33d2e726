/** The kinds of fields of messages, by their numbers, and their names in JSON where these are not the property's in snake case. */
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../core/schema/decode-error.ts'
import { expectWire, readNumber } from '../../core/schema/protobuf/records.ts'
import { type ProtobufWriter, tagOf } from '../../core/schema/protobuf/writer.ts'
import type { AnyMessage, Field, Inlined, JsonType, Message } from './message.ts'

/** A kind of values that have no fields. */
interface Scalar<R, W = R> {
  readonly json: JsonType
  readonly wire: WireType
  readonly initial: R
  readonly read: (reader: BinaryReader) => R
  readonly isDefault: (value: W) => boolean
  readonly write: (writer: ProtobufWriter, value: W) => void
}

const scalar =
  <R, W>({ json, wire, initial, read, isDefault, write }: Scalar<R, W>) =>
  (number: number, jsonName?: string): Field<R, W> => {
    const tag = tagOf(number, wire)
    return {
      ...{ number, jsonName, json, wire, initial, read },
      write(writer, value) {
        if (isDefault(value)) return
        write(writer, value)
        writer.uint32(tag)
      },
    }
  }

type Integer = number | bigint

const integer = <R>(json: JsonType, initial: R, read: (reader: BinaryReader) => R) =>
  scalar({
    ...{ json, wire: WireType.Varint, initial, read },
    isDefault: (value: Integer) => value === 0 || value === 0n,
    write: (writer, value) => writer.int64(value),
  })

/** int64, for values below 2^53. */
export const int = integer('int64', 0, readNumber)
/** int64 with all of its bits, such as the ID of a lease. */
export const int64 = integer('int64', 0n, (reader) => BigInt(reader.int64()))
export const uint64 = integer('uint64', 0n, (reader) => BigInt(reader.uint64()))
export const uint32 = integer('uint32', 0, (reader) => reader.uint32())

/** `names`: those of its values, by number. */
export const enumeration = (number: number, names: readonly string[]) => integer(names, 0, readNumber)(number)

export const bool = scalar({
  ...{ json: 'bool', wire: WireType.Varint, initial: false, read: (reader) => reader.bool() },
  isDefault: (value: boolean) => !value,
  write: (writer) => writer.uint32(1),
})

export const string = scalar({
  ...{ json: 'string', wire: WireType.LengthDelimited, initial: '', read: (reader) => reader.string() },
  isDefault: (value: string) => value === '',
  write: (writer, value) => writer.string(value),
})

const noBytes: Uint8Array = new Uint8Array(0)

/** What is read is a copy: the message may be in a buffer that is used again. */
export const bytes = scalar({
  ...{ json: 'bytes', wire: WireType.LengthDelimited, initial: noBytes, read: (reader) => new Uint8Array(reader.bytes()) },
  isDefault: (value: Uint8Array) => value.length === 0,
  write: (writer, value) => writer.bytes(value),
})

/** Bytes as a text that has a character for each: any bytes can be compared, and be keys of a map. */
export const key = scalar({
  ...{ json: 'bytes', wire: WireType.LengthDelimited, initial: '' },
  read(reader) {
    const { buffer, byteOffset, length } = reader.bytes()
    return Buffer.from(buffer, byteOffset, length).toString('latin1')
  },
  isDefault: (value: string) => value === '',
  write: (writer, value) => writer.latin1(value),
})

/** A message; undefined: it is missing. `type` is asked for when it is needed, so that types may refer to each other. */
export function nested<R, W>(number: number, type: () => Message<R, W>, jsonName?: string): Field<R | undefined, W> {
  const tag = tagOf(number, WireType.LengthDelimited)
  return {
    ...{ number, jsonName, json: type as () => AnyMessage, wire: WireType.LengthDelimited, initial: undefined },
    read: (reader, _before, depth) => type().read(reader, reader.uint32(), depth + 1),
    write(writer, value) {
      // Not `writer.nested`: a closure for each of a range's thousands of keys takes 7% more.
      const before = writer.length
      type().write(writer, value)
      writer.uint32(writer.length - before)
      writer.uint32(tag)
    },
  }
}

/** A message that is encoded already when it is written. */
export function encoded<R>(number: number, type: () => Message<R, never>): Field<R | undefined, Uint8Array> {
  const tag = tagOf(number, WireType.LengthDelimited)
  return {
    ...nested<R, never>(number, type),
    write(writer, value) {
      writer.bytes(value)
      writer.uint32(tag)
    },
  }
}

/** All fields of another message, encoded already when they are written. */
export const inlined = (message: AnyMessage): Inlined => ({ inlined: message })

/** Several values of a field. An empty one is written as such where `write` does so, as messages are. */
export const repeated = <R, W>(field: Field<R, W>): Field<readonly NonNullable<R>[], readonly W[]> => ({
  ...field,
  isRepeated: true,
  initial: [],
  read(reader, before, depth, wire) {
    const value = field.read(reader, field.initial, depth, wire) as NonNullable<R>
    // What is there was made here, except for the first, which all messages share.
    if (before.length === 0) return [value]
    ;(before as NonNullable<R>[]).push(value)
    return before
  },
  write(writer, values) {
    for (let at = values.length - 1; at >= 0; at--) field.write(writer, values[at] as W)
  },
})

/** A repeated enumeration. It is read packed into one record, as proto3 writes it, or not. */
export function packed(number: number, names: readonly string[]): Field<readonly number[], readonly Integer[]> {
  const { wire: _one, ...field } = repeated(enumeration(number, names))
  return {
    ...field,
    read(reader, before, depth, wire) {
      if (wire === WireType.Varint) return field.read(reader, before, depth, wire)
      expectWire(wire, WireType.LengthDelimited, String(number))
      const end = reader.uint32() + reader.pos
      if (end > reader.len) throw new DecodeError('unexpected EOF')
      let values = before
      while (reader.pos < end) values = field.read(reader, values, depth, WireType.Varint)
      return values
    },
  }
}
