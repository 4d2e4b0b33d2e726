/** Canonical JSON value → protobuf (facts: golden.md, 'Wire rules'). */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { decodeBase64 } from './base64.ts'
import { parseDuration } from './duration.ts'
import type { Field, Json, JsonObject, Message, ScalarType, Schema, Union } from './model.ts'
import { scalarRules } from './scalars.ts'
import { parseTime } from './time.ts'

/** Writes a value after its tag, with its length where the wire type has one. */
type Write = (writer: BinaryWriter, value: Json) => void

interface Encoding {
  readonly wire: WireType
  readonly write: Write
}

interface Slot {
  readonly name: string
  readonly write: Write
  /** Written in place of an unset value; undefined: nothing is. */
  readonly zero: Json | undefined
  readonly inline: boolean
}

/** Fields in the order of their tags. Worked out once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, readonly Slot[]>()

const tagOf = (field: number, wire: WireType) => ((field << 3) | wire) >>> 0

function writeInt64(writer: BinaryWriter, value: number): void {
  if (value >= 0 && value <= 0xffffffff) writer.uint32(value)
  else writer.int64(BigInt(value))
}

function writeTime(writer: BinaryWriter, value: Json, fraction: boolean): void {
  writer.fork()
  const instant = typeof value === 'string' ? parseTime(value) : undefined
  if (instant !== undefined) {
    writer.uint32(tagOf(1, WireType.Varint))
    writeInt64(writer, instant.seconds)
    writer.uint32(tagOf(2, WireType.Varint)).uint32(fraction ? instant.nanos - (instant.nanos % 1000) : 0)
  }
  writer.join()
}

function writeIntOrString(writer: BinaryWriter, value: Json): void {
  const isText = typeof value === 'string'
  writer.fork()
  writer.uint32(tagOf(1, WireType.Varint)).uint32(isText ? 1 : 0)
  writer.uint32(tagOf(2, WireType.Varint)).int32(isText ? 0 : (value as number))
  writer.uint32(tagOf(3, WireType.LengthDelimited)).string(isText ? value : '')
  writer.join()
}

const { Varint, Bit64, LengthDelimited } = WireType

const scalars: Readonly<Record<ScalarType, Encoding>> = {
  string: { wire: LengthDelimited, write: (writer, value) => void writer.string(value as string) },
  bool: { wire: Varint, write: (writer, value) => void writer.bool(value as boolean) },
  int32: { wire: Varint, write: (writer, value) => void writer.int32(value as number) },
  int64: { wire: Varint, write: (writer, value) => writeInt64(writer, value as number) },
  double: { wire: Bit64, write: (writer, value) => void writer.double(value as number) },
  bytes: { wire: LengthDelimited, write: (writer, value) => void writer.bytes(decodeBase64(value as string)) },
  time: { wire: LengthDelimited, write: (writer, value) => writeTime(writer, value, false) },
  microTime: { wire: LengthDelimited, write: (writer, value) => writeTime(writer, value, true) },
  duration: {
    wire: LengthDelimited,
    write: (writer, value) =>
      void writer
        .fork()
        .uint32(tagOf(1, Varint))
        .int64(parseDuration(value as string))
        .join(),
  },
  quantity: {
    wire: LengthDelimited,
    write: (writer, value) =>
      void writer
        .fork()
        .uint32(tagOf(1, LengthDelimited))
        .string(value as string)
        .join(),
  },
  intOrString: { wire: LengthDelimited, write: writeIntOrString },
}

function writeAny(writer: BinaryWriter, value: Json): void {
  writer.fork()
  if (value !== null) writer.uint32(tagOf(1, LengthDelimited)).string(JSON.stringify(value))
  writer.join()
}

function writeUnion(writer: BinaryWriter, { message, wrap }: Union, value: Json): void {
  writer.fork()
  if (value !== null) writeMessage(writer, message, wrap(value))
  writer.join()
}

function writeRepeated(tag: number, items: Encoding): Write {
  return (writer, value) => {
    for (const item of value as Json[]) {
      writer.uint32(tag)
      items.write(writer, item)
    }
  }
}

function encodingOf(schema: Schema): Encoding {
  switch (schema.type) {
    case 'message':
      return {
        wire: LengthDelimited,
        write: (writer, value) => {
          writer.fork()
          writeMessage(writer, schema, (value ?? {}) as JsonObject)
          writer.join()
        },
      }
    case 'list': {
      // Only a list that is a type of its own can stand where one value is expected.
      const items = encodingOf(schema.items)
      const write = writeRepeated(tagOf(1, items.wire), items)
      return {
        wire: LengthDelimited,
        write: (writer, value) => {
          writer.fork()
          write(writer, value ?? [])
          writer.join()
        },
      }
    }
    case 'map':
      throw new TypeError('A map can only be a field')
    case 'any': {
      const { union } = schema
      return { wire: LengthDelimited, write: union ? (writer, value) => writeUnion(writer, union(), value) : writeAny }
    }
    default:
      return scalars[schema.type]
  }
}

/** Byte order of UTF-8: that of UTF-16, but for surrogates, which come after everything else. */
function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}
const rank = (code: number) => (code >= 0xd800 && code <= 0xdfff ? code + 0x2000 : code >= 0xe000 ? code - 0x800 : code)

function writeMap(tag: number, schema: Schema): Write {
  const values = encodingOf(schema)
  const isBytes = schema.type === 'bytes'
  const valueTag = tagOf(2, values.wire)
  return (writer, value) => {
    const entries = value as JsonObject
    for (const key of Object.keys(entries).sort(compareKeys)) {
      const item = entries[key] as Json
      writer.uint32(tag).fork().uint32(tagOf(1, LengthDelimited)).string(key)
      // Null bytes are told apart from empty ones by not being written.
      if (item !== null || !isBytes) values.write(writer.uint32(valueTag), item)
      writer.join()
    }
  }
}

function zeroOf({ schema, pointer }: Field): Json | undefined {
  if (pointer || schema.type === 'list' || schema.type === 'map' || schema.type === 'bytes') return undefined
  if (schema.type === 'message') return {}
  return schema.type === 'any' ? null : scalarRules[schema.type].zero
}

function slotOf(name: string, field: Field): Slot {
  const { tag, schema, inline = false } = field
  const base = { name, zero: inline ? {} : zeroOf(field), inline }
  if (schema.type === 'list' && !schema.wrapper) {
    const items = encodingOf(schema.items)
    return { ...base, write: writeRepeated(tagOf(tag, items.wire), items) }
  }
  if (schema.type === 'map') return { ...base, write: writeMap(tagOf(tag, LengthDelimited), schema.values) }
  const { wire, write } = encodingOf(schema)
  const key = tagOf(tag, wire)
  return {
    ...base,
    write: (writer, value) => {
      writer.uint32(key)
      write(writer, value)
    },
  }
}

function planOf(schema: Message): readonly Slot[] {
  let plan = plans.get(schema)
  if (plan === undefined) {
    plan = Object.entries(schema.fields)
      .filter(([, { tag }]) => tag > 0)
      .sort(([, a], [, b]) => a.tag - b.tag)
      .map(([name, field]) => slotOf(name, field))
    plans.set(schema, plan)
  }
  return plan
}

function writeMessage(writer: BinaryWriter, schema: Message, object: JsonObject): void {
  for (const { name, write, zero, inline } of planOf(schema)) {
    if (inline) {
      write(writer, object)
      continue
    }
    const value = object[name] ?? zero
    if (value !== undefined) write(writer, value)
  }
}

/** The protobuf form of a canonical value. `kind` and `apiVersion` are not in it: they belong to the envelope. */
export function encodeProtobuf(schema: Message, value: Json): Uint8Array {
  const writer = new BinaryWriter()
  writeMessage(writer, schema, value as JsonObject)
  return writer.finish()
}
