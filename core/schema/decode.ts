/**
 * Decodes JSON to the canonical JSON value that a typed decode and encode would give in Go, in one pass: fields in
 * schema order, null as absent, zero values dropped or written as the schema says, scalars normalized.
 */

import { type DecodeBounds, DecodeBudget } from './decode-budget.ts'
import { InlinedField, MapKey, Walk, type WalkMode } from './decode-walk.ts'
import { goType, inlinedPath, omits, structName, typeNameOf } from './go/struct.ts'
import { givenEmpties, holdsEmpties, setGivenEmpties, setHoldsEmpties } from './json/given-empty.ts'
import { isObject } from './json/is-object.ts'
import { clone, isEmpty } from './json/members.ts'
import { pushPositions, sortFrom, sortTexts } from './json/positions.ts'
import { goJson, rawTextOf, setRawText } from './json/raw.ts'
import { type Field, type Json, type JsonObject, type Message, type Schema, string, type Union } from './model.ts'
import { type Reader as OpenReader, openReader } from './openapi/open-decode.ts'
import { scalarRules } from './scalars.ts'

export { DecodeError, PartError } from './decode-error.ts'

export interface DecodeOptions {
  /** The value is a whole object: `kind` and `apiVersion` come first even if the message has no typeMeta (custom resources). */
  readonly root?: boolean
  /** Maximum nesting of objects and lists; default 500, which every runtime's stack can hold. */
  readonly maxDepth?: number
  /** Don't copy canonical messages, lists and maps: for input without other owners. */
  readonly shares?: boolean | undefined
  /** A canonical object of the same schema: fields that the value shares with it are not read again. */
  readonly known?: JsonObject | undefined
  /** Copies a field of `known`. Default: the result shares it. */
  readonly copied?: ((name: string, value: Json) => Json) | undefined
  /** Default: unbounded. */
  readonly bounds?: DecodeBounds | undefined
  /** Unknown fields are sorted by member at each level. Default: input order. */
  readonly sorted?: boolean | undefined
  /** Paths of unknown fields have no keys of maps. */
  readonly omitsKeys?: boolean | undefined
}

export interface Decoded {
  readonly value: JsonObject
  /** Paths of fields unknown to the schema, such as `spec.containers[0].foo`, in input order or sorted; they are not in `value`. */
  readonly unknown: string[]
}

const defaultMaxDepth = 500

/** Reads a non-null value; a null result means unset. */
type Reader = (value: Json, walk: Walk) => Json

interface Slot {
  readonly name: string
  readonly step: string | InlinedField
  readonly read: Reader
  /** Value of an absent field; undefined omits it. */
  readonly absent: ((walk: Walk) => Json) | undefined
  readonly dropsZero: boolean
  /** An empty list or map counts as absent. */
  readonly collection: 'list' | 'map' | undefined
  readonly nullable: boolean
  /** The unset time (`0001-01-01T00:00:00Z`) is marked as given: null itself counts as absent. */
  readonly isTime: boolean
  /** The unset time stays as null. */
  readonly keepsUnset: boolean
}

interface Plan {
  readonly name: string
  /** Name of the Go struct with its package. */
  readonly struct: string
  readonly slots: readonly Slot[]
  readonly positions: ReadonlyMap<string, number>
  /** Positions of fields that are written even when absent, ascending. */
  readonly always: readonly number[]
}

/** Plan for a message, computed once. Keyed by the immutable schema, so it can't leak between servers. */
const plans = new WeakMap<Message, Plan>()
const rootPlans = new WeakMap<Message, Plan>()

/** Sets an own property, even one named `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

/** Checks the depth of a value that is kept unchanged. */
function readAny(value: Json, walk: Walk): Json {
  if (typeof value !== 'object' || value === null) return value
  walk.enter()
  let last: Json | undefined
  let members = 0
  for (const key in value) {
    const item = (value as JsonObject)[key] as Json
    if (typeof item !== 'object') members++
    if (typeof item !== 'object' || item === last) continue
    readAny(item, walk)
    last = item
  }
  if (!Array.isArray(value)) walk.budget.free.countObject(members)
  walk.depth--
  return value
}

/** A value from YAML or a patch has no text: it gets the one that Go would produce. */
function readRaw(value: Json, walk: Walk): Json {
  readAny(value, walk)
  if (typeof value !== 'object' || rawTextOf(value) !== undefined) return value
  return setRawText(clone(value), goJson(value))
}

/** As in the reference, unknown fields in it are not reported. */
function unionReader(union: () => Union): Reader {
  return (value, walk) => {
    const { message, wrap, unwrap } = union()
    const part = new Walk(undefined, walk.limit - walk.depth, 'copy', walk.budget)
    const read = readMessage(planOf(message), wrap(value), part)
    if (part.holdsEmpties) walk.holdsEmpties = true
    return unwrap(read)
  }
}

function listReader(schema: Schema & { type: 'list' }, named?: string): Reader {
  const typeName = goType(schema, named)
  const read = readerOf(schema.items, named)
  const zero = itemZeroOf(schema.items)
  return (value, walk) => {
    if (!Array.isArray(value)) throw walk.mismatch(value, typeName, false, '[]')
    walk.enter()
    const at = walk.path.push(0) - 1
    let items: Json[] | undefined = walk.shares ? undefined : []
    for (let i = 0; i < value.length; i++) {
      walk.path[at] = i
      const item = value[i] as Json
      const result = item === null ? zero(walk) : read(item, walk)
      if (items === undefined && result !== item) items = value.slice(0, i)
      items?.push(result)
    }
    walk.path.pop()
    walk.depth--
    return items ?? value
  }
}

function mapReader(schema: Schema & { type: 'map' }, named?: string): Reader {
  const typeName = goType(schema, named)
  const read = readerOf(schema.values, /^map\[[^\]]*\](.*)$/.exec(named ?? '')?.[1])
  const zero = itemZeroOf(schema.values)
  const nested = schema.values.type === 'message' || schema.values.type === 'list' || schema.values.type === 'map'
  return (value, walk) => {
    if (!isObject(value)) throw walk.mismatch(value, typeName, false, 'map[')
    walk.enter()
    const keys = Object.keys(value)
    const isEmptyMap = keys.length === 0
    if (schema.values.type !== 'message') walk.budget.countParts(keys.length)
    let items: Json[] | undefined = sortTexts(keys) && walk.shares ? undefined : []
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      const item = value[key] as Json
      if (nested) walk.path.push(new MapKey(key))
      const result = item === null ? zero(walk) : read(item, walk)
      if (items === undefined && result !== item) items = keys.slice(0, i).map((each) => value[each] as Json)
      items?.push(result)
      if (nested) walk.path.pop()
    }
    walk.depth--
    walk.isEmptyMap = isEmptyMap
    if (items === undefined) return value
    const result: JsonObject = {}
    for (let i = 0; i < keys.length; i++) setOwn(result, keys[i] as string, items[i] as Json)
    return result
  }
}

function readerOf(schema: Schema, named?: string): Reader {
  switch (schema.type) {
    case 'message': {
      if (schema.open) return openReaderOf(schema)
      let plan: Plan | undefined
      return (value, walk) => {
        plan ??= planOf(schema)
        return readMessage(plan, value, walk)
      }
    }
    case 'list':
      return listReader(schema, named)
    case 'map':
      return mapReader(schema, named)
    case 'any':
      return schema.union ? unionReader(schema.union) : schema.raw ? readRaw : readAny
    default: {
      const { read, readAs, typeName: kind, wrongPart } = scalarRules[schema.type]
      const typeName = readAs ?? goType(schema, named)
      return (value, walk) => {
        const result = read(value)
        if (result === undefined) {
          const part = wrongPart?.(value)
          throw part ? walk.mismatch(part.value, part.typeName) : walk.mismatch(value, typeName, readAs !== undefined, kind)
        }
        return result
      }
    }
  }
}

/** Zero value of a type, for fields that are written when unset. */
function zeroOf(schema: Schema): (walk: Walk) => Json {
  if (schema.type === 'message') {
    let plan: Plan | undefined
    return (walk) => {
      plan ??= planOf(schema)
      walk.budget.countFilled()
      return readMessage(plan, {}, walk)
    }
  }
  const zero = schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? null : scalarRules[schema.type].zero
  return () => zero
}

/** Zero value of an item of a list or map: bytes are empty there, never absent. */
const itemZeroOf = (schema: Schema): ((walk: Walk) => Json) => (schema.type === 'bytes' ? () => '' : zeroOf(schema))

function slotOf(name: string, field: Field, owner: Message): Slot {
  const inlined = inlinedPath(owner, name)
  const { absent, zero } = omits(field)
  const { type } = field.schema
  const isTime = type === 'time' || type === 'microTime'
  return {
    name,
    step: inlined === '' ? name : new InlinedField(name, `${inlined}${name}`),
    read: readerOf(field.schema, typeNameOf(field, owner)),
    absent: absent ? undefined : field.pointer ? () => null : zeroOf(field.schema),
    dropsZero: zero,
    collection: field.pointer || (field.schema.type !== 'list' && field.schema.type !== 'map') ? undefined : field.schema.type,
    nullable: field.schema.facets?.nullable === true,
    isTime,
    keepsUnset: field.pointer && isTime,
  }
}

const typeMeta = ['kind', 'apiVersion'].map(
  (name): Slot => ({
    name,
    step: name,
    read: readerOf(string),
    absent: undefined,
    dropsZero: true,
    collection: undefined,
    nullable: false,
    isTime: false,
    keepsUnset: false,
  }),
)

function makePlan(schema: Message, hasTypeMeta: boolean): Plan {
  const fields = [...schema.json].map(([name, field]) => slotOf(name, field, schema))
  const slots = hasTypeMeta ? [...typeMeta.filter(({ name }) => !schema.json.has(name)), ...fields] : fields
  return {
    name: schema.name,
    struct: structName(schema),
    slots,
    positions: new Map(slots.map(({ name }, position) => [name, position])),
    always: slots.flatMap(({ absent }, position) => (absent ? [position] : [])),
  }
}

function planOf(schema: Message, root = false): Plan {
  const cache = root ? rootPlans : plans
  let plan = cache.get(schema)
  if (plan === undefined) {
    plan = makePlan(schema, root || schema.typeMeta === true)
    cache.set(schema, plan)
  }
  return plan
}

const isZero = (value: Json) =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && (Array.isArray(value) ? value.length === 0 : isEmpty(value)))

/** The field's value; undefined: omitted. */
function readSlot(slot: Slot, value: Json, walk: Walk): Json | undefined {
  if (value === null && slot.nullable) return null
  walk.path.push(slot.step)
  let read: Json | undefined = value === null ? null : slot.read(value, walk)
  const { collection } = slot
  if (read !== null && collection !== undefined) {
    if (collection === 'map' ? walk.isEmptyMap : (read as Json[]).length === 0) {
      walk.droppedEmpty = true
      read = slot.absent?.(walk)
    }
  } else if (read === null && value !== null && slot.isTime) {
    walk.droppedEmpty = true
    if (!slot.keepsUnset) read = slot.absent?.(walk)
  } else if (read === null || (slot.dropsZero && isZero(read))) read = slot.absent?.(walk)
  walk.path.pop()
  return read
}

function readMessage(plan: Plan, value: Json, walk: Walk): JsonObject {
  if (!isObject(value)) throw walk.mismatch(value, plan.struct)
  walk.enter()
  walk.budget.countParts(1)
  const outer = walk.message
  walk.message = plan.name
  const result = walk.search ? searchMessage(plan, value, walk) : buildMessage(plan, value, walk)
  walk.message = outer
  walk.depth--
  return result
}

function searchMessage(plan: Plan, value: JsonObject, walk: Walk): JsonObject {
  const keys = Object.keys(value)
  if (walk.sorted) sortTexts(keys)
  for (const key of keys) {
    const position = plan.positions.get(key)
    if (position !== undefined) readSlot(plan.slots[position] as Slot, value[key] as Json, walk)
    else walk.addUnknown(key)
  }
  return {}
}

/** Starts the result with the fields up to `end`, which are canonical. */
function firstOf(value: JsonObject, slots: readonly Slot[], positions: readonly number[], start: number, end: number): JsonObject {
  const result: JsonObject = {}
  for (let at = start; at < end; at++) {
    const { name } = slots[positions[at] as number] as Slot
    result[name] = value[name] as Json
  }
  return result
}

function buildMessage(plan: Plan, value: JsonObject, walk: Walk): JsonObject {
  const { slots, always } = plan
  const stack = walk.positions
  const positions = stack.items
  const start = stack.height
  const rest = pushPositions(plan.positions, value, stack)
  const isOrdered = sortFrom(stack, start)
  const end = stack.height
  let result: JsonObject | undefined = walk.shares && isOrdered && rest.length === 0 ? undefined : {}
  const known = walk.depth === 1 ? walk.known : undefined
  let empties = givenEmpties(value)
  let next = 0
  for (let at = start; at < end; at++) {
    const position = positions[at] as number
    for (let missing = always[next]; missing !== undefined && missing < position; missing = always[++next]) {
      result ??= firstOf(value, slots, positions, start, at)
      fill(slots[missing] as Slot, result, walk)
    }
    if (always[next] === position) next++
    const slot = slots[position] as Slot
    const given = value[slot.name] as Json
    const isKnown = known !== undefined && typeof given === 'object' && known[slot.name] === given
    const isUnset = given === null && slot.keepsUnset && empties !== undefined && Object.hasOwn(empties, slot.name)
    const read = isKnown ? (walk.copied ? walk.copied(slot.name, given) : given) : isUnset ? null : readSlot(slot, given, walk)
    if (walk.droppedEmpty) {
      walk.droppedEmpty = false
      empties = { ...empties, [slot.name]: slot.isTime ? null : given }
    }
    if (result === undefined && read !== given) result = firstOf(value, slots, positions, start, at)
    if (result !== undefined && read !== undefined) result[slot.name] = read
  }
  for (; next < always.length; next++) {
    result ??= firstOf(value, slots, positions, start, end)
    fill(slots[always[next] as number] as Slot, result, walk)
  }
  stack.height = start
  for (const key of rest) walk.addUnknown(key)
  if (empties !== undefined) walk.holdsEmpties = true
  if (result === undefined) return value
  setGivenEmpties(result, empties)
  return result
}

/** Writes an absent field. */
function fill(slot: Slot, result: JsonObject, walk: Walk): void {
  const read = readSlot(slot, null, walk)
  if (read !== undefined) result[slot.name] = read
}

/** Readers of custom resources, cached by schema. */
const openReaders = new WeakMap<Message, OpenReader>()

function openReaderOf(schema: Message): OpenReader {
  let reader = openReaders.get(schema)
  if (reader === undefined) {
    reader = openReader(schema, readerOf)
    openReaders.set(schema, reader)
  }
  return reader
}

/** Ignores unknown fields in metadata of embedded objects. */
class PartWalk extends Walk {
  override addUnknown(key: string): void {
    if (this.origin === 0) super.addUnknown(key)
  }
}

/**
 * Finds fields of a part of a custom resource that would be pruned, except in metadata.
 * @throws DecodeError when embedded metadata is malformed, or nesting is too deep.
 */
export function unknownIn(schema: Schema, value: Json): readonly string[] {
  const unknown: string[] = []
  openReader(schema, readerOf)(value, new PartWalk(unknown, defaultMaxDepth))
  return unknown
}

/** Paths of unknown fields in the reference's order: metadata first, then by text. */
function ordered(unknown: readonly string[]): string[] {
  const ofMetadata = (path: string) => (path.startsWith('metadata.') ? 0 : 1)
  return [...unknown].sort((a, b) => ofMetadata(a) - ofMetadata(b) || (a < b ? -1 : 1))
}

function read(schema: Message, value: Json, options: DecodeOptions, unknown?: string[], mode?: WalkMode): JsonObject {
  const walk = new Walk(
    unknown,
    options.maxDepth ?? defaultMaxDepth,
    mode ?? (options.shares ? 'share' : 'copy'),
    new DecodeBudget(options.bounds),
  )
  walk.sorted = options.sorted === true
  walk.omitsKeys = options.omitsKeys === true
  walk.known = options.known
  walk.copied = options.copied
  walk.holdsEmpties = options.known !== undefined && holdsEmpties(options.known)
  const result = schema.open ? (openReaderOf(schema)(value, walk) as JsonObject) : readMessage(planOf(schema, options.root), value, walk)
  if (walk.holdsEmpties) setHoldsEmpties(result)
  return result
}

/**
 * Decodes parsed JSON. The input is not changed; `any` values are shared with the result, and with `shares` all canonical parts.
 * @throws DecodeError when a value has the wrong type, is malformed, is nested too deep, or exceeds `bounds`.
 */
export function decode(schema: Message, value: Json, options: DecodeOptions = {}): Decoded {
  const unknown: string[] = []
  const result = read(schema, value, options, unknown)
  if (unknown.length < 2) return { value: result, unknown }
  if (schema.open) return { value: result, unknown: ordered(unknown) }
  const found: string[] = []
  read(schema, value, options, found, 'search')
  return { value: result, unknown: found }
}

/** A stored custom resource without malformed metadata, which may have been stored before metadata was validated. */
export function withoutMalformed(schema: Message, value: Json): JsonObject {
  return openReaderOf(schema)(value, new Walk(undefined, defaultMaxDepth, 'lenient')) as JsonObject
}

/** Canonical form of a decoded object after changes by hooks or patches: the value to store. */
export function canonicalise(schema: Message, value: Json, options: DecodeOptions = {}): JsonObject {
  return read(schema, value, options)
}
