/** Equality and order of CEL values. Whatever visits containers is done in steps. */
import { sameBytes } from '../../schema/bytes.ts'
import { type MaybeSteps, Pace, type Parts, Steps, within } from '../steps.ts'
import { fail } from './errors.ts'
import { type AnyMap, adapt, beginKey, getKey, isMap, keysOf, sizeOfMap } from './maps.ts'
import { type Int, plainNumber } from './numbers.ts'
import { CelDuration, CelTimestamp } from './times.ts'
import { CelObject, CelOpaque, CelOptional, CelTypeValue, KeyedList } from './values.ts'

/** Maximum nesting depth of a comparison: as deep as any accepted input. */
const deepest = 250
/** Time to compare two items, or to look up a key. */
const nanosecondsPerItem = 40
const nanosecondsPerKey = 300

/** Identity of a list item: the values of its keys. */
function identity(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isMap(item) ? String(getKey(item, key)) : '')))
}

function* sameKeyed(list: KeyedList, other: readonly unknown[], pace: Pace, depth: number): Parts<boolean> {
  if (list.length !== other.length) return false
  const keys = list.by
  if (!keys) return yield* includesAll(list, other, pace, depth)
  const byKey = new Map<string, unknown>()
  for (const item of list) {
    if (pace.due(nanosecondsPerKey)) yield pace.units
    byKey.set(identity(item, keys), item)
  }
  for (const item of other) {
    if (pace.due(nanosecondsPerKey)) yield pace.units
    const mine = byKey.get(identity(item, keys))
    if (mine === undefined || !(yield* within(equal(mine, item, pace, depth + 1)))) return false
  }
  return true
}

function* sameLists(a: readonly unknown[], b: readonly unknown[], pace: Pace, depth: number): Parts<boolean> {
  for (let at = 0; at < a.length; at++) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    const same = equal(adapt(a[at]), adapt(b[at]), pace, depth + 1)
    if (same === false || (same !== true && !(yield* same.parts))) return false
  }
  return true
}

function* sameMaps(a: AnyMap, b: AnyMap, pace: Pace, depth: number): Parts<boolean> {
  const keys = keysOf(a)
  if (pace.due(keys.length * nanosecondsPerKey)) yield pace.units
  if (sizeOfMap(b) !== keys.length) return false
  for (const key of keys) {
    if (pace.due(nanosecondsPerKey)) yield pace.units
    const other = yield* within(beginKey(b, key))
    if (other === undefined || !(yield* within(equal(yield* within(beginKey(a, key)), other, pace, depth + 1)))) return false
  }
  return true
}

/** Equality of lists; lists of different lengths are never equal. */
function listsEqual(a: readonly unknown[], b: readonly unknown[], pace: Pace, depth: number): MaybeSteps<boolean> {
  if (a.length !== b.length) return false
  if (a.length === 0) return true
  if (a instanceof KeyedList) return new Steps(sameKeyed(a, b, pace, depth))
  return new Steps(b instanceof KeyedList ? sameKeyed(b, a, pace, depth) : sameLists(a, b, pace, depth))
}

/** Equality: numbers by value regardless of type, lists and maps by content. `pace`: of the steps that this is part of. */
export function equal(a: unknown, b: unknown, pace?: Pace, depth = 0): MaybeSteps<boolean> {
  if (depth > deepest) fail('values are nested too deeply')
  if (a === b) return true
  if (typeof a === 'string' || typeof a === 'boolean' || a === null || b === null) return false
  const number = plainNumber(a)
  if (number !== undefined) {
    const other = plainNumber(b)
    if (other === undefined) return false
    const [left, right] = comparable(number, other)
    return left <= right && left >= right
  }
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (a instanceof CelOpaque) return a.equals(b)
  if (Array.isArray(a)) return Array.isArray(b) && listsEqual(a, b, pace ?? new Pace(), depth)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional) || a.hasValue !== b.hasValue) return false
    return !a.hasValue || equal(a.value, b.value, pace, depth + 1)
  }
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.type.name === b.type.name
  if (!isMap(a) || !isMap(b) || a instanceof CelObject !== b instanceof CelObject) return false
  return new Steps(sameMaps(a, b, pace ?? new Pace(), depth))
}

/** Time to look up or insert an item. */
const nanosecondsPerLookup = 200

/** What equal values have in common; undefined: the value equals none. Strings, booleans and null are their own. */
function bucketOf(value: unknown): unknown {
  const number = plainNumber(value)
  if (number !== undefined) return Number.isNaN(number) ? undefined : Number(number)
  if (value instanceof CelOptional) return value.hasValue ? bucketOf(value.value) : 'none'
  if (Array.isArray(value) || value instanceof Uint8Array) return `list ${value.length}`
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.nanos
  if (value instanceof CelOpaque) return value.celType.name
  return typeof value === 'object' && value !== null ? 'other' : value
}

/**
 * A set of values. Strings, booleans, null and numbers take constant time; other values are compared with those of the same kind and
 * size.
 */
export class ValueSet {
  readonly #plain = new Set<unknown>()
  readonly #buckets = new Map<unknown, unknown[]>()

  /** Whether an equal value was added before. */
  has(value: unknown, pace?: Pace, depth = 0): MaybeSteps<boolean> {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return this.#plain.has(value)
    const others = this.#buckets.get(bucketOf(value))
    if (others === undefined) return false
    return others.length === 1 ? equal(others[0], value, pace, depth) : new Steps(hasEqual(others, value, pace ?? new Pace(), depth))
  }

  add(value: unknown): void {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) {
      this.#plain.add(value)
      return
    }
    const bucket = bucketOf(value)
    if (bucket === undefined) return
    const others = this.#buckets.get(bucket)
    if (others) others.push(value)
    else this.#buckets.set(bucket, [value])
  }
}

function* hasEqual(list: readonly unknown[], value: unknown, pace: Pace, depth: number): Parts<boolean> {
  for (const each of list) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    if (yield* within(equal(each, value, pace, depth))) return true
  }
  return false
}

/** The set of a list's items. */
function* valueSet(list: readonly unknown[], pace: Pace): Parts<ValueSet> {
  const set = new ValueSet()
  for (let at = 0; at < list.length; at++) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    set.add(adapt(list[at]))
  }
  return set
}

/** Whether `list` contains every item of `wanted`. */
export function* includesAll(list: readonly unknown[], wanted: readonly unknown[], pace = new Pace(), depth = 0): Parts<boolean> {
  const set = yield* valueSet(list, pace)
  for (const each of wanted) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    if (!(yield* within(set.has(adapt(each), pace, depth + 1)))) return false
  }
  return true
}

/** Whether `list` contains an item of `wanted`. */
export function* includesAny(list: readonly unknown[], wanted: readonly unknown[]): Parts<boolean> {
  const pace = new Pace()
  const set = yield* valueSet(list, pace)
  for (const each of wanted) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    if (yield* within(set.has(adapt(each), pace))) return true
  }
  return false
}

/** Whether a list contains an item. */
export function contains(list: readonly unknown[], item: unknown): MaybeSteps<boolean> {
  return new Steps(
    (function* () {
      return (yield* position(list, item, 0, 1)) >= 0
    })(),
  )
}

/** Index of the first item, from `from` in direction `by`, that equals a value; -1: none. */
export function* position(list: readonly unknown[], wanted: unknown, from: number, by: 1 | -1): Parts<number> {
  const pace = new Pace()
  for (let at = from; at >= 0 && at < list.length; at += by) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    const same = equal(adapt(list[at]), wanted, pace)
    if (same === true || (same !== false && (yield* same.parts))) return at
  }
  return -1
}

const sameAtOnce = 1024

/** Number of code units that two texts have in common at their start. */
export function commonStart(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at + sameAtOnce < length && a.slice(at, at + sameAtOnce) === b.slice(at, at + sameAtOnce)) at += sameAtOnce
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

/** UTF-8 order, which differs from UTF-16 order beyond the basic plane. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  const at = commonStart(a, b)
  if (at === Math.min(a.length, b.length)) return Math.sign(a.length - b.length)
  const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
  const [highLeft, highRight] = [left >= 0xd800 && left < 0xe000, right >= 0xd800 && right < 0xe000]
  if (highLeft !== highRight) return highLeft ? 1 : -1
  return left < right ? -1 : 1
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) < (b[at] as number) ? -1 : 1
  return Math.sign(a.length - b.length)
}

/** An int and a double are compared as doubles: 2^63 - 1 is not less than 2^63. */
const comparable = (a: Int, b: Int): readonly [Int, Int] => (typeof a === typeof b ? [a, b] : [Number(a), Number(b)])
const order = <T extends number | bigint | boolean>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

/** -1, 0 or 1. Throws a CelError when the values are not ordered. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b)
  const [left, right] = [plainNumber(a), plainNumber(b)]
  if (left !== undefined && right !== undefined) {
    if (Number.isNaN(left) || Number.isNaN(right)) fail('NaN values cannot be ordered')
    return order(...comparable(left, right))
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return order(a.nanos, b.nanos)
  if (a instanceof CelDuration && b instanceof CelDuration) return order(a.nanos, b.nanos)
  return fail('no such overload')
}

/** Nanoseconds of a comparison at most. */
export function comparisonTime(a: unknown, b: unknown): number {
  const length = (value: unknown) => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0)
  return 100 + Math.min(length(a), length(b))
}

/** Time to visit an item. */
const nanosecondsPerVisit = 10

/** A sorted copy (stable). */
export function* sorted<T>(items: readonly T[], by: (item: T) => unknown): Parts<T[]> {
  const places = yield* sortedPlaces(items.length, (at) => by(items[at] as T))
  return Array.from(places, (at) => items[at] as T)
}

/** The places from 0 to `count` - 1, sorted by their values (stable). Numbers, not objects, spare the garbage collector. */
export function* sortedPlaces(count: number, by: (place: number) => unknown): Parts<Uint32Array> {
  const pace = new Pace()
  let from = new Uint32Array(count)
  for (let at = 0; at < count; at++) {
    if (pace.due(nanosecondsPerVisit)) yield pace.units
    from[at] = at
  }
  let to = new Uint32Array(count)
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, count), Math.min(start + 2 * width, count)]
      let [left, right] = [start, middle]
      for (let at = start; at < end; at++) {
        let takesLeft = right >= end
        let time = nanosecondsPerVisit
        if (!takesLeft && left < middle) {
          const [a, b] = [by(from[left] as number), by(from[right] as number)]
          time = comparisonTime(a, b)
          takesLeft = compare(a, b) <= 0
        }
        if (pace.due(time)) yield pace.units
        to[at] = from[takesLeft ? left++ : right++] as number
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}
