/** The flat protobuf messages of KMS plugins as tables of fields; zero values are omitted (proto3). */
import { type BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../schema/decode-error.ts'
import { expectWire, reading, readRecord } from '../../schema/protobuf/records.ts'

interface Kind<T> {
  readonly wire: WireType
  readonly zero: T
  isZero(value: T): boolean
  /** One record per element, tag included. */
  write(writer: BinaryWriter, number: number, value: T): void
  /** Reads one more record, whose tag has been consumed; returns the field's new value, which may be `before` with an addition unless that is `zero`. */
  read(reader: BinaryReader, before: T): T
}

export interface WireField<T> {
  readonly number: number
  readonly kind: Kind<T>
}

type Values<F> = { readonly [name in keyof F]: F[name] extends WireField<infer T> ? T : never }

export type Annotations = ReadonlyMap<string, Uint8Array>

const { LengthDelimited, Varint } = WireType

const textKind: Kind<string> = {
  wire: LengthDelimited,
  zero: '',
  isZero: (value) => value === '',
  write: (writer, number, value) => writer.tag(number, LengthDelimited).string(value),
  read: (reader) => reader.string(),
}

const bytesKind: Kind<Uint8Array> = {
  wire: LengthDelimited,
  zero: new Uint8Array(0),
  isZero: ({ length }) => length === 0,
  write: (writer, number, value) => writer.tag(number, LengthDelimited).bytes(value),
  read: (reader) => reader.bytes(),
}

const numberKind: Kind<number> = {
  wire: Varint,
  zero: 0,
  isZero: (value) => value === 0,
  write: (writer, number, value) => writer.tag(number, Varint).int32(value),
  read: (reader) => reader.int32(),
}

/** A map is a repeated message with key and value in fields 1 and 2. */
const annotationsKind: Kind<Map<string, Uint8Array>> = {
  wire: LengthDelimited,
  zero: new Map(),
  isZero: ({ size }) => size === 0,
  write(writer, number, value) {
    for (const [key, bytes] of value) {
      writer.tag(number, LengthDelimited).fork()
      writer.tag(1, LengthDelimited).string(key).tag(2, LengthDelimited).bytes(bytes).join()
    }
  },
  read(reader, before) {
    let key = ''
    let value: Uint8Array = new Uint8Array(0)
    readRecord(reader, reader.uint32(), (number, wire) => {
      if (number !== 1 && number !== 2) return false
      expectWire(wire, LengthDelimited, number === 1 ? 'key' : 'value')
      if (number === 1) key = reader.string()
      else value = reader.bytes()
      return true
    })
    return (before.size === 0 ? new Map<string, Uint8Array>() : before).set(key, value)
  },
}

export const text = (number: number): WireField<string> => ({ number, kind: textKind })
export const bytes = (number: number): WireField<Uint8Array> => ({ number, kind: bytesKind })
export const number = (number: number): WireField<number> => ({ number, kind: numberKind })
export const annotations = (number: number): WireField<Annotations> => ({ number, kind: annotationsKind })

/** Maximum fields of a message: the largest valid one has 32 KiB of annotations. */
const maxFields = 20_000

type Fields = { readonly [name: string]: WireField<unknown> }

export interface WireMessage<V> {
  /** Absent members are zero values. */
  encode(values: Partial<V>): Uint8Array
  /**
   * Unknown fields are skipped; bytes are views of the given memory.
   * @throws DecodeError when the bytes are malformed, or have too many fields.
   */
  decode(bytes: Uint8Array): V
}

export function wireMessage<F extends Fields>(fields: F): WireMessage<Values<F>> {
  const rows = Object.entries(fields).map(([name, field]) => ({ name, ...field }))
  return {
    encode(values) {
      const given = values as { readonly [name: string]: unknown }
      const writer = new BinaryWriter()
      for (const { name, number, kind } of rows) {
        const value = given[name] ?? kind.zero
        if (!kind.isZero(value)) kind.write(writer, number, value)
      }
      return writer.finish()
    },
    decode(bytes) {
      const values: { [name: string]: unknown } = Object.fromEntries(rows.map(({ name, kind }) => [name, kind.zero]))
      let count = 0
      reading(bytes, (reader) =>
        readRecord(reader, bytes.length, (number, wire) => {
          if (++count > maxFields) throw new DecodeError(`proto: more than ${maxFields} fields`)
          const row = rows.find((each) => each.number === number)
          if (row === undefined) return false
          expectWire(wire, row.kind.wire, row.name)
          values[row.name] = row.kind.read(reader, values[row.name])
          return true
        }),
      )
      return values as Values<F>
    },
  }
}
