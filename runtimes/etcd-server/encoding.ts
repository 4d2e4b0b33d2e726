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

/** Least bytes of the buffer of a message. */
const firstSize = 128
/** Least bytes of a buffer that is used again. */
const firstShared = 1_024

export function encode<V>(encoder: Encoder<V>, value: V, size = firstSize): Uint8Array {
  const writer = new ProtobufWriter(size)
  encoder(writer, value)
  return writer.view()
}

/** Maximum bytes of a buffer that is kept for the next message, and maximum number of them. */
const [keptBytes, keptWriters] = [2 * 1024 * 1024, 8]

/** Encodes the messages of responses, in buffers that are used again: new ones for each would cost more than what is written. */
export class MessageWriter {
  #writer = new ProtobufWriter()
  readonly #free: ProtobufWriter[] = []

  /**
   * A message with its prefix: no compression, four bytes of length (PROTOCOL-HTTP2.md of grpc/grpc). It is valid until the next one is encoded,
   * unless `lend` is called before. `size`: about how many bytes it has, so that its buffer does not grow step by step.
   */
  message<V>(encoder: Encoder<V>, value: V, size = 0): Uint8Array {
    const writer = this.#writer
    writer.reset(keptBytes, Math.max(size, firstShared))
    encoder(writer, value)
    const { length } = writer
    writer.raw([0, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff])
    return writer.view()
  }

  /** The last message remains valid until the returned function is called. */
  lend(): () => void {
    const lent = this.#writer
    this.#writer = this.#free.pop() ?? new ProtobufWriter()
    return () => {
      if (this.#free.length < keptWriters) this.#free.push(lent)
    }
  }
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
  const tag = record(number)
  return (writer, value) => {
    if (value === '') return
    writer.latin1(value)
    writer.uint32(tag)
  }
}

/** Fields that are encoded already. */
export const fields: Write<Uint8Array> = (writer, value) => writer.raw(value)

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
