/** List functions: the API server's own, and cel-go's ext.Lists, version 3. */
import { utf8Length } from '../../schema/bytes.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { compare, equal } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { adapt, getKey, isMap, keysOf, weightOf } from '../values/maps.ts'
import { CelDouble, CelUint, doubleOperator, type Int, intOperator, uintOperator } from '../values/numbers.ts'
import { CelDuration, duration } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelObject } from '../values/values.ts'
import { traversal } from './costs.ts'

type List = readonly unknown[]

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

function extreme(name: string, sign: 1 | -1): (list: List) => unknown {
  return (list) => {
    if (list.length === 0) return fail(`${name} called on empty list`)
    return list.map(adapt).reduce((best, each) => (compare(each, best) * sign > 0 ? each : best))
  }
}

/** Summable types, with zero and addition. */
const sums: { readonly [type: string]: readonly [zero: unknown, add: (a: never, b: never) => unknown] } = {
  int: [0, intOperator('+')],
  uint: [new CelUint(0), uintOperator('+')],
  double: [new CelDouble(0), doubleOperator((a, b) => a + b)],
  duration: [new CelDuration(0n), (a: CelDuration, b: CelDuration) => duration(a.nanos + b.nanos)],
}

function sum(list: List): unknown {
  const [first] = list.map(adapt)
  const name = first instanceof CelDuration ? 'duration' : typeOf(first).name
  const [zero, add] = sums[list.length === 0 ? 'int' : name] ?? fail('no such overload')
  return list.map(adapt).reduce((total, each) => {
    if (typeOf(each).kind !== typeOf(total).kind) fail('no such overload')
    return add(total as never, each as never)
  }, zero)
}

const isSorted = (list: List) => list.every((each, index) => index === 0 || compare(adapt(list[index - 1]), adapt(each)) <= 0)
const indexOf = (list: List, wanted: unknown) => list.findIndex((each) => equal(adapt(each), wanted))
const lastIndexOf = (list: List, wanted: unknown) => list.findLastIndex((each) => equal(adapt(each), wanted))

function slice(list: List, start: Int, end: Int): List {
  const given = `cannot slice(${start}, ${end})`
  if (start < 0 || end < 0) fail(`${given}, negative indexes not supported`)
  if (start > end) fail(`${given}, start index must be less than or equal to end index`)
  if (list.length < end) fail(`${given}, list is length ${list.length}`)
  return list.slice(Number(start), Number(end))
}

function flatten(list: List, depth: Int): List {
  if (depth < 0) fail('level must be non-negative')
  return list.flat(Math.min(Number(depth), 250))
}

/** The list sorted by `keys`. */
function sortBy(list: List, keys: List): List {
  if (list.length !== keys.length) {
    fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
    )
  }
  const sorted = keys.map((key, index) => ({ key: adapt(key), item: list[index] }))
  const type = typeOf(sorted[0]?.key)
  if (sorted.length > 0 && !['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint'].includes(type.kind)) {
    fail('list elements must be comparable')
  }
  if (sorted.some(({ key }) => typeOf(key).kind !== type.kind)) fail('list elements must have the same type')
  return sorted.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item)
}

/** Maximum length of `lists.range`: its cost is counted only after it was created. */
const longestRange = 1_000_000

function range(count: Int): List {
  if (count > longestRange) fail('operation cancelled: actual cost limit exceeded')
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => index)
}

function distinct(list: List): List {
  const found: unknown[] = []
  const plain = new Set<unknown>()
  for (const each of list.map(adapt)) {
    if (plain.has(each) || (typeof each !== 'string' && typeof each !== 'boolean' && found.some((other) => equal(other, each)))) continue
    plain.add(each)
    found.push(each)
  }
  return found
}

/** Cost units of traversing a value with all of its content. */
function traversalCost(value: unknown): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * traversal)
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal)
  if (Array.isArray(value)) return value.reduce<number>((total, each) => total + traversalCost(each), 0)
  if (!isMap(value) || (value instanceof CelObject && value.celType.fieldNames?.length === 0)) return 1
  return keysOf(value).reduce<number>((total, key) => total + traversalCost(key) + traversalCost(getKey(value, key)), 0)
}

const traverses = { cost: ([list]: readonly unknown[]) => traversalCost(list), byName: true } as const
/** Cost of a call that creates a list of this size. */
const makes = (factor: number, size: number) => Math.floor(size * factor) + 1 + 10
const makesResult = { cost: (_: readonly unknown[], result: unknown) => makes(1, weightOf(result)) }
/** An invalid depth counts as 1: a cost of NaN would disable all limits. */
const levels = (depth: unknown) => (Number.isNaN(Number(depth)) ? 1 : Number(depth))
const flattens = { cost: ([list, depth]: readonly unknown[]) => makes(levels(depth), weightOf(list)) }

/** Cost of comparing every item with every other one. */
function comparesAll(list: unknown): number {
  const items = Array.isArray(list) ? list : []
  const texts = typeof items[0] === 'string' || items[0] instanceof Uint8Array
  return makes(texts ? 2 + traversal : 2, items.length * items.length)
}
const selfCompares = { cost: ([list]: readonly unknown[]) => comparesAll(list) }
const keyCompares = { cost: ([, keys]: readonly unknown[]) => comparesAll(keys) }

const rows: readonly Row[] = [
  ...comparable.map((type): Row => [`list_${type}_is_sorted_bool`, `list<${type}>.isSorted(): bool`, isSorted, traverses]),
  ...Object.keys(sums).map((type): Row => [`list_${type}_sum_${type}`, `list<${type}>.sum(): ${type}`, sum, traverses]),
  ...comparable.map((type): Row => [`list_${type}_max_${type}`, `list<${type}>.max(): ${type}`, extreme('max', 1), traverses]),
  ...comparable.map((type): Row => [`list_${type}_min_${type}`, `list<${type}>.min(): ${type}`, extreme('min', -1), traverses]),
  ['list_a_index_of_int', 'list<A>.indexOf(A): int', indexOf, traverses],
  ['list_a_last_index_of_int', 'list<A>.lastIndexOf(A): int', lastIndexOf, traverses],
  ['list_slice', 'list<T>.slice(int, int): list<T>', slice, makesResult],
  ['list_flatten', 'list<list<T>>.flatten(): list<T>', (list: List) => flatten(list, 1), flattens],
  ['list_flatten_int', 'list<dyn>.flatten(int): list<dyn>', flatten, flattens],
  ...comparable.map(
    (type): Row => [`list_${type}_sort`, `list<${type}>.sort(): list<${type}>`, (list: List) => sortBy(list, list), selfCompares],
  ),
  ...comparable.map(
    (type): Row => [`list_${type}_sortByAssociatedKeys`, `list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`, sortBy, keyCompares],
  ),
  ['lists_range', 'lists.range(int): list<int>', range, makesResult],
  ['list_reverse', 'list<T>.reverse(): list<T>', (list: List) => list.toReversed(), makesResult],
  ['list_distinct', 'list<T>.distinct(): list<T>', distinct, selfCompares],
]

export const listLibrary = (): readonly FunctionDeclaration[] => declare(rows)
