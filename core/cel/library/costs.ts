/** Units of cost of calls (apiserver, pkg/cel/library/cost.go; cel-go's interpreter/runtimecost.go). */
import type { CostRules } from '../functions.ts'
import { weightOf } from '../values/maps.ts'

/** Of a traversal of one character. */
export const traversal = 0.1
/** Of one character of a pattern. */
export const patternFactor = 0.25

export const traversed = (size: number, times = 1): number => Math.ceil(size * times * traversal)

/** A traversal of the first argument. */
export const traversesFirst: CostRules = { cost: ([first]) => traversed(weightOf(first)), byName: true }
/** The same twice: reading it, and making the result. */
export const traversesTwice: CostRules = { cost: ([first]) => traversed(weightOf(first), 2), byName: true }
/** The same, where only a known overload costs more than one unit. */
export const traversesKnown: CostRules = { cost: ([first]) => traversed(weightOf(first)) }

/** A pattern of so many characters on a text. */
export const matchCost = (text: unknown, patternSize: number): number =>
  traversed(weightOf(text) + 1) * Math.ceil(patternSize * patternFactor)
