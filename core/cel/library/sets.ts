/** Lists as sets (cel-go's ext.Sets). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { includes } from '../values/compare.ts'
import { adapt, weightOf } from '../values/maps.ts'

type List = readonly unknown[]

function contains(list: List, wanted: List): boolean {
  const has = includes(list)
  return wanted.every((each) => has(adapt(each)))
}

function intersects(list: List, others: List): boolean {
  const has = includes(list)
  return others.some((each) => has(adapt(each)))
}

const equivalent = (a: List, b: List) => contains(a, b) && contains(b, a)

/** Cost of comparing all pairs of items, `times` times. */
const compares = (times: number) => ({ cost: ([a, b]: readonly unknown[]) => weightOf(a) * weightOf(b) * times + 1 })

const rows: readonly Row[] = [
  ['list_sets_contains_list', 'sets.contains(list<T>, list<T>): bool', contains, compares(1)],
  ['list_sets_equivalent_list', 'sets.equivalent(list<T>, list<T>): bool', equivalent, compares(2)],
  ['list_sets_intersects_list', 'sets.intersects(list<T>, list<T>): bool', intersects, compares(1)],
]

export const setLibrary = (): readonly FunctionDeclaration[] => declare(rows)
