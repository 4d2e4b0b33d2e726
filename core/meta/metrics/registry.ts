/**
 * Counts of one server's metrics, printed in Prometheus' text format 0.0.4. Label values are given in the order of the row's labels, so that
 * each update needs few map look-ups.
 */
import { Reply } from '../../respond/reply.ts'
import type { LabelValues, MetricRow } from './metric-row.ts'
import { createSeries, type Series } from './series.ts'
import { type BucketCounts, histogramLines, labelPrinter, number, type Totals, totalLines } from './text-format.ts'

type Names = readonly string[]

export interface Counter<Labels extends Names = Names> {
  add(values: LabelValues<Labels>, amount?: number): void
  /** Adds to one series, which is looked up at the first call only. Not for series that are removed. */
  in(values: LabelValues<Labels>): (amount?: number) => void
  /** Removes the series. */
  remove(values: LabelValues<Labels>): void
}

export interface Gauge<Labels extends Names = Names> {
  set(values: LabelValues<Labels>, value: number): void
  add(values: LabelValues<Labels>, amount: number): void
  /** Removes the series. */
  remove(values: LabelValues<Labels>): void
}

export interface Summary<Labels extends Names = Names> {
  observe(values: LabelValues<Labels>, value: number): void
}

export interface Histogram<Labels extends Names = Names> extends Summary<Labels> {
  /** Observes one series, which is looked up at the first value only. */
  in(values: LabelValues<Labels>): (value: number) => void
  /** Creates the series, without an observation. */
  touch(values: LabelValues<Labels>): void
}

/** Each method registers a row, once. @throws Error for a name that is registered already. */
export interface MetricsRegistry {
  counter<Labels extends Names>(row: MetricRow<'counter', Labels>): Counter<Labels>
  gauge<Labels extends Names>(row: MetricRow<'gauge', Labels>): Gauge<Labels>
  histogram<Labels extends Names>(row: MetricRow<'histogram', Labels>): Histogram<Labels>
  summary<Labels extends Names>(row: MetricRow<'summary', Labels>): Summary<Labels>
  /** A gauge that is always 1, with information in its labels; the returned function replaces them. */
  info<Labels extends Names>(row: MetricRow<'gauge', Labels>): (values: LabelValues<Labels>) => void
  /** A metric that is read when metrics are printed: the label values and the number of each series. */
  collect<Labels extends Names>(
    row: MetricRow<'counter' | 'gauge', Labels>,
    read: () => Iterable<readonly [values: LabelValues<Labels>, value: number]>,
  ): void
  /** A histogram that is read when metrics are printed: the label values and the counts of each series, in the row's buckets. */
  distribute<Labels extends Names>(
    row: MetricRow<'histogram', Labels>,
    read: () => Iterable<readonly [values: LabelValues<Labels>, counts: BucketCounts]>,
  ): void
  /** All metrics as text, sorted by name. */
  text(): string
  /** The text as a response, with these headers. */
  respond(headers?: { readonly [name: string]: string }): Response
}

interface Metric {
  readonly row: MetricRow
  readonly lines: () => Iterable<string>
}

interface Distribution extends Totals {
  readonly counts: Float64Array
}

/** Names have no characters that need escaping. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

export function createMetrics(): MetricsRegistry {
  const metrics = new Map<string, Metric>()
  const register = (row: MetricRow, lines: () => Iterable<string>) => {
    if (metrics.has(row.name)) throw new Error(`metric ${row.name} is registered already`)
    metrics.set(row.name, { row, lines })
  }
  const numbers = (row: MetricRow<'counter' | 'gauge'>) => {
    const { name, labels } = row
    const series = createSeries(row, () => 0)
    const print = labelPrinter(labels)
    register(row, function* () {
      for (const { values, state } of series.all()) yield `${name}${print(values)} ${number(state)}`
    })
    return series
  }
  const text = () => {
    let output = ''
    for (const { row, lines } of [...metrics.values()].sort((a, b) => (a.row.name < b.row.name ? -1 : 1))) {
      const { name, help, type, stability } = row
      const described = stability === null ? help : `[${stability}] ${help}`
      output += `# HELP ${name} ${described.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
      for (const line of lines()) output += `${line}\n`
    }
    return output
  }

  return {
    counter(row) {
      const { of, remove } = numbers(row)
      return {
        add(values, amount = 1) {
          of(values).state += amount
        },
        in(values) {
          let own: Series<number> | undefined
          return (amount = 1) => {
            own ??= of(values)
            own.state += amount
          }
        },
        remove,
      }
    },
    gauge(row) {
      const { of, remove } = numbers(row)
      return {
        set(values, value) {
          of(values).state = value
        },
        add(values, amount) {
          of(values).state += amount
        },
        remove,
      }
    },
    histogram(row) {
      const { buckets } = row
      const series = createSeries<Distribution>(row, () => ({ counts: new Float64Array(buckets.length), sum: 0, count: 0 }))
      register(row, () => histogramLines(row, series.all()))
      const observe = (state: Distribution, value: number) => {
        let bucket = 0
        while (bucket < buckets.length && value > buckets[bucket]!) bucket++
        if (bucket < buckets.length) state.counts[bucket]!++
        state.sum += value
        state.count++
      }
      return {
        observe: (values, value) => observe(series.of(values).state, value),
        touch: (values) => void series.of(values),
        in(values) {
          let own: Series<Distribution> | undefined
          return (value) => {
            own ??= series.of(values)
            observe(own.state, value)
          }
        },
      }
    },
    summary(row) {
      const series = createSeries(row, () => ({ sum: 0, count: 0 }))
      const print = labelPrinter(row.labels)
      register(row, function* () {
        for (const { values, state } of series.all()) yield* totalLines(row.name, print(values), state)
      })
      return {
        observe(values, value) {
          const { state } = series.of(values)
          state.sum += value
          state.count++
        },
      }
    },
    info(row) {
      let current: Names | undefined
      const print = labelPrinter(row.labels)
      register(row, () => (current ? [`${row.name}${print(current)} 1`] : []))
      return (values) => {
        current = values
      }
    },
    collect(row, read) {
      const print = labelPrinter(row.labels)
      register(row, function* () {
        for (const [values, value] of read()) yield `${row.name}${print(values)} ${number(value)}`
      })
    },
    distribute(row, read) {
      register(row, function* () {
        for (const [values, state] of read()) yield* histogramLines(row, [{ values, state }])
      })
    },
    text,
    respond: (headers = {}) => new Reply(text(), { headers: { 'Content-Type': contentType, ...headers } }),
  }
}
