import type { Environment } from 'cel-js'
import { compare, equal } from './values.ts'

type List = readonly unknown[]

/** Lists as functions get them: an array, or the set that some values are. */
const arrayOf = (list: Iterable<unknown>): List => (Array.isArray(list) ? (list as List) : [...list])

function extreme(list: List, name: string, sign: 1 | -1): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`)
  return list.reduce((best, each) => (compare(each, best) * sign > 0 ? each : best))
}

function sum(list: List): unknown {
  return list.reduce(
    (total, each) => {
      if (typeof total === 'bigint' && typeof each === 'bigint') return total + each
      if (typeof total === 'number' && typeof each === 'number') return total + each
      throw new Error('no such overload: sum')
    },
    typeof list[0] === 'number' ? 0 : 0n,
  )
}

const isSorted = (list: List) => list.every((each, index) => index === 0 || compare(list[index - 1], each) <= 0)
const distinct = (list: List) => list.filter((each, index) => list.findIndex((earlier) => equal(earlier, each)) === index)

function slice(list: List, from: bigint, to: bigint): List {
  if (from < 0n || to < from || to > BigInt(list.length)) throw new Error(`cannot slice(${from}, ${to}), list is length ${list.length}`)
  return list.slice(Number(from), Number(to))
}

/** Functions of lists without arguments, each with the type of its result. */
const functions: readonly (readonly [name: string, type: string, run: (list: List) => unknown])[] = [
  ['isSorted', 'bool', isSorted],
  ['sum', 'dyn', sum],
  ['min', 'dyn', (list) => extreme(list, 'min', -1)],
  ['max', 'dyn', (list) => extreme(list, 'max', 1)],
  ['distinct', 'list', distinct],
  ['reverse', 'list', (list) => list.toReversed()],
  ['sort', 'list', (list) => list.toSorted(compare)],
  ['flatten', 'list', (list) => list.flat()],
]

/** Functions of lists, of this API's library and of the language's own extension. */
export function registerLists(environment: Environment): void {
  for (const [name, type, run] of functions) {
    environment.registerFunction(`list.${name}(): ${type}`, (list: Iterable<unknown>) => run(arrayOf(list)))
  }
  environment
    .registerFunction('list.indexOf(dyn): int', (list: Iterable<unknown>, wanted: unknown) =>
      BigInt(arrayOf(list).findIndex((each) => equal(each, wanted))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: Iterable<unknown>, wanted: unknown) =>
      BigInt(arrayOf(list).findLastIndex((each) => equal(each, wanted))),
    )
    .registerFunction('list.slice(int, int): list', (list: Iterable<unknown>, from: bigint, to: bigint) => slice(arrayOf(list), from, to))
}
