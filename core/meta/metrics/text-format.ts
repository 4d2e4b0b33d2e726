/** Prometheus' text format 0.0.4. */
import type { MetricRow } from './metric-row.ts'
import type { Series } from './series.ts'

type Names = readonly string[]

export interface Totals {
  sum: number
  count: number
}

/** Counts by bucket. */
export interface BucketCounts extends Readonly<Totals> {
  readonly counts: ArrayLike<number>
}

export function* histogramLines({ name, labels, buckets }: MetricRow, all: Iterable<Series<BucketCounts>>): Iterable<string> {
  const print = labelPrinter(labels)
  for (const { values, state } of all) {
    const printed = print(values)
    const inBucket = (bound: string) => (printed === '' ? `{le="${bound}"}` : `${printed.slice(0, -1)},le="${bound}"}`)
    let sum = 0
    for (const [index, bound] of buckets.entries()) {
      sum += state.counts[index] ?? 0
      yield `${name}_bucket${inBucket(boundText(bound))} ${sum}`
    }
    yield `${name}_bucket${inBucket('+Inf')} ${state.count}`
    yield* totalLines(name, printed, state)
  }
}

export const totalLines = (name: string, labels: string, { sum, count }: Readonly<Totals>): Names => [
  `${name}_sum${labels} ${number(sum)}`,
  `${name}_count${labels} ${count}`,
]

/** Prints label values with the labels in alphabetical order, as Prometheus' client libraries do. */
export function labelPrinter(labels: Names): (values: Names) => string {
  if (labels.length === 0) return () => ''
  const order = [...labels.entries()].sort(([, a], [, b]) => (a < b ? -1 : 1))
  return (values) => `{${order.map(([index, label]) => `${label}="${escaped(values[index] ?? '')}"`).join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

/** Bucket bounds are part of a series' identity, so they are formatted as in Go: with an exponent below 0.0001 and from a million on. */
function boundText(bound: number): string {
  if (bound === 0 || (bound >= 1e-4 && bound < 1e6)) return number(bound)
  return bound.toExponential().replace(/(?<=e.)(?=\d$)/, '0')
}

export function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
