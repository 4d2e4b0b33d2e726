/** Lists as sets (cel-go's ext.Sets). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { type Parts, Steps } from '../steps.ts'
import { includesAll, includesAny } from '../values/compare.ts'
import { weightOf } from '../values/maps.ts'

type List = readonly unknown[]

const contains = (list: List, wanted: List) => new Steps(includesAll(list, wanted))
const intersects = (list: List, others: List) => new Steps(includesAny(list, others))
const equivalent = (a: List, b: List) => new Steps(includeEachOther(a, b))

function* includeEachOther(a: List, b: List): Parts<boolean> {
  return (yield* includesAll(a, b)) && (yield* includesAll(b, a))
}

/** Cost of comparing all pairs of items, `times` times. */
const compares = (times: number) => ({ cost: ([a, b]: readonly unknown[]) => weightOf(a) * weightOf(b) * times + 1 })

const rows: readonly Row[] = [
  ['list_sets_contains_list', 'sets.contains(list<T>, list<T>): bool', contains, compares(1)],
  ['list_sets_equivalent_list', 'sets.equivalent(list<T>, list<T>): bool', equivalent, compares(2)],
  ['list_sets_intersects_list', 'sets.intersects(list<T>, list<T>): bool', intersects, compares(1)],
]

export const setLibrary = (): readonly FunctionDeclaration[] => declare(rows)
