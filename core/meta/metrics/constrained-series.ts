/** Series with label values that may be constrained (`selection.ts`). */
import type { BucketCounts, MetricRow } from '../../metrics.ts'
import { createSeries, type SeriesTable } from './series.ts'

type Names = readonly string[]
type Constrain = (values: Names) => Names
type Bounds = Pick<MetricRow, 'labels' | 'maxSeries'>

export interface ConstrainedSeries<T> extends SeriesTable<T> {
  /** Values may be replaced: the series of the same values is looked up for each use. */
  readonly constrained: boolean
}

export function createConstrainedSeries<T>(row: Bounds, initial: () => T, constrain: Constrain | undefined): ConstrainedSeries<T> {
  const series = createSeries<T>(row, initial)
  if (constrain === undefined) return { ...series, constrained: false }
  // Each use of a value that is not allowed counts as one.
  return { ...series, of: (values) => series.of(constrain(values)), constrained: true }
}

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
