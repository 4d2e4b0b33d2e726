/** Equality and order of CEL values. */
import { sameBytes } from '../../schema/bytes.ts'
import { fail } from './errors.ts'
import { type AnyMap, adapt, getKey, isMap, keysOf, sizeOfMap } from './maps.ts'
import { type Int, plainNumber } from './numbers.ts'
import { CelDuration, CelTimestamp } from './times.ts'
import { CelObject, CelOpaque, CelOptional, CelTypeValue, KeyedList } from './values.ts'

/** Maximum nesting depth of a comparison: as deep as any accepted input. */
const deepest = 250

/** Identity of a list item: the values of its keys. */
function identity(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isMap(item) ? String(getKey(item, key)) : '')))
}

function sameKeyed(list: KeyedList, other: readonly unknown[], depth: number): boolean {
  if (list.length !== other.length) return false
  const keys = list.by
  if (keys) {
    const byKey = new Map(list.map((item) => [identity(item, keys), item]))
    return other.every((item) => {
      const mine = byKey.get(identity(item, keys))
      return mine !== undefined && equal(mine, item, depth + 1)
    })
  }
  const contained = includes(list)
  return other.every((item) => contained(adapt(item)))
}

function sameLists(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a instanceof KeyedList) return sameKeyed(a, b, depth)
  if (b instanceof KeyedList) return sameKeyed(b, a, depth)
  return a.length === b.length && a.every((each, index) => equal(adapt(each), adapt(b[index]), depth + 1))
}

function sameMaps(a: AnyMap, b: AnyMap, depth: number): boolean {
  if (a instanceof CelObject !== b instanceof CelObject) return false
  if (sizeOfMap(a) !== sizeOfMap(b)) return false
  return keysOf(a).every((key) => {
    const other = getKey(b, key)
    return other !== undefined && equal(getKey(a, key), other, depth + 1)
  })
}

/** Equality: numbers by value regardless of type, lists and maps by content. */
export function equal(a: unknown, b: unknown, depth = 0): boolean {
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
  if (Array.isArray(a)) return Array.isArray(b) && sameLists(a, b, depth)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional) || a.hasValue !== b.hasValue) return false
    return !a.hasValue || equal(a.value, b.value, depth + 1)
  }
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.type.name === b.type.name
  return isMap(a) && isMap(b) && sameMaps(a, b, depth)
}

/** Membership test for a list, in constant time for strings, booleans and small ints where possible. */
export function includes(list: readonly unknown[]): (item: unknown) => boolean {
  const plain = new Set(list)
  return (item) => {
    if (plain.has(item)) return true
    if (typeof item === 'string' || typeof item === 'boolean') return false
    return list.some((each) => equal(adapt(each), item))
  }
}

/** UTF-8 order, which differs from UTF-16 order beyond the basic plane. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left === right) continue
    const [highLeft, highRight] = [left >= 0xd800 && left < 0xe000, right >= 0xd800 && right < 0xe000]
    if (highLeft !== highRight) return highLeft ? 1 : -1
    return left < right ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((each, index) => each !== b[index])
  if (at < 0 || at >= b.length) return Math.sign(a.length - b.length)
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1
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
