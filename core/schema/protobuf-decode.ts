/** Decodes protobuf to canonical JSON values, as the reference server's generated codecs do. Input is untrusted: every length and depth is checked. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { encodeBase64 } from './base64.ts'
import { canonicalise, type DecodeOptions, setOwn } from './decode.ts'
import { DecodeError } from './decode-error.ts'
import { formatDuration } from './duration.ts'
import { parseJsonText } from './json-text.ts'
import type { AnySchema, Field, Json, JsonObject, Message, ScalarType, Schema } from './model.ts'
import { scalarRules } from './scalars.ts'
import { formatTime, unsetTime } from './time.ts'

const maxDepth = 500

/** Reads one value after its tag. */
type Read = (reader: BinaryReader, depth: number) => Json

interface Decoding {
  readonly wire: WireType
  readonly read: Read
}

interface Slot extends Decoding {
  readonly name: string
  /** Stores a value in its field. */
  readonly store: (object: JsonObject, value: Json) => void
  /** Accepts packed elements. */
  readonly packable: boolean
}

const plans = new WeakMap<Message, ReadonlyMap<number, Slot>>()

const { Varint, Bit64, LengthDelimited } = WireType
const utf8 = new TextDecoder()

/** Calls `field` for each field of a length-delimited record; it returns false for unknown fields. */
function readRecord(reader: BinaryReader, length: number, field: (number: number, wire: WireType) => boolean): void {
  const end = reader.pos + length
  if (end > reader.len) throw new DecodeError('unexpected EOF')
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    if (!field(number, wire)) skip(reader, wire, number)
  }
  if (reader.pos !== end) throw new DecodeError('proto: a field ends past its message')
}

function expectWire(wire: WireType, expected: WireType, name: string): void {
  if (wire !== expected) throw new DecodeError(`proto: wrong wireType = ${wire} for field ${name}`)
}

/** Skips an unknown field; varints are read, because the library's skipping does not bound their length. */
function skip(reader: BinaryReader, wire: WireType, number: number): void {
  if (wire === WireType.Varint) reader.uint64()
  else reader.skip(wire, number)
}

/** A number if it is safe, otherwise a bigint. */
function readInteger(reader: BinaryReader): Json {
  const value = BigInt(reader.int64())
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

const readInt64 = (reader: BinaryReader) => reader.int64()

function readTime(type: 'time' | 'microTime'): Read {
  return (reader) => {
    let seconds = 0
    let nanos = 0
    const length = reader.uint32()
    readRecord(reader, length, (number, wire) => {
      if (number !== 1 && number !== 2) return false
      expectWire(wire, Varint, number === 1 ? 'Seconds' : 'Nanos')
      if (number === 1) seconds = Number(reader.int64())
      else nanos = reader.int32()
      return true
    })
    // Present and unset: not the same as absent.
    if (length === 0) return unsetTime[type]
    return formatTime({ seconds, nanos: type === 'time' ? 0 : Math.min(Math.max(nanos, 0), 999_999_999) }, type)
  }
}

function readQuantity(reader: BinaryReader): Json {
  let text = ''
  readRecord(reader, reader.uint32(), (number, wire) => {
    if (number !== 1) return false
    expectWire(wire, LengthDelimited, 'String')
    text = reader.string()
    return true
  })
  return text === '' ? '0' : text
}

function readDuration(reader: BinaryReader): Json {
  let nanoseconds = 0n
  readRecord(reader, reader.uint32(), (number, wire) => {
    if (number !== 1) return false
    expectWire(wire, Varint, 'Duration')
    nanoseconds = BigInt(reader.int64())
    return true
  })
  return formatDuration(nanoseconds)
}

function readIntOrString(reader: BinaryReader): Json {
  let isText = false
  let value = 0
  let text = ''
  readRecord(reader, reader.uint32(), (number, wire) => {
    if (number === 1) {
      expectWire(wire, Varint, 'Type')
      isText = Number(readInt64(reader)) === 1
    } else if (number === 2) {
      expectWire(wire, Varint, 'IntVal')
      value = reader.int32()
    } else if (number === 3) {
      expectWire(wire, LengthDelimited, 'StrVal')
      text = reader.string()
    } else return false
    return true
  })
  return isText ? text : value
}

const scalars: Readonly<Record<ScalarType, Decoding>> = {
  string: { wire: LengthDelimited, read: (reader) => reader.string() },
  bool: { wire: Varint, read: (reader) => reader.bool() },
  int32: { wire: Varint, read: (reader) => reader.int32() },
  int64: { wire: Varint, read: readInteger },
  double: { wire: Bit64, read: (reader) => reader.double() },
  bytes: { wire: LengthDelimited, read: (reader) => encodeBase64(reader.bytes()) },
  time: { wire: LengthDelimited, read: readTime('time') },
  microTime: { wire: LengthDelimited, read: readTime('microTime') },
  duration: { wire: LengthDelimited, read: readDuration },
  quantity: { wire: LengthDelimited, read: readQuantity },
  intOrString: { wire: LengthDelimited, read: readIntOrString },
}

function readAny(reader: BinaryReader, schema: AnySchema): Json {
  let raw: Uint8Array | undefined
  readRecord(reader, reader.uint32(), (number, wire) => {
    if (number !== 1) return false
    expectWire(wire, LengthDelimited, 'Raw')
    raw = reader.bytes()
    return true
  })
  if (raw === undefined || raw.length === 0) return null
  try {
    return parseJsonText(utf8.decode(raw), schema)
  } catch {
    throw new DecodeError('the raw bytes of an extension are not JSON')
  }
}

function decodingOf(schema: Schema): Decoding {
  switch (schema.type) {
    case 'message':
      return { wire: LengthDelimited, read: (reader, depth) => readMessage(reader, schema, reader.uint32(), depth) }
    case 'list': {
      const { wire: expected, read } = decodingOf(schema.items)
      return {
        wire: LengthDelimited,
        read: (reader, depth) => {
          const items: Json[] = []
          readRecord(reader, reader.uint32(), (number, wire) => {
            if (number !== 1) return false
            expectWire(wire, expected, 'Items')
            items.push(read(reader, depth))
            return true
          })
          return items
        },
      }
    }
    case 'map':
      throw new TypeError('A map can only be a field')
    case 'any': {
      const { union } = schema
      if (!union) return { wire: LengthDelimited, read: (reader) => readAny(reader, schema) }
      return {
        wire: LengthDelimited,
        read: (reader, depth) => union().unwrap(readMessage(reader, union().message, reader.uint32(), depth)),
      }
    }
    default:
      return scalars[schema.type]
  }
}

function zeroOf(schema: Schema): Json {
  if (schema.type === 'bytes') return ''
  return schema.type === 'message' || schema.type === 'list' || schema.type === 'map' || schema.type === 'any'
    ? null
    : scalarRules[schema.type].zero
}

/** An entry as `[key, value]`; absent parts are zero values. */
function entryDecoding(values: Schema): Decoding {
  const { wire: expected, read } = decodingOf(values)
  const zero = zeroOf(values)
  return {
    wire: LengthDelimited,
    read: (reader, depth) => {
      let key = ''
      let value: Json = zero
      readRecord(reader, reader.uint32(), (number, wire) => {
        if (number === 1) {
          expectWire(wire, LengthDelimited, 'Key')
          key = reader.string()
        } else if (number === 2) {
          expectWire(wire, expected, 'Value')
          value = read(reader, depth)
        } else return false
        return true
      })
      return [key, value]
    },
  }
}

function slotOf(name: string, { schema, inline }: Field): Slot {
  if (schema.type === 'list' && !schema.wrapper) {
    const { wire, read } = decodingOf(schema.items)
    const store = (object: JsonObject, value: Json) => {
      const items = object[name]
      if (Array.isArray(items)) items.push(value)
      else object[name] = [value]
    }
    return { name, wire, read, store, packable: wire !== LengthDelimited }
  }
  if (schema.type === 'map') {
    const store = (object: JsonObject, entry: Json) => {
      const [key, value] = entry as [string, Json]
      object[name] ??= {}
      setOwn(object[name] as JsonObject, key, value)
    }
    return { name, ...entryDecoding(schema.values), store, packable: false }
  }
  const store = inline
    ? (object: JsonObject, value: Json) => void Object.assign(object, value)
    : (object: JsonObject, value: Json) => {
        object[name] = value
      }
  return { name, ...decodingOf(schema), store, packable: false }
}

function planOf(schema: Message): ReadonlyMap<number, Slot> {
  let plan = plans.get(schema)
  if (plan === undefined) {
    const tagged = Object.entries(schema.fields).filter(([, { tag }]) => tag > 0)
    plan = new Map(tagged.map(([name, field]) => [field.tag, slotOf(name, field)]))
    plans.set(schema, plan)
  }
  return plan
}

function readMessage(reader: BinaryReader, schema: Message, length: number, depth: number): JsonObject {
  if (depth >= maxDepth) throw new DecodeError('exceeded max depth')
  const plan = planOf(schema)
  const object: JsonObject = {}
  readRecord(reader, length, (number, wire) => {
    const slot = plan.get(number)
    if (slot === undefined) return false
    if (slot.packable && wire === LengthDelimited) {
      const end = reader.uint32() + reader.pos
      if (end > reader.len) throw new DecodeError('unexpected EOF')
      while (reader.pos < end) slot.store(object, slot.read(reader, depth + 1))
      return true
    }
    expectWire(wire, slot.wire, slot.name)
    slot.store(object, slot.read(reader, depth + 1))
    return true
  })
  return object
}

/** Runs a reader; the wire library's errors become DecodeErrors. */
export function reading<T>(bytes: Uint8Array, read: (reader: BinaryReader) => T): T {
  try {
    return read(new BinaryReader(bytes))
  } catch (error) {
    if (error instanceof DecodeError) throw error
    throw new DecodeError(error instanceof RangeError ? 'unexpected EOF' : `proto: ${(error as Error).message}`)
  }
}

export { expectWire, readRecord }

/**
 * Decodes a message to its canonical value, without `kind` and `apiVersion`. Unknown fields are skipped.
 * @throws DecodeError when the bytes are malformed, truncated, nested too deep, or exceed `maxFilled`.
 */
export function decodeProtobuf(schema: Message, bytes: Uint8Array, options: Pick<DecodeOptions, 'maxFilled'> = {}): JsonObject {
  const object = reading(bytes, (reader) => readMessage(reader, schema, bytes.length, 0))
  return canonicalise(schema, object, { ...options, shares: true })
}
