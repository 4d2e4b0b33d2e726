/**
 * Messages of protobuf as tables of their fields, for protocols whose messages are few and flat: each table serves both what reads and writes
 * bytes and what reads and writes JSON. As in proto3, a missing field has its default value, and a field with its default value is not written.
 */
import type { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../core/schema/decode-error.ts'
import { expectWire, reading, readRecord } from '../../core/schema/protobuf/records.ts'
import { ProtobufWriter } from '../../core/schema/protobuf/writer.ts'

/** Maximum depth of messages in messages. */
export const maxDepth = 100

/** A value in JSON: a scalar, the names of an enumeration's values by number, or a message. */
export type JsonType = 'bytes' | 'string' | 'bool' | 'uint32' | 'int64' | 'uint64' | readonly string[] | (() => AnyMessage)

/** A field; `R` is the type of its value when it is read, and `W` when it is written. */
export interface Field<R, W = R> {
  readonly number: number
  /** As rpc.proto names it; absent: the property's name in snake case. */
  readonly jsonName: string | undefined
  readonly json: JsonType
  readonly isRepeated?: boolean
  /** Absent: `read` accepts several. */
  readonly wire?: WireType
  readonly initial: R
  /** The value after a further one was read: repeated fields add to what is there. */
  read(reader: BinaryReader, before: R, depth: number, wire: WireType): R
  /** Writes the field backwards: its value, then its tag. */
  readonly write: (writer: ProtobufWriter, value: W) => void
}

/** Fields that a message shares with another one, written as bytes that are encoded already. They are not read. */
export interface Inlined {
  readonly inlined: AnyMessage
}

/** A field as JSON has it. */
export interface Row {
  readonly number: number
  /** The names that are read; the first one is written. */
  readonly names: readonly [string, string]
  readonly type: JsonType
  readonly isRepeated: boolean
}

/** Reads a message of `length` bytes. */
export type Decoder<V> = (reader: BinaryReader, length: number, depth: number) => V

/** Writes a message. Fields that are absent have their defaults. */
export type Encoder<V> = (writer: ProtobufWriter, value: V) => void

/** A message type. `R` is the type of its value when it is read, and `W` when it is written. */
export interface Message<R, W> {
  /** As in rpc.proto. */
  readonly name: string
  readonly rows: readonly Row[]
  readonly read: Decoder<R>
  readonly write: Encoder<W>
}

export type AnyMessage = Message<unknown, never>

/** The value of a message that is read. */
export type Decoded<M> = M extends Message<infer R, never> ? R : never
/** The value of a message that is written. */
export type Encoded<M> = M extends Message<unknown, infer W> ? W : never

type Fields = { readonly [name: string]: Field<unknown, never> | Inlined }
type Read<F> = { readonly [N in keyof F as F[N] extends Inlined ? never : N]: F[N] extends Field<infer R, never> ? R : never }
type Written<F> = { readonly [N in keyof F]?: F[N] extends Inlined ? Uint8Array : F[N] extends Field<infer _R, infer W> ? W : never }

/**
 * A message type, by the names of its fields, in the order of their numbers. Unknown fields are skipped. `write`: what writes the message faster
 * than its table.
 */
export function message<F extends Fields>(name: string, fields: F, write?: Encoder<Written<F>>): Message<Read<F>, Written<F>> {
  const entries = Object.entries(fields as { readonly [name: string]: Field<unknown> | Inlined })
  const named = entries.flatMap(([name, field]) => ('inlined' in field ? [] : [{ name, field }]))
  const initial = Object.fromEntries(named.map(({ name, field }) => [name, field.initial]))
  const byNumber = new Map(named.map((each) => [each.field.number, each]))
  const backwards = entries.reverse().map(([name, field]) => ({ name, write: 'inlined' in field ? writeInlined : field.write }))
  return {
    name,
    rows: entries.toReversed().flatMap(([name, field]) => ('inlined' in field ? field.inlined.rows : [rowOf(name, field)])),
    read(reader, length, depth) {
      if (depth > maxDepth) throw new DecodeError('proto: messages are nested too deeply')
      const value = { ...initial }
      readRecord(reader, length, (number, wire) => {
        const row = byNumber.get(number)
        if (row === undefined) return false
        if (row.field.wire !== undefined) expectWire(wire, row.field.wire, row.name)
        value[row.name] = row.field.read(reader, value[row.name], depth, wire)
        return true
      })
      return value as Read<F>
    },
    write:
      write ??
      ((writer, value) => {
        for (const { name, write } of backwards) {
          const given = (value as { readonly [name: string]: unknown })[name]
          if (given !== undefined) write(writer, given as never)
        }
      }),
  }
}

const writeInlined = (writer: ProtobufWriter, value: Uint8Array) => writer.raw(value)

function rowOf(name: string, { number, json, jsonName, isRepeated = false }: Field<unknown>): Row {
  const written = jsonName ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const camelCase = written.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { number, names: [written, camelCase], type: json, isRepeated }
}

/** @throws DecodeError when the message is malformed. */
export const decode = <R>({ read }: Message<R, never>, bytes: Uint8Array): R => reading(bytes, (reader) => read(reader, bytes.length, 0))

/** Least bytes of the buffer of a message. */
const firstSize = 128

/** `size`: about how many bytes the message has. */
export function encode<W>({ write }: Message<unknown, W>, value: W, size = firstSize): Uint8Array {
  const writer = new ProtobufWriter(size)
  write(writer, value)
  return writer.view()
}
