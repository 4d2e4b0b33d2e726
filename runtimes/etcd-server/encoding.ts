/** Responses of protobuf as tables of their fields. As in proto3, a field with its default value is not written. */
import { WireType } from '@bufbuild/protobuf/wire'
import { ProtobufWriter, tagOf } from '../../core/schema/protobuf/writer.ts'

/** Writes a field backwards: its value, then its tag. */
export type Write<T> = (writer: ProtobufWriter, value: T) => void

/** Writes a message. Fields that are absent have their defaults. */
export type Encoder<V> = (writer: ProtobufWriter, value: V) => void

type Values<F> = { readonly [N in keyof F]?: F[N] extends Write<infer T> ? T : never }

/** A message type, by the names of its fields, in the order of their numbers. */
export function response<F extends { readonly [name: string]: unknown }>(fields: F): Encoder<Values<F>> {
  const backwards = Object.entries(fields as unknown as { readonly [name: string]: Write<unknown> }).reverse()
  return (writer, value) => {
    for (const [name, write] of backwards) {
      const given = (value as { readonly [name: string]: unknown })[name]
      if (given !== undefined) write(writer, given)
    }
  }
}

/** First size in bytes of the buffer of a message. */
const firstSize = 128

export function encode<V>(encoder: Encoder<V>, value: V, size = firstSize): Uint8Array {
  const writer = new ProtobufWriter(size)
  encoder(writer, value)
  return writer.view()
}

const varint = (number: number) => tagOf(number, WireType.Varint)
const record = (number: number) => tagOf(number, WireType.LengthDelimited)

/** int64, uint64, int32 or an enumeration. */
export const int = (number: number): Write<number | bigint> => {
  const tag = varint(number)
  return (writer, value) => {
    if (value === 0 || value === 0n) return
    writer.int64(value)
    writer.uint32(tag)
  }
}

export const bool = (number: number): Write<boolean> => {
  const tag = varint(number)
  return (writer, value) => {
    if (!value) return
    writer.uint32(1)
    writer.uint32(tag)
  }
}

export const string = (number: number): Write<string> => {
  const tag = record(number)
  return (writer, value) => {
    if (value === '') return
    writer.string(value)
    writer.uint32(tag)
  }
}

export const bytes = (number: number): Write<Uint8Array> => {
  const tag = record(number)
  return (writer, value) => {
    if (value.length === 0) return
    writer.bytes(value)
    writer.uint32(tag)
  }
}

/** Bytes from a text that has a character for each. */
export const key = (number: number): Write<string> => {
  const write = bytes(number)
  return (writer, value) => write(writer, Buffer.from(value, 'latin1'))
}

/** A message. `encoder` is asked for when it is needed, so that types may refer to each other. */
export const nested = <V>(number: number, encoder: () => Encoder<V>): Write<V> => {
  const tag = record(number)
  return (writer, value) => {
    writer.nested(() => encoder()(writer, value))
    writer.uint32(tag)
  }
}

/** Several values of a field. An empty one is written as such where `write` does so, as messages are. */
export const repeated =
  <T>(write: Write<T>): Write<readonly T[]> =>
  (writer, values) => {
    for (let at = values.length - 1; at >= 0; at--) write(writer, values[at] as T)
  }

/** A message that is encoded already. */
export const encoded = (number: number): Write<Uint8Array> => {
  const tag = record(number)
  return (writer, value) => {
    writer.bytes(value)
    writer.uint32(tag)
  }
}
