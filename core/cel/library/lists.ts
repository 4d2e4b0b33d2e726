/** List functions: the API server's own, and cel-go's ext.Lists, version 3. */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { boundList } from '../limits.ts'
import { costly, type MaybeSteps, Pace, type Parts, Steps, within } from '../steps.ts'
import { compare, comparisonTime, position, sortedPlaces, ValueSet } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { adapt, bytesOf, getKey, isMap, keysOf, weightOf } from '../values/maps.ts'
import { CelDouble, CelUint, doubleOperator, type Int, intOperator, uintOperator } from '../values/numbers.ts'
import { CelDuration, duration } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelObject } from '../values/values.ts'
import { traversal } from './costs.ts'

type List = readonly unknown[]

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

/** Time to visit an item, and to look at a character. */
const nanosecondsPerItem = 20
const nanosecondsPerUnit = 3

function extreme(name: string, sign: 1 | -1): (list: List) => unknown {
  return (list) => (list.length === 0 ? fail(`${name} called on empty list`) : new Steps(extremeOf(list, sign)))
}

function* extremeOf(list: List, sign: 1 | -1): Parts<unknown> {
  const pace = new Pace()
  let best = adapt(list[0])
  for (let at = 1; at < list.length; at++) {
    const each = adapt(list[at])
    if (pace.due(comparisonTime(best, each))) yield pace.units
    if (compare(each, best) * sign > 0) best = each
  }
  return best
}

/** Summable types, with zero and addition. */
const sums: { readonly [type: string]: readonly [zero: unknown, add: (a: never, b: never) => unknown] } = {
  int: [0, intOperator('+')],
  uint: [new CelUint(0), uintOperator('+')],
  double: [new CelDouble(0), doubleOperator((a, b) => a + b)],
  duration: [new CelDuration(0n), (a: CelDuration, b: CelDuration) => duration(a.nanos + b.nanos)],
}

const sum = (list: List) => new Steps(sumOf(list))

function* sumOf(list: List): Parts<unknown> {
  const pace = new Pace()
  const first = adapt(list[0])
  const name = first instanceof CelDuration ? 'duration' : typeOf(first).name
  const [zero, add] = sums[list.length === 0 ? 'int' : name] ?? fail('no such overload')
  let total = zero
  for (let at = 0; at < list.length; at++) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    const each = adapt(list[at])
    if (typeOf(each).kind !== typeOf(total).kind) fail('no such overload')
    total = add(total as never, each as never)
  }
  return total
}

const isSorted = (list: List) => new Steps(areInOrder(list))

function* areInOrder(list: List): Parts<boolean> {
  const pace = new Pace()
  for (let at = 1; at < list.length; at++) {
    const [before, each] = [adapt(list[at - 1]), adapt(list[at])]
    if (pace.due(comparisonTime(before, each))) yield pace.units
    if (compare(before, each) > 0) return false
  }
  return true
}

const indexOf = (list: List, wanted: unknown) => new Steps(position(list, wanted, 0, 1))
const lastIndexOf = (list: List, wanted: unknown) => new Steps(position(list, wanted, list.length - 1, -1))

function slice(list: List, start: Int, end: Int): MaybeSteps<List> {
  const given = `cannot slice(${start}, ${end})`
  if (start < 0 || end < 0) fail(`${given}, negative indexes not supported`)
  if (start > end) fail(`${given}, start index must be less than or equal to end index`)
  if (list.length < end) fail(`${given}, list is length ${list.length}`)
  return costly(Number(end) - Number(start), () => list.slice(Number(start), Number(end)))
}

/** Maximum depth of lists in lists that is flattened. */
const deepest = 250

function flatten(list: List, depth: Int): Steps<List> {
  if (depth < 0) fail('level must be non-negative')
  return new Steps(flattened(list, Math.min(Number(depth), deepest)))
}

function* flattened(list: List, depth: number): Parts<List> {
  const pace = new Pace()
  const found: unknown[] = []
  const open = [{ list, at: 0 }]
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    if (top.at === top.list.length) {
      open.pop()
      continue
    }
    const each = top.list[top.at++]
    if (Array.isArray(each) && open.length <= depth) open.push({ list: each, at: 0 })
    else {
      boundList(found.length + 1)
      found.push(each)
    }
  }
  return found
}

/** The list sorted by `keys`. */
function sortBy(list: List, keys: List): Steps<List> {
  if (list.length !== keys.length) {
    fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
    )
  }
  return new Steps(sortedBy(list, keys))
}

function* sortedBy(list: List, keys: List): Parts<List> {
  const pace = new Pace()
  const type = typeOf(adapt(keys[0]))
  if (keys.length > 0 && !['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint'].includes(type.kind)) {
    fail('list elements must be comparable')
  }
  const adapted: unknown[] = []
  for (let at = 0; at < keys.length; at++) {
    if (pace.due(nanosecondsPerItem * 2)) yield pace.units
    const key = adapt(keys[at])
    if (typeOf(key).kind !== type.kind) fail('list elements must have the same type')
    adapted.push(key)
  }
  const items: unknown[] = []
  for (const at of yield* sortedPlaces(keys.length, (place) => adapted[place])) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    items.push(list[at])
  }
  return items
}

const lengthOfRange = (count: unknown) => Math.max(0, Number(count))

function range(count: Int): Steps<List> {
  boundList(lengthOfRange(count))
  return new Steps(numbersTo(lengthOfRange(count)))
}

function* numbersTo(end: number): Parts<List> {
  const pace = new Pace()
  const numbers: number[] = []
  for (let number = 0; number < end; number++) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    numbers.push(number)
  }
  return numbers
}

const reverse = (list: List) => costly(list.length * 2, () => list.toReversed())
const distinct = (list: List) => new Steps(distinctItems(list))
/** Time to look up and insert an item. */
const nanosecondsPerLookup = 300

function* distinctItems(list: List): Parts<List> {
  const pace = new Pace()
  const found: unknown[] = []
  const set = new ValueSet()
  for (let at = 0; at < list.length; at++) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    const each = adapt(list[at])
    if (yield* within(set.has(each, pace))) continue
    set.add(each)
    found.push(each)
  }
  return found
}

/** Cost units of traversing a value with all of its content. */
function* traversalCost(value: unknown): Parts<number> {
  const pace = new Pace()
  let total = 0
  const open = [{ items: [value] as List, at: 0 }]
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    if (top.at === top.items.length) {
      open.pop()
      continue
    }
    const each = top.items[top.at++]
    if (typeof each === 'string') {
      if (pace.due(each.length * nanosecondsPerUnit)) yield pace.units
      total += Math.floor((yield* within(bytesOf(each))) * traversal)
    } else if (each instanceof Uint8Array) total += Math.floor(each.length * traversal)
    else if (Array.isArray(each)) open.push({ items: each, at: 0 })
    else if (!isMap(each) || (each instanceof CelObject && each.celType.fieldNames?.length === 0)) total++
    else open.push({ items: keysOf(each).flatMap((key) => [key, getKey(each, key)]), at: 0 })
    if (total > costLimit) return total
  }
  return total
}
/** More than any limit: a traversal that costs more is not counted to its end. */
const costLimit = 100_000_000

const traverses = { cost: ([list]: readonly unknown[]) => new Steps(traversalCost(list)), byName: true } as const
/** Cost of a call that creates a list of this size; a call that fails creates none. */
const makes = (factor: number, size: number) => Math.floor(size * factor) + 1 + 10
const makesSize = (sizeOf: (...args: readonly unknown[]) => number) => ({
  cost: (args: readonly unknown[]) => {
    const size = sizeOf(...args)
    return makes(1, Number.isFinite(size) ? size : 1)
  },
})
/** An invalid depth counts as 1: a cost of NaN would disable all limits. */
const levels = (depth: unknown) => (Number.isNaN(Number(depth)) ? 1 : Number(depth))
const flattens = { cost: ([list, depth]: readonly unknown[]) => makes(levels(depth), weightOf(list)) }

/** Length of a slice; 1 if it fails. */
function sliceLength(list: unknown, start: unknown, end: unknown): number {
  const [from, to] = [Number(start), Number(end)]
  return Array.isArray(list) && from >= 0 && from <= to && to <= list.length ? to - from : 1
}

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
  ['list_slice', 'list<T>.slice(int, int): list<T>', slice, makesSize(sliceLength)],
  ['list_flatten', 'list<list<T>>.flatten(): list<T>', (list: List) => flatten(list, 1), flattens],
  ['list_flatten_int', 'list<dyn>.flatten(int): list<dyn>', flatten, flattens],
  ...comparable.map(
    (type): Row => [`list_${type}_sort`, `list<${type}>.sort(): list<${type}>`, (list: List) => sortBy(list, list), selfCompares],
  ),
  ...comparable.map(
    (type): Row => [`list_${type}_sortByAssociatedKeys`, `list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`, sortBy, keyCompares],
  ),
  ['lists_range', 'lists.range(int): list<int>', range, makesSize(lengthOfRange)],
  ['list_reverse', 'list<T>.reverse(): list<T>', reverse, makesSize(weightOf)],
  ['list_distinct', 'list<T>.distinct(): list<T>', distinct, selfCompares],
]

export const listLibrary = (): readonly FunctionDeclaration[] => declare(rows)
