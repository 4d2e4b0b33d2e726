/** CEL values as JavaScript has them: int is bigint, double is number, map is Map or a plain object, list is an array. */
import { Duration, UnsignedInt } from 'cel-js/evaluator'
import { sameBytes } from '../schema/bytes.ts'

/** Lists have as many elements at most, and values are compared as deep, as any input that a server takes. */
const deepest = 250

const plain = (value: unknown) => (value instanceof UnsignedInt ? value.valueOf() : value)

const isNumber = (value: unknown) => typeof value === 'bigint' || typeof value === 'number'

function entriesOf(value: object): Map<unknown, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value))
}

/** Equality of values: numbers by their value whatever their type, lists and maps by their content. Throws past a bounded depth. */
export function equal(one: unknown, other: unknown, depth = 0): boolean {
  if (depth > deepest) throw new Error('values are nested too deeply')
  const [a, b] = [plain(one), plain(other)]
  if (isNumber(a) && isNumber(b)) return a <= b && a >= b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (a instanceof Uint8Array && b instanceof Uint8Array) return sameBytes(a, b)
  if (a instanceof Date || a instanceof Duration) return a.constructor === b.constructor && a.valueOf() === b.valueOf()
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, index) => equal(each, b[index], depth + 1))
  }
  const [left, right] = [entriesOf(a), entriesOf(b)]
  return left.size === right.size && [...left].every(([key, value]) => right.has(key) && equal(value, right.get(key), depth + 1))
}

/** -1, 0 or 1; throws when two values have no order. */
export function compare(one: unknown, other: unknown): number {
  const [a, b] = [plain(one), plain(other)]
  const numeric = isNumber(a) && isNumber(b)
  const same = typeof a === typeof b && (typeof a === 'string' || typeof a === 'boolean')
  const times = a instanceof Date && b instanceof Date
  const spans = a instanceof Duration && b instanceof Duration
  if (!numeric && !same && !times && !spans) throw new Error('no such overload: elements have no order')
  const [left, right] = [a, b] as [number, number]
  return left < right ? -1 : left > right ? 1 : 0
}

/** JSON as CEL sees it: numbers are double, and objects are Maps, so that no key has a meaning of its own. */
export function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, each]) => [key, fromJson(each)]))
}
