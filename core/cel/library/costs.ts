/** Cost units of calls (apiserver, pkg/cel/library/cost.go; cel-go's interpreter/runtimecost.go). */
import type { CostRules } from '../functions.ts'

/** Traversal of one character. */
export const traversal = 0.1
/** One character of a pattern. */
const patternFactor = 0.25

export const traversed = (size: number, times = 1): number => Math.ceil(size * times * traversal)

/** One traversal of the first argument. */
export const traversesFirst: CostRules = { cost: ([first], weigh) => traversed(weigh(first)), byName: true }
/** Two traversals of the first argument: reading it, and creating the result. */
export const traversesTwice: CostRules = { cost: ([first], weigh) => traversed(weigh(first), 2), byName: true }
/** One traversal, only if the overload is known statically. */
export const traversesKnown: CostRules = { cost: ([first], weigh) => traversed(weigh(first)) }

/** Cost of matching a text of this size with a pattern of this size. */
export const matchCost = (textSize: number, patternSize: number): number => traversed(textSize + 1) * Math.ceil(patternSize * patternFactor)
