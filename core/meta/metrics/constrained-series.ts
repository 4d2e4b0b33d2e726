/** Series of metrics that are read, with their label values constrained (`selection.ts`). */
import type { BucketCounts, MetricRow } from '../../metrics.ts'
import { createSeries } from './series.ts'

type Names = readonly string[]
type Constrain = (values: Names) => Names
type Bounds = Pick<MetricRow, 'labels' | 'maxSeries'>

/** The series with their values constrained; those that have the same values then are merged. */
function merged<T>(
  row: Bounds,
  all: Iterable<readonly [values: Names, state: T]>,
  constrain: Constrain,
  add: (one: T, other: T) => T,
): readonly (readonly [values: Names, state: T])[] {
  const series = createSeries<T | undefined>(row, () => undefined)
  for (const [values, state] of all) {
    const one = series.of(constrain(values))
    one.state = one.state === undefined ? state : add(one.state, state)
  }
  return Array.from(series.all()).flatMap(({ values, state }) => (state === undefined ? [] : [[values, state] as const]))
}

export const mergedNumbers = (row: Bounds, all: Iterable<readonly [Names, number]>, constrain: Constrain) =>
  merged(row, all, constrain, (one, other) => one + other)

export const mergedCounts = (row: Bounds, all: Iterable<readonly [Names, BucketCounts]>, constrain: Constrain) =>
  merged(row, all, constrain, (one, other) => ({
    counts: Array.from(one.counts, (count, index) => count + (other.counts[index] ?? 0)),
    sum: one.sum + other.sum,
    count: one.count + other.count,
  }))
