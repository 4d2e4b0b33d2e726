/**
 * JavaScript representation of CEL values:
 *
 *     bool, string, null      boolean, string, null
 *     int, uint, double       number or bigint, CelUint, CelDouble (numbers.ts)
 *     bytes                   Uint8Array
 *     timestamp, duration     CelTimestamp, CelDuration (times.ts)
 *     list                    array; KeyedList if a schema declares the identity of items
 *     map                     CelMap; a plain object for JSON maps, whose whole numbers are ints
 *     object                  CelObject, a typed view of a decoded API object
 *     optional, type          CelOptional, CelTypeValue
 *     library values          classes that extend CelOpaque
 */
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { drained, type MaybeSteps, Pace, type Parts, Steps, unitsOf, within } from '../steps.ts'
import { type CelType, dynType, type Stored } from '../types.ts'
import { CelError, fail } from './errors.ts'
import { CelDouble, CelUint, type Int, intOf } from './numbers.ts'
import { parseDuration, parseTimestamp } from './times.ts'

/** A value of a library type. */
export abstract class CelOpaque {
  abstract readonly celType: CelType
  abstract equals(other: unknown): boolean
  /** Cost units of its traversal; 1 if it has no size. */
  size?(): number
  /** False if `optional.ofNonZeroValue` keeps the value. */
  isZero(): boolean {
    return false
  }
}

export class CelOptional {
  /** Undefined: empty. */
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
  get hasValue(): boolean {
    return this.value !== undefined
  }
}

/** A type as a value, such as the result of `type(x)`. */
export class CelTypeValue {
  readonly type: CelType
  constructor(type: CelType) {
    this.type = type
  }
}

export const none = new CelOptional(undefined)

export type Key = string | boolean | Int

/** A map with keys of any type. Equal numbers are the same key regardless of type. */
export class CelMap {
  readonly entries = new Map<Key, readonly [key: unknown, value: unknown]>()

  /** Undefined: no such key. */
  get(key: unknown): unknown {
    const plain = plainKey(key)
    return plain === undefined ? undefined : this.entries.get(plain)?.[1]
  }

  /** False when the key exists or is invalid. */
  insert(key: unknown, value: unknown): boolean {
    const plain = plainKey(key)
    if (plain === undefined || this.entries.has(plain)) return false
    this.entries.set(plain, [key, value])
    return true
  }
}

/** The key for JavaScript maps; undefined: not a valid key. */
export function plainKey(key: unknown): Key | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || typeof key === 'number' || typeof key === 'bigint') return key
  if (key instanceof CelUint) return key.value
  if (key instanceof CelDouble) return Number.isInteger(key.value) ? intOf(BigInt(key.value)) : key.value
  return undefined
}

/** A list whose items are identified by value or keys, so that order does not matter. */
export class KeyedList extends Array<unknown> {
  /** Undefined: by value. */
  by: readonly string[] | undefined
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

/** A typed view of a decoded API object. Field values are converted on access; expensive ones are cached. */
export class CelObject {
  readonly celType: CelType
  readonly raw: { readonly [json: string]: unknown }
  #kept: Map<string, MaybeSteps<unknown>> | undefined

  constructor(celType: CelType, raw: { readonly [json: string]: unknown }) {
    this.celType = celType
    this.raw = raw
  }

  /** The value of a field by its name in expressions; undefined: unset or unknown. */
  get(name: string): unknown {
    return drained(this.begin(name))
  }

  has(name: string): boolean {
    const field = this.celType.field?.(name)
    return field !== undefined && Object.hasOwn(this.raw, field.json)
  }

  /** As `get`. Steps are the rest of a reading: once they have ended, the value is kept. */
  begin(name: string): MaybeSteps<unknown> {
    const field = this.celType.field?.(name)
    if (!field || !Object.hasOwn(this.raw, field.json)) return undefined
    const raw = this.raw[field.json]
    const isKept = typeof raw === 'string' ? raw.length > charactersAtOnce : typeof raw === 'object' && raw !== null
    if (!isKept) return read(field.type, raw)
    const kept = this.#kept?.get(name)
    if (kept !== undefined) return kept
    const value = read(field.type, raw)
    return this.#keep(name, value instanceof Steps ? new Steps(this.#rest(name, value)) : value)
  }

  #keep(name: string, value: MaybeSteps<unknown>): MaybeSteps<unknown> {
    this.#kept ??= new Map()
    this.#kept.set(name, value)
    return value
  }

  *#rest(name: string, { parts }: Steps<unknown>): Parts<unknown> {
    return this.#keep(name, yield* parts)
  }
}

/** An object with lazily computed fields. `compute` throws a CelError when a field has no value. */
export class LazyObject extends CelObject {
  readonly #compute: (name: string) => unknown
  readonly #known = new Map<string, unknown>()

  constructor(celType: CelType, compute: (name: string) => unknown) {
    super(celType, {})
    this.#compute = compute
  }

  override has(name: string): boolean {
    return this.begin(name) !== undefined
  }

  override begin(name: string): unknown {
    if (!this.#known.has(name) && this.celType.field?.(name)) this.#known.set(name, this.#computed(name))
    const known = this.#known.get(name)
    if (known instanceof CelError) throw known
    return known
  }

  /** Errors are cached too: a field fails once for all of its readers. */
  #computed(name: string): unknown {
    try {
      return this.#compute(name)
    } catch (error) {
      if (error instanceof CelError) return error
      throw error
    }
  }
}

/** Whether values of a type are the same in JSON. Numbers in lists and maps are converted when they are selected. */
function isPlain(type: CelType): boolean {
  if (type.stored !== undefined) return false
  if (type.kind === 'list') return type.listType !== 'set' && type.listType !== 'map' && isPlain(type.parameters[0] ?? dynType)
  if (type.kind === 'map') return isPlain(type.parameters[1] ?? dynType)
  return type.kind === 'string' || type.kind === 'int' || type.kind === 'bool' || type.kind === 'dyn'
}

const readers: { readonly [stored in Stored]: (raw: unknown) => unknown } = {
  double: (raw) => (typeof raw === 'number' ? new CelDouble(raw) : raw),
  bytes: (raw) => decodeBase64(String(raw)),
  timestamp: (raw) => parseTimestamp(String(raw)) ?? fail(`Invalid date-time formatted string ${raw}`),
  date: (raw) => parseTimestamp(`${raw}T00:00:00Z`) ?? fail(`Invalid date formatted string ${raw}`),
  duration: (raw) => parseDuration(String(raw)) ?? fail(`Invalid duration ${raw}`),
}

/** Converts a JSON number: an int if it is whole. */
export function numberOf(value: number): unknown {
  if (Number.isSafeInteger(value)) return value
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return intOf(BigInt(value))
  return new CelDouble(value)
}

/** Nanoseconds to read an item of a list or a value of a map. */
const nanosecondsPerItem = 200
const nanosecondsPerStored: { readonly [stored in Stored]: number } = {
  double: 100,
  bytes: 500,
  timestamp: 1_200,
  date: 1_500,
  duration: 500,
}
const nanosecondsPerEntry = 1_500
/** Characters of bytes that are decoded at once, a multiple of four; nanoseconds for each. */
const charactersAtOnce = 64 * 1024
const nanosecondsPerCharacter = 6

const timeOf = ({ stored }: CelType) => (stored === undefined ? nanosecondsPerItem : nanosecondsPerStored[stored])

function* listParts(type: CelType, raw: readonly unknown[], pace: Pace): Parts<readonly unknown[]> {
  const items = type.parameters[0] ?? dynType
  const list: unknown[] = type.listType === 'set' || type.listType === 'map' ? new KeyedList() : []
  if (list instanceof KeyedList) list.by = type.listType === 'map' ? type.listKeys : undefined
  const nanoseconds = timeOf(items)
  for (const each of raw) {
    if (pace.due(nanoseconds)) yield pace.units
    list.push(yield* within(readIn(items, each, pace)))
  }
  return list
}

function* mapParts(type: CelType, raw: object, pace: Pace): Parts<CelMap> {
  const values = type.parameters[1] ?? dynType
  const map = new CelMap()
  for (const key of Object.keys(raw)) {
    if (pace.due(nanosecondsPerEntry)) yield pace.units
    map.entries.set(key, [key, yield* within(readIn(values, (raw as { readonly [key: string]: unknown })[key], pace))])
  }
  return map
}

function* bytesParts(text: string): Parts<Uint8Array> {
  const bytes = new Uint8Array((text.length / 4) * 3)
  let length = 0
  for (let at = 0; at < text.length; at += charactersAtOnce) {
    const part = text.slice(at, at + charactersAtOnce)
    yield unitsOf(part.length * nanosecondsPerCharacter)
    const decoded = decodeBase64(part)
    bytes.set(decoded, length)
    length += decoded.length
  }
  return bytes.subarray(0, length)
}

const isPlainList = ({ listType, parameters }: CelType) => listType !== 'set' && listType !== 'map' && isPlain(parameters[0] ?? dynType)

/** `pace`: of the steps that this is part of. */
function readIn(type: CelType, raw: unknown, pace?: Pace): MaybeSteps<unknown> {
  if (raw === null || raw === undefined) return null
  if (typeof raw === 'object') {
    if (Array.isArray(raw)) {
      const isRead = raw instanceof KeyedList || type.kind !== 'list' || isPlainList(type)
      return isRead ? raw : new Steps(listParts(type, raw, pace ?? new Pace()))
    }
    if (Object.getPrototypeOf(raw) !== Object.prototype && Object.getPrototypeOf(raw) !== null) return raw
    if (type.kind === 'object') return new CelObject(type, raw as CelObject['raw'])
    const isRead = type.kind !== 'map' || isPlain(type.parameters[1] ?? dynType)
    return isRead ? raw : new Steps(mapParts(type, raw, pace ?? new Pace()))
  }
  if (type.stored === 'bytes' && typeof raw === 'string' && raw.length > charactersAtOnce && !/[\r\n]/.test(raw))
    return new Steps(bytesParts(raw))
  if (type.stored !== undefined) return readers[type.stored](raw)
  return typeof raw === 'number' ? numberOf(raw) : raw
}

/** Converts a decoded API value to a CEL value. CEL values are unchanged. The rest of what takes long is steps. */
export function read(type: CelType, raw: unknown): MaybeSteps<unknown> {
  const value = readIn(type, raw)
  if (!(value instanceof Steps)) return value
  const { done, value: first } = value.parts.next()
  return done ? first : new Steps(goOn(first as number, value.parts))
}

function* goOn<T>(first: number, parts: Parts<T>): Parts<T> {
  yield first
  return yield* parts
}
