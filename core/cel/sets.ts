import type { Environment } from 'cel-js'
import { equal } from './values.ts'

type List = readonly unknown[]

const contains = (list: List, wanted: List) => wanted.every((each) => list.some((other) => equal(each, other)))
const intersects = (list: List, others: List) => others.some((each) => list.some((other) => equal(each, other)))

class Sets {}

/** Lists as sets: `sets.contains`, `sets.equivalent` and `sets.intersects`. */
export function registerSets(environment: Environment): void {
  environment
    .registerType('Sets', Sets)
    .registerConstant('sets', 'Sets', new Sets())
    .registerFunction('Sets.contains(list, list): bool', (_: Sets, list: List, wanted: List) => contains(list, wanted))
    .registerFunction('Sets.intersects(list, list): bool', (_: Sets, list: List, others: List) => intersects(list, others))
    .registerFunction(
      'Sets.equivalent(list, list): bool',
      (_: Sets, list: List, other: List) => contains(list, other) && contains(other, list),
    )
}
