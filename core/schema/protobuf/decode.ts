/**
 * Decodes protobuf to canonical JSON values, as the reference server's generated codecs do: of a repeated scalar the last counts, messages merge,
 * entries of maps replace each other. Input is untrusted: every length and depth is checked.
 */
import { WireType } from '@bufbuild/protobuf/wire'
import { canonicalise, type DecodeOptions, setOwn } from '../decode.ts'
import { DecodeBudget } from '../decode-budget.ts'
import { DecodeError } from '../decode-error.ts'
import { encodeBase64 } from '../formats/base64.ts'
import { formatDuration } from '../formats/duration.ts'
import { canonicalQuantity } from '../formats/quantity.ts'
import { formatTime, unsetTime } from '../formats/time.ts'
import { isObject } from '../json/is-object.ts'
import { parseJsonText } from '../json/text.ts'
import type { AnySchema, Field, Json, JsonObject, Message, ScalarType, Schema } from '../model.ts'
import { scalarRules } from '../scalars.ts'
import { WireReader } from './reader.ts'

const maxDepth = 500

class ObjectReader extends WireReader {
  readonly budget: DecodeBudget

  constructor(bytes: Uint8Array, budget: DecodeBudget) {
    super(bytes)
    this.budget = budget
  }
}

/** Reads one value after its tag; `before`: the value of earlier occurrences of the field, which what merges continues. */
type Read = (reader: ObjectReader, depth: number, before: Json | undefined) => Json

interface Decoding {
  readonly wire: WireType
  readonly read: Read
}

interface Slot {
  readonly name: string
  readonly wire: WireType
  /** Reads a value and stores it in its field. */
  readonly read: (reader: ObjectReader, depth: number, object: JsonObject) => void
  /** Accepts packed elements. */
  readonly packable: boolean
}

const plans = new WeakMap<Message, ReadonlyMap<number, Slot>>()

const { Varint, Bit64, LengthDelimited } = WireType
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Calls `field` for each field of the message of this name that follows; it returns false for unknown fields. Returns whether there were any. */
function readFields(reader: ObjectReader, name: string, field: (number: number) => boolean): boolean {
  const outer = reader.end
  reader.end = reader.extent()
  const isEmpty = reader.pos === reader.end
  while (reader.pos < reader.end) {
    reader.tag(name)
    if (!field(reader.number)) reader.skip()
  }
  reader.end = outer
  return !isEmpty
}

const nanosPerSecond = 1_000_000_000

function readTime(type: 'time' | 'microTime'): Read {
  return (reader) => {
    let seconds = 0
    let nanos = 0
    const isSet = readFields(reader, 'Timestamp', (number) => {
      if (number !== 1 && number !== 2) return false
      reader.expect(Varint, number === 1 ? 'Seconds' : 'Nanos')
      if (number === 1) seconds = Number(reader.int64())
      else nanos = reader.int32()
      return true
    })
    // Present and unset: not the same as absent.
    if (!isSet) return unsetTime[type]
    if (type === 'time') return formatTime({ seconds, nanos: 0 }, type)
    // Go cuts to microseconds, then carries what exceeds a second.
    const cut = Math.trunc(nanos / 1000) * 1000
    const carried = Math.floor(cut / nanosPerSecond)
    return formatTime({ seconds: seconds + carried, nanos: cut - carried * nanosPerSecond }, type)
  }
}

const readQuantity: Read = (reader, _depth, before) => {
  let text = before as string | undefined
  readFields(reader, 'Quantity', (number) => {
    if (number !== 1) return false
    reader.expect(LengthDelimited, 'String')
    text = canonicalQuantity(reader.string())
    return true
  })
  return text ?? '0'
}

const readDuration: Read = (reader, _depth, before) => {
  let nanoseconds: bigint | undefined
  readFields(reader, 'Duration', (number) => {
    if (number !== 1) return false
    reader.expect(Varint, 'Duration')
    nanoseconds = reader.bigInt64()
    return true
  })
  return nanoseconds === undefined ? (before ?? formatDuration(0n)) : formatDuration(nanoseconds)
}

const readIntOrString: Read = (reader, _depth, before) => {
  let isText = typeof before === 'string'
  let value = typeof before === 'number' ? before : 0
  let text = typeof before === 'string' ? before : ''
  readFields(reader, 'IntOrString', (number) => {
    if (number === 1) {
      reader.expect(Varint, 'Type')
      isText = reader.int64() === 1
    } else if (number === 2) {
      reader.expect(Varint, 'IntVal')
      value = reader.int32()
    } else if (number === 3) {
      reader.expect(LengthDelimited, 'StrVal')
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
  int64: { wire: Varint, read: (reader) => reader.int64() },
  double: { wire: Bit64, read: (reader) => reader.double() },
  bytes: { wire: LengthDelimited, read: (reader) => encodeBase64(reader.bytes()) },
  time: { wire: LengthDelimited, read: readTime('time') },
  microTime: { wire: LengthDelimited, read: readTime('microTime') },
  duration: { wire: LengthDelimited, read: readDuration },
  quantity: { wire: LengthDelimited, read: readQuantity },
  intOrString: { wire: LengthDelimited, read: readIntOrString },
}

function readAny(reader: ObjectReader, schema: AnySchema, before: Json | undefined): Json {
  let raw: Uint8Array | undefined
  readFields(reader, schema.model?.path.split('.').pop() ?? 'RawExtension', (number) => {
    if (number !== 1) return false
    reader.expect(LengthDelimited, 'Raw')
    raw = reader.bytes()
    return true
  })
  if (raw === undefined) return before ?? null
  if (raw.length === 0) return null
  try {
    return parseJsonText(utf8.decode(raw), schema)
  } catch {
    throw new DecodeError('the raw bytes of an extension are not JSON')
  }
}

/** The message that an earlier value of a field is part of, or a new one. */
const messageOf = (before: Json | undefined): JsonObject => (before !== undefined && isObject(before) ? before : {})

/** A list within a message of its own, such as the values of an `extra` entry. */
function wrappedList(schema: Schema & { type: 'list' }): Read {
  const { wire, read } = decodingOf(schema.items)
  return (reader, depth, before) => {
    const items = Array.isArray(before) ? before : []
    readFields(reader, 'Items', (number) => {
      if (number !== 1) return false
      reader.expect(wire, 'Items')
      items.push(read(reader, depth, undefined))
      return true
    })
    return items
  }
}

function anyDecoding(schema: AnySchema): Read {
  const { union } = schema
  if (!union) return (reader, _depth, before) => readAny(reader, schema, before)
  return (reader, depth, before) => {
    const { message, wrap, unwrap } = union()
    const given = before === undefined || before === null ? {} : (wrap(before) as JsonObject)
    return unwrap(readMessage(reader, message, reader.extent(), depth, given))
  }
}

function decodingOf(schema: Schema): Decoding {
  switch (schema.type) {
    case 'message':
      return {
        wire: LengthDelimited,
        read: (reader, depth, before) => readMessage(reader, schema, reader.extent(), depth, messageOf(before)),
      }
    case 'list':
      return { wire: LengthDelimited, read: wrappedList(schema) }
    case 'map':
      throw new TypeError('A map can only be a field')
    case 'any':
      return { wire: LengthDelimited, read: anyDecoding(schema) }
    default:
      return scalars[schema.type]
  }
}

/** The value of an entry of a map that has none. */
function zeroOf(schema: Schema): Json {
  if (schema.type === 'bytes') return ''
  if (schema.type === 'list') return []
  return schema.type === 'message' || schema.type === 'map' || schema.type === 'any' ? null : scalarRules[schema.type].zero
}

/**
 * An entry of a map; absent parts are zero values. The reference's code for entries is part of the message around them: it does not look at the
 * types of key and value, and they may reach past the end of the entry, which counts all the same.
 */
function entryReader(name: string, values: Schema): Slot['read'] {
  const { read } = decodingOf(values)
  const nested = values.type === 'message'
  return (reader, depth, object) => {
    const end = reader.extent()
    if (!nested) reader.budget.countParts(1)
    let key = ''
    let value = zeroOf(values)
    while (reader.pos < end) {
      reader.entryTag()
      if (reader.number === 1) key = reader.string()
      else if (reader.number === 2) value = read(reader, depth, undefined)
      else {
        reader.skip()
        if (reader.pos > end) throw new DecodeError('unexpected EOF')
      }
    }
    reader.pos = end
    object[name] ??= {}
    setOwn(object[name] as JsonObject, key, value)
  }
}

/** A time that is no pointer: Go sends it even if it is unset, which is absent then. */
function timeReader(name: string, type: 'time' | 'microTime') {
  const read = readTime(type)
  return (reader: ObjectReader, depth: number, object: JsonObject) => {
    const value = read(reader, depth, undefined)
    if (value === unsetTime[type]) delete object[name]
    else object[name] = value
  }
}

function slotOf(name: string, { schema, inline, pointer }: Field): Slot {
  if (schema.type === 'list' && !schema.wrapper) {
    const { wire, read } = decodingOf(schema.items)
    const store = (reader: ObjectReader, depth: number, object: JsonObject) => {
      const item = read(reader, depth, undefined)
      const items = object[name]
      if (Array.isArray(items)) items.push(item)
      else object[name] = [item]
    }
    return { name, wire, read: store, packable: wire !== LengthDelimited }
  }
  if (schema.type === 'map') return { name, wire: LengthDelimited, read: entryReader(name, schema.values), packable: false }
  if (!pointer && (schema.type === 'time' || schema.type === 'microTime'))
    return { name, wire: LengthDelimited, read: timeReader(name, schema.type), packable: false }
  const { wire, read } = decodingOf(schema)
  const store = inline
    ? (reader: ObjectReader, depth: number, object: JsonObject) => void read(reader, depth, object)
    : (reader: ObjectReader, depth: number, object: JsonObject) => {
        object[name] = read(reader, depth, object[name])
      }
  return { name, wire, read: store, packable: false }
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

/** Reads a message that ends at `end` into an object. */
function readMessage(reader: ObjectReader, schema: Message, end: number, depth: number, object: JsonObject): JsonObject {
  if (depth >= maxDepth) throw new DecodeError('exceeded max depth')
  reader.budget.countParts(1)
  const plan = planOf(schema)
  const outer = reader.end
  reader.end = end
  while (reader.pos < end) {
    reader.tag(schema.name)
    const slot = plan.get(reader.number)
    if (slot === undefined) reader.skip()
    else if (slot.packable && reader.wire === LengthDelimited) {
      const last = reader.extent()
      while (reader.pos < last) slot.read(reader, depth + 1, object)
    } else {
      reader.expect(slot.wire, slot.name)
      slot.read(reader, depth + 1, object)
    }
  }
  reader.end = outer
  return object
}

/**
 * Decodes a message to its canonical value, without `kind` and `apiVersion`. Unknown fields are skipped.
 * @throws DecodeError when the bytes are malformed, truncated, nested too deep, or exceed `bounds`.
 */
export function decodeProtobuf(schema: Message, bytes: Uint8Array, options: Pick<DecodeOptions, 'bounds'> = {}): JsonObject {
  const object = readMessage(new ObjectReader(bytes, new DecodeBudget(options.bounds)), schema, bytes.length, 0, {})
  return canonicalise(schema, object, { ...options, shares: true })
}
