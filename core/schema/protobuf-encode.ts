/** Encodes canonical JSON values as protobuf, as the reference server's generated codecs do. Writes backwards: see ProtobufWriter. */
import { WireType } from '@bufbuild/protobuf/wire'
import { decodeBase64 } from './base64.ts'
import { parseDuration } from './duration.ts'
import { printJson } from './json-text.ts'
import type { Field, Json, JsonObject, Message, ScalarType, Schema, Union } from './model.ts'
import { ProtobufWriter, tagOf } from './protobuf-writer.ts'
import { rawTextOf } from './raw-json.ts'
import { scalarRules } from './scalars.ts'
import { parseTime } from './time.ts'

/** Writes a value without tag, but with length if the wire type has one. */
type Write = (writer: ProtobufWriter, value: Json) => void

interface Encoding {
  readonly wire: WireType
  readonly write: Write
}

interface Slot {
  readonly name: string
  readonly write: Write
  /** Written for an absent value; undefined: nothing. */
  readonly zero: Json | undefined
  /** Written for null, which for times means present and unset. */
  readonly unset: Json | undefined
  readonly inline: boolean
}

/** Fields in descending order of tags. Computed once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, readonly Slot[]>()

function writeTime(writer: ProtobufWriter, value: Json, fraction: boolean): void {
  const instant = typeof value === 'string' ? parseTime(value) : undefined
  writer.nested(() => {
    if (instant === undefined) return
    writer.uint32(fraction ? instant.nanos - (instant.nanos % 1000) : 0)
    writer.uint32(tagOf(2, WireType.Varint))
    writer.int64(instant.seconds)
    writer.uint32(tagOf(1, WireType.Varint))
  })
}

function writeIntOrString(writer: ProtobufWriter, value: Json): void {
  const isText = typeof value === 'string'
  writer.nested(() => {
    writer.string(isText ? value : '')
    writer.uint32(tagOf(3, WireType.LengthDelimited))
    writer.int64(isText ? 0 : (value as number))
    writer.uint32(tagOf(2, WireType.Varint))
    writer.uint32(isText ? 1 : 0)
    writer.uint32(tagOf(1, WireType.Varint))
  })
}

const { Varint, Bit64, LengthDelimited } = WireType

const scalars: Readonly<Record<ScalarType, Encoding>> = {
  string: { wire: LengthDelimited, write: (writer, value) => writer.string(value as string) },
  bool: { wire: Varint, write: (writer, value) => writer.uint32(value === true ? 1 : 0) },
  int32: { wire: Varint, write: (writer, value) => writer.int64(value as number) },
  int64: { wire: Varint, write: (writer, value) => writer.int64(value as number) },
  double: { wire: Bit64, write: (writer, value) => writer.double(value as number) },
  bytes: { wire: LengthDelimited, write: (writer, value) => writer.bytes(decodeBase64(value as string)) },
  time: { wire: LengthDelimited, write: (writer, value) => writeTime(writer, value, false) },
  microTime: { wire: LengthDelimited, write: (writer, value) => writeTime(writer, value, true) },
  duration: {
    wire: LengthDelimited,
    write: (writer, value) =>
      writer.nested(() => {
        writer.int64(parseDuration(value as string))
        writer.uint32(tagOf(1, Varint))
      }),
  },
  quantity: {
    wire: LengthDelimited,
    write: (writer, value) =>
      writer.nested(() => {
        writer.string(value as string)
        writer.uint32(tagOf(1, LengthDelimited))
      }),
  },
  intOrString: { wire: LengthDelimited, write: writeIntOrString },
}

function writeAny(writer: ProtobufWriter, value: Json): void {
  writer.nested(() => {
    if (value === null) return
    writer.string(rawTextOf(value) ?? printJson(value))
    writer.uint32(tagOf(1, LengthDelimited))
  })
}

function writeUnion(writer: ProtobufWriter, { message, wrap }: Union, value: Json): void {
  writer.nested(() => {
    if (value !== null) writeMessage(writer, message, wrap(value))
  })
}

function writeRepeated(tag: number, items: Encoding): Write {
  return (writer, value) => {
    const list = value as Json[]
    for (let at = list.length - 1; at >= 0; at--) {
      items.write(writer, list[at] as Json)
      writer.uint32(tag)
    }
  }
}

function encodingOf(schema: Schema): Encoding {
  switch (schema.type) {
    case 'message':
      return {
        wire: LengthDelimited,
        write: (writer, value) => {
          writer.nested(() => writeMessage(writer, schema, (value ?? {}) as JsonObject))
        },
      }
    case 'list': {
      // Only lists with a wrapper message can be map values or list items.
      const items = encodingOf(schema.items)
      const write = writeRepeated(tagOf(1, items.wire), items)
      return { wire: LengthDelimited, write: (writer, value) => writer.nested(() => write(writer, value ?? [])) }
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

/** UTF-8 byte order: as UTF-16, except that surrogates come last. */
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
    const keys = Object.keys(entries)
    if (keys.length > 1) keys.sort(compareKeys)
    for (let at = keys.length - 1; at >= 0; at--) {
      const key = keys[at] as string
      const item = entries[key] as Json
      writer.nested(() => {
        // Null bytes are omitted; empty bytes are written.
        if (item !== null || !isBytes) {
          values.write(writer, item)
          writer.uint32(valueTag)
        }
        writer.string(key)
        writer.uint32(tagOf(1, LengthDelimited))
      })
      writer.uint32(tag)
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
  const zero = inline ? {} : zeroOf(field)
  const base = { name, zero, unset: schema.type === 'time' || schema.type === 'microTime' ? null : zero, inline }
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
      write(writer, value)
      writer.uint32(key)
    },
  }
}

function planOf(schema: Message): readonly Slot[] {
  let plan = plans.get(schema)
  if (plan === undefined) {
    plan = Object.entries(schema.fields)
      .filter(([, { tag }]) => tag > 0)
      .sort(([, a], [, b]) => b.tag - a.tag)
      .map(([name, field]) => slotOf(name, field))
    plans.set(schema, plan)
  }
  return plan
}

/** Writes the fields of a message, without its length. */
export function writeMessage(writer: ProtobufWriter, schema: Message, object: JsonObject): void {
  for (const { name, write, zero, unset, inline } of planOf(schema)) {
    if (inline) {
      write(writer, object)
      continue
    }
    const given = object[name]
    const value = given ?? (given === null ? unset : zero)
    if (value !== undefined) write(writer, value)
  }
}

/** Encodes a canonical value. `kind` and `apiVersion` are part of the envelope instead. */
export function encodeProtobuf(schema: Message, value: Json): Uint8Array {
  const writer = new ProtobufWriter()
  writeMessage(writer, schema, value as JsonObject)
  return writer.finish()
}
