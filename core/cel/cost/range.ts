/** Ranges of sizes and costs, saturating at 64 bits. */

export interface Range {
  readonly min: number
  readonly max: number
}

export const largest = 2 ** 64

const bounded = (value: number): number => Math.min(value, largest)

export const fixed = (value: number): Range => ({ min: value, max: value })
export const zero: Range = fixed(0)
export const one: Range = fixed(1)
export const unknown: Range = { min: 0, max: largest }

export const sum = (ranges: readonly Range[]): Range => ({
  min: bounded(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: bounded(ranges.reduce((sum, { max }) => sum + max, 0)),
})
export const add = (...ranges: readonly Range[]): Range => sum(ranges)
export const multiply = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) })
/** Rounded up. */
export const times = ({ min, max }: Range, factor: number): Range => ({
  min: bounded(Math.ceil(min * factor)),
  max: bounded(Math.ceil(max * factor)),
})
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })
