/** Metrics that several threads of one server count, each for itself, as those of the server. */
import type { BucketCounts, MetricRow, Totals } from '../../metrics.ts'
import type { Value } from './protobuf-format.ts'
import { type Metric, numberLines } from './recorders.ts'
import { createSeries, type Series } from './series.ts'
import { histogramLines, labelPrinter, totalLines } from './text-format.ts'

type Names = readonly string[]

/** The series of one metric, as a structured clone can carry them. */
export interface MetricSeries {
  readonly row: MetricRow
  readonly series: readonly (readonly [values: Names, state: Value])[]
}

const isNumber = (value: Value): value is number => typeof value === 'number'
const countsOf = (value: Value) => ('counts' in (value as object) ? (value as BucketCounts).counts : undefined)

function sum(one: Value, other: Value): Value {
  if (isNumber(one) || isNumber(other)) return (one as number) + (other as number)
  const totals = { sum: one.sum + other.sum, count: one.count + other.count }
  const [counts, others] = [countsOf(one), countsOf(other)]
  return counts && others ? { ...totals, counts: Array.from(counts, (count, index) => count + (others[index] ?? 0)) } : totals
}

const combined: { readonly [threads in MetricRow['threads']]: (one: Value, other: Value) => Value } = {
  sum,
  max: (one, other) => Math.max(one as number, other as number),
}

/** What a thread sends others of its metric. Counts in native buckets stay behind. */
export const seriesOf = (metric: Pick<Metric, 'row' | 'read'>): MetricSeries => ({
  row: metric.row,
  series: Array.from(metric.read(), ([values, state]) => {
    if (isNumber(state)) return [values, state] as const
    const counts = countsOf(state)
    return [values, { sum: state.sum, count: state.count, ...(counts && { counts: Array.from(counts) }) }] as const
  }),
})

/** One metric of all threads. */
export function mergedMetric(all: readonly MetricSeries[]): Metric {
  const { row } = all[0] as MetricSeries
  const combine = combined[row.threads]
  const table = createSeries<Value | undefined>(row, () => undefined)
  for (const { series } of all)
    for (const [values, state] of series) {
      const own = table.of(values)
      own.state = own.state === undefined ? state : combine(own.state, state)
    }
  const merged = [...table.all()].filter((each): each is Series<Value> => each.state !== undefined)
  const states = <T extends Value>() => merged as unknown as readonly Series<T>[]
  return {
    row,
    read: () => merged.map(({ values, state }) => [values, state] as const),
    *lines(format) {
      if (row.type === 'histogram') return yield* histogramLines(row, states<BucketCounts & Value>(), format)
      if (row.type !== 'summary')
        return yield* numberLines(
          row,
          states<number>().map(({ values, state }) => [values, state] as const),
          format,
        )
      const print = labelPrinter(row.labels)
      for (const { values, state } of states<Totals>()) yield* totalLines(row.name, print(values), state, format)
    },
  }
}
