/**
 * Encodes canonical JSON as protobuf, as the reference server's generated codecs do, without parsing it: stored objects are JSON bytes, and lists and
 * watches of them in protobuf cost what walking over these bytes costs.
 */
import { WireType } from '@bufbuild/protobuf/wire'
import { concatenate } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { backslash, letterU, openBrace, openBracket, quote } from '../json/bytes.ts'
import { parseJsonText, printJson } from '../json/text.ts'
import { Transcoder } from '../json/transcoder.ts'
import type { AnySchema, Field, Json, Message, ScalarType, Schema, Union } from '../model.ts'
import { RepeatedValues } from './repeated-values.ts'
import { tagOf } from './writer.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const nothing = new Uint8Array(0)
/** First size of the output of a tag or a zero value; up to this size, a loop copies faster than the engine. */
const fewBytes = 16
const emptyObject = encoder.encode('{}')
const keyTag = new Uint8Array([0x0a])

/** Reads a value, whose first byte the cursor is on, and writes it without tag, but with length if the wire type has one. */
type Write = (to: Transcoder) => void

interface Encoding {
  readonly wire: WireType
  readonly write: Write
}

const { Varint, Bit64, LengthDelimited } = WireType

const scalars: Readonly<Record<ScalarType, Encoding>> = {
  string: { wire: LengthDelimited, write: (to) => to.copyString() },
  bool: { wire: Varint, write: (to) => to.varint(to.bool() ? 1 : 0) },
  int32: { wire: Varint, write: (to) => to.int64(to.number()) },
  int64: { wire: Varint, write: (to) => to.int64(to.number()) },
  double: { wire: Bit64, write: (to) => to.double(Number(to.number())) },
  bytes: { wire: LengthDelimited, write: (to) => to.copyBase64() },
  time: { wire: LengthDelimited, write: (to) => to.copyTime(false) },
  microTime: { wire: LengthDelimited, write: (to) => to.copyTime(true) },
  duration: { wire: LengthDelimited, write: (to) => to.copyDuration() },
  quantity: { wire: LengthDelimited, write: (to) => to.copyQuantity() },
  intOrString: { wire: LengthDelimited, write: (to) => to.copyIntOrString() },
}

/** The zero value of each scalar type, with its length; undefined: absent. */
const zeros: Readonly<Record<ScalarType, readonly number[] | undefined>> = {
  string: [0],
  bool: [0],
  int32: [0],
  int64: [0],
  double: [0, 0, 0, 0, 0, 0, 0, 0],
  bytes: undefined,
  time: [0],
  microTime: [0],
  duration: [2, 8, 0],
  quantity: [3, 0x0a, 1, 0x30],
  intOrString: [6, 8, 0, 0x10, 0, 0x1a, 0],
}

/** A field in JSON; those of inlined messages are fields of the message around them. */
interface Leaf {
  /** In the order of protobuf. */
  readonly index: number
  readonly name: Uint8Array
  /** Reads the value, which is not null, and writes it with its tags. */
  readonly write: Write
  /** Written for an absent value. */
  readonly zero: Uint8Array
  /** Written for null. */
  readonly unset: Uint8Array
}

/** What a message consists of, in the order of tags: a leaf, or an inlined message with its tag. */
type EncodedField = Leaf | { readonly tag: Uint8Array; readonly parts: readonly EncodedField[] }

interface Plan {
  readonly parts: readonly EncodedField[]
  readonly leaves: readonly Leaf[]
  /** Leaves by the hash of their names: several may share a place. */
  readonly places: readonly (readonly Leaf[])[]
  /** All zero values, one after the other, and where those of each leaf start; last their end. */
  readonly zeros: Uint8Array
  readonly zeroStarts: readonly number[]
  /** Fields can be written as they come as long as they are in the order of tags. */
  readonly inOrder: boolean
  /** Hash of the message's name, under which an encoder remembers the usual size of its length. */
  readonly hash: number
}

const bytesOf = (write: (to: Transcoder) => void): Uint8Array => {
  const to = new Transcoder(fewBytes)
  write(to)
  return to.finish()
}
const tagBytes = (tag: number, wire: WireType) => bytesOf((to) => to.varint(tagOf(tag, wire)))

function hashOf(name: Uint8Array): number {
  let hash = 0
  for (const byte of name) hash = (hash * 31 + byte) | 0
  return hash
}

/** Reads a member's name, on whose quote the cursor is; the position is behind it then. Undefined: no field has it. */
function leafAt(to: Transcoder, { places, leaves }: Plan): Leaf | undefined {
  const { json } = to
  const start = to.at + 1
  let hash = 0
  let at = start
  for (; ; at++) {
    const byte = json[at]
    if (byte === quote || byte === undefined) break
    if (byte === backslash) {
      const name = encoder.encode(to.string())
      return leaves.find((leaf) => leaf.name.length === name.length && leaf.name.every((each, index) => each === name[index]))
    }
    hash = (hash * 31 + byte) | 0
  }
  to.at = at + 1
  const length = at - start
  candidates: for (const leaf of places[hash & (places.length - 1)] as readonly Leaf[]) {
    const { name } = leaf
    if (name.length !== length) continue
    for (let index = 0; index < length; index++) if (name[index] !== json[start + index]) continue candidates
    return leaf
  }
  return undefined
}

/** Writes the fields of the object that the cursor is on, without their length. */
function writeFields(to: Transcoder, plan: Plan): void {
  const { zeros, zeroStarts } = plan
  const first = to.end
  const { written } = to
  const before = written.size
  let { inOrder } = plan
  let next = 0
  if (to.enter(openBrace))
    while (to.more()) {
      const leaf = leafAt(to, plan)
      to.toValue()
      if (leaf === undefined) {
        to.skip()
        continue
      }
      const { index } = leaf
      if (inOrder && index >= next) to.bytes(zeros, zeroStarts[next], zeroStarts[index])
      else inOrder = false
      next = index + 1
      const start = to.end
      if (to.isNull) {
        to.skip()
        to.bytes(leaf.unset)
      } else writeValue(to, leaf)
      written.push(index, start, to.end)
    }
  if (inOrder) to.bytes(zeros, zeroStarts[next], zeros.length)
  else arrange(to, plan, first, before)
  written.size = before
}

/** Writes a value that is not null: what was written for the same object or list before is copied. */
function writeValue(to: Transcoder, leaf: Leaf): void {
  const { json, at } = to
  const { repeated } = to
  if (repeated === undefined || (json[at] !== openBrace && json[at] !== openBracket)) {
    leaf.write(to)
    return
  }
  const same = repeated.find(leaf, to.view(), at)
  if (same) {
    to.at = at + same.size
    to.copy(same.written.subarray(0, same.writtenSize))
    return
  }
  const start = to.end
  leaf.write(to)
  repeated.keep(leaf, json, at, to.at, to.out, start, to.end)
}

/** Puts the fields that have been written since `first` in the order of tags. `before`: size of `written` then. */
function arrange(to: Transcoder, plan: Plan, first: number, before: number): void {
  const { end, written } = to
  compose(to, plan.parts, written.places(before, plan.leaves.length))
  written.size = before
  to.replace(first, end)
}

/** Writes the parts of a message, of which the output has those at `places`, behind them. */
function compose(to: Transcoder, parts: readonly EncodedField[], places: Int32Array): void {
  for (const part of parts) {
    if ('parts' in part) {
      to.bytes(part.tag)
      const start = to.open(1)
      compose(to, part.parts, places)
      to.close(start, 1)
      continue
    }
    const place = part.index * 2
    const [start, end] = [places[place] as number, places[place + 1] as number]
    if (end === 0) to.bytes(part.zero)
    else if (end - start < fewBytes) to.bytes(to.out, start, end)
    else to.again(start, end)
  }
}

function writeObject(to: Transcoder, plan: Plan): void {
  const { hash } = plan
  const size = to.usualSize(hash)
  const start = to.open(size)
  writeFields(to, plan)
  const needed = to.close(start, size)
  if (needed !== size) to.learnSize(hash, needed)
}

const writeRepeated =
  (tag: Uint8Array, items: Encoding): Write =>
  (to) => {
    if (!to.enter(openBracket)) return
    while (to.more()) {
      to.bytes(tag)
      items.write(to)
    }
  }

/** A list in a message of its own. */
function writeWrapped(write: Write): Write {
  return (to) => {
    const start = to.open(1)
    write(to)
    to.close(start, 1)
  }
}

/** Whether there is an escape with a code point, which a printer may spell in another way. */
function hasCodePoint(json: Uint8Array): boolean {
  for (let at = json.indexOf(backslash); at >= 0; at = json.indexOf(backslash, at + 2)) if (json[at + 1] === letterU) return true
  return false
}

/** The text of any value: as it stands there, unless it is printed in another way. */
function writeAny({ raw }: AnySchema): Write {
  return (to) => {
    const outer = to.open(2)
    if (to.isNull) to.skip()
    else {
      to.varint(0x0a)
      const start = to.at
      to.skip()
      const text = to.json.subarray(start, to.at)
      if (raw || !hasCodePoint(text)) {
        to.varint(text.length)
        to.copy(text)
      } else to.writeText(printJson(parseJsonText(decoder.decode(text))))
    }
    to.close(outer, 2)
  }
}

/** For each JSON type, by the first byte of its values: what a union wraps. */
const samples: readonly (readonly [first: string, value: Json])[] = [
  ['{', {}],
  ['[', []],
  ['t', true],
  ['f', false],
]

interface Wrapped {
  readonly leaf: Leaf
  /** JSON of a member that is the same for all values of the type; absent: the value itself. */
  readonly constant?: Uint8Array
}

/** Undefined for a type that is not allowed. */
function attempt<T>(wrap: () => T): T | undefined {
  try {
    return wrap()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Finds out, by samples, which members wrap the values of each type; none: an empty message does, or the type is not allowed. */
function wrappings({ wrap }: Union, { leaves }: Plan): ReadonlyMap<number, readonly Wrapped[]> {
  const all = new Map<number, readonly Wrapped[]>()
  for (const [first, sample] of samples) {
    const members = attempt(() => Object.entries(wrap(sample)))?.map(([name, value]): Wrapped => {
      const leaf = leaves.find((each) => decoder.decode(each.name) === name) as Leaf
      return value === sample ? { leaf } : { leaf, constant: encoder.encode(printJson(value)) }
    })
    if (members) all.set(first.charCodeAt(0), members)
  }
  return all
}

/** A value with one of several JSON types, such as boolean or object: a message with a field for each. */
function writeUnion(union: () => Union): Write {
  let known: { readonly plan: Plan; readonly members: ReadonlyMap<number, readonly Wrapped[]> } | undefined
  const make = () => {
    const own = union()
    const plan = planOf(own.message)
    return { plan, members: wrappings(own, plan) }
  }
  return (to) => {
    known ??= make()
    const { plan, members } = known
    const outer = to.open(2)
    const own = members.get(to.peek())
    if (own === undefined || own.length === 0) to.skip()
    else {
      const { end: first, written } = to
      const before = written.size
      for (const { leaf, constant } of own) {
        const start = to.end
        if (constant) to.within(constant, leaf.write)
        else leaf.write(to)
        written.push(leaf.index, start, to.end)
      }
      arrange(to, plan, first, before)
    }
    to.close(outer, 2)
  }
}

function encodingOf(schema: Schema): Encoding {
  switch (schema.type) {
    case 'message': {
      let plan: Plan | undefined
      return {
        wire: LengthDelimited,
        write: (to) => {
          plan ??= planOf(schema)
          writeObject(to, plan)
        },
      }
    }
    case 'list': {
      // Only lists with a wrapper message can be map values or list items.
      const items = encodingOf(schema.items)
      return { wire: LengthDelimited, write: writeWrapped(writeRepeated(tagBytes(1, items.wire), items)) }
    }
    case 'map':
      throw new TypeError('A map can only be a field')
    case 'any':
      return { wire: LengthDelimited, write: schema.union ? writeUnion(schema.union) : writeAny(schema) }
    default:
      return scalars[schema.type]
  }
}

/** Entry of a map in the output, and its key without length. */
interface MapEntry {
  readonly start: number
  readonly end: number
  readonly keyStart: number
  readonly keyEnd: number
}

/** Order of two keys by their bytes. */
function compareKeys({ out }: Transcoder, a: MapEntry, b: MapEntry): number {
  const length = Math.min(a.keyEnd - a.keyStart, b.keyEnd - b.keyStart)
  for (let at = 0; at < length; at++) {
    const difference = (out[a.keyStart + at] as number) - (out[b.keyStart + at] as number)
    if (difference !== 0) return difference
  }
  return a.keyEnd - a.keyStart - (b.keyEnd - b.keyStart)
}

/** Entries of maps are sorted by the bytes of their keys. */
function writeMap(tag: Uint8Array, schema: Schema): Write {
  const values = encodingOf(schema)
  const valueTag = tagBytes(2, values.wire)
  // Null bytes are omitted; empty bytes are written.
  const omitsNull = schema.type === 'bytes'
  return (to) => {
    const first = to.end
    const entries: MapEntry[] = []
    let sorted = true
    if (!to.enter(openBrace)) return
    while (to.more()) {
      const start = to.end
      to.bytes(tag)
      const inner = to.open(1)
      to.bytes(keyTag)
      const key = to.end
      to.copyString()
      const keyEnd = to.end
      to.toValue()
      if (omitsNull && to.isNull) to.skip()
      else {
        to.bytes(valueTag)
        values.write(to)
      }
      const shift = to.close(inner, 1) - 1
      let content = key + shift
      while ((to.out[content++] as number) >= 0x80);
      const entry = { start, end: to.end, keyStart: content, keyEnd: keyEnd + shift }
      const previous = entries.at(-1)
      if (previous && compareKeys(to, previous, entry) >= 0) sorted = false
      entries.push(entry)
    }
    if (sorted) return
    entries.sort((a, b) => compareKeys(to, a, b))
    const end = to.end
    for (const [index, entry] of entries.entries()) {
      const next = entries[index + 1]
      if (next === undefined || compareKeys(to, entry, next) !== 0) to.again(entry.start, entry.end)
    }
    to.replace(first, end)
  }
}

function zeroOf({ schema, pointer }: Field, tag: Uint8Array): Uint8Array {
  if (pointer || schema.type === 'list' || schema.type === 'map') return nothing
  const zero = schema.type === 'message' ? undefined : schema.type === 'any' ? [0] : zeros[schema.type]
  if (zero === undefined && schema.type !== 'message') return nothing
  return bytesOf((to) => {
    to.bytes(tag)
    if (schema.type === 'message') to.within(emptyObject, () => writeObject(to, planOf(schema)))
    else to.bytes(new Uint8Array(zero ?? []))
  })
}

function leafOf(name: string, field: Field, index: number): Leaf {
  const { tag, schema } = field
  const own = { index, name: encoder.encode(JSON.stringify(name).slice(1, -1)) }
  if (schema.type === 'list' && !schema.wrapper) {
    const items = encodingOf(schema.items)
    return { ...own, write: writeRepeated(tagBytes(tag, items.wire), items), zero: nothing, unset: nothing }
  }
  if (schema.type === 'map')
    return { ...own, write: writeMap(tagBytes(tag, LengthDelimited), schema.values), zero: nothing, unset: nothing }
  const { wire, write } = encodingOf(schema)
  const key = tagBytes(tag, wire)
  const zero = zeroOf(field, key)
  return {
    ...own,
    write: (to) => {
      to.bytes(key)
      write(to)
    },
    zero,
    // A time that is null is present and unset.
    unset: schema.type === 'time' || schema.type === 'microTime' ? new Uint8Array([...key, 0]) : zero,
  }
}

/** The parts of a message, whose leaves are added to `leaves`. */
function partsOf(schema: Message, leaves: Leaf[]): readonly EncodedField[] {
  return Object.entries(schema.fields)
    .filter(([, { tag }]) => tag > 0)
    .sort(([, a], [, b]) => a.tag - b.tag)
    .map(([name, field]) => {
      if (field.inline) return { tag: tagBytes(field.tag, LengthDelimited), parts: partsOf(field.schema as Message, leaves) }
      const leaf = leafOf(name, field, leaves.length)
      leaves.push(leaf)
      return leaf
    })
}

/** Computed once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, Plan>()

function planOf(schema: Message): Plan {
  const known = plans.get(schema)
  if (known) return known
  const leaves: Leaf[] = []
  const parts = partsOf(schema, leaves)
  let size = 4
  while (size < leaves.length * 2) size *= 2
  const places: Leaf[][] = Array.from({ length: size }, () => [])
  for (const leaf of leaves) places[hashOf(leaf.name) & (size - 1)]!.push(leaf)
  const zeroStarts = [0]
  for (const [index, { zero }] of leaves.entries()) zeroStarts.push((zeroStarts[index] as number) + zero.length)
  const plan: Plan = {
    parts,
    leaves,
    places,
    zeros: concatenate(leaves.map(({ zero }) => zero)),
    zeroStarts,
    inOrder: parts.every((part) => !('parts' in part)),
    hash: hashOf(encoder.encode(schema.name)),
  }
  plans.set(schema, plan)
  return plan
}

/** Encodes canonical values. It keeps its buffers and what values have in common, so that a server has one for all of its objects. */
export class ProtobufEncoder {
  readonly #size: number | undefined
  /** Made for the first value: most servers of a test encode none. */
  #transcoder: Transcoder | undefined

  /** `size`: of the first output, in bytes, for a single value. */
  constructor(size?: number) {
    this.#size = size
  }

  /** Encodes the JSON of a canonical value, in pieces to be joined. `kind` and `apiVersion` are part of the envelope instead. */
  encode(schema: Message, ...json: readonly Uint8Array[]): Uint8Array {
    this.#transcoder ??= new Transcoder(this.#size, this.#size === undefined ? new RepeatedValues() : undefined)
    const to = this.#transcoder
    to.reset(json)
    writeFields(to, planOf(schema))
    return to.finish()
  }
}

/** Encodes a canonical value without `kind` and `apiVersion`. */
export function encodeProtobuf(schema: Message, value: Json): Uint8Array {
  const json = encoder.encode(printJson(value))
  return new ProtobufEncoder(json.length).encode(schema, json)
}
