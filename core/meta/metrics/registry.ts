/**
 * Counts of one server's metrics, printed as text or protobuf. Label values are given in the order of the row's labels, so that each update needs few map
 * look-ups.
 */

import { acceptsGzip } from '../../answers/body.ts'
import { gzipped } from '../../answers/gzip.ts'
import { Reply } from '../../answers/reply.ts'
import {
  type Histogram,
  type MetricRow,
  type MetricRows,
  type Metrics,
  type MetricType,
  type Recorded,
  type Recorders,
  type Totals,
  unrecorded,
} from '../../metrics.ts'
import { type AcceptClause, parseAccept } from '../../request/accept.ts'
import { concatenate } from '../../schema/bytes.ts'
import { type ConstrainedSeries, createConstrainedSeries, mergedCounts, mergedNumbers } from './constrained-series.ts'
import { NativeHistogram } from './native-histogram.ts'
import { metricFamily, type Value } from './protobuf-format.ts'
import { constraintOf, isSelected, type MetricSelection } from './selection.ts'
import type { Series } from './series.ts'
import { describe, histogramLines, labelPrinter, openMetricsText, prometheusText, type TextFormat, totalLines } from './text-format.ts'

type Names = readonly string[]

/** A number with its labels; of a histogram or a summary the sum, with the number of observations. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly count?: number
}

/** What was registered, and what became of it. */
export interface Census {
  /** Metrics that are recorded. */
  readonly registered: readonly MetricRow[]
  /** Number of metrics that are not. */
  readonly hidden: number
  /** Number of label values that were not allowed. */
  readonly unexpected: number
}

/** Registers, reads and prints metrics. */
export interface MetricsRegistry extends Metrics {
  census(): Census
  /** The samples of a metric; none when it is not recorded. */
  read(name: string): Iterable<Sample>
  /** All metrics as text, sorted by name. Default: Prometheus' format. */
  text(format?: TextFormat): string
  /** From now on the histograms of new series count in native buckets, too, which only protobuf has (feature gate NativeHistograms). */
  useNativeHistograms(): void
  /** All metrics in protobuf, sorted by name. */
  protobuf(): Uint8Array<ArrayBuffer>
  /** The text as a response with these headers; `asked`: headers of a request, which select format and coding. */
  respond(asked?: Headers, headers?: { readonly [name: string]: string }): Response
  readonly selection: MetricSelection
}

interface Metric {
  readonly row: MetricRow
  readonly lines: (format: TextFormat) => Iterable<string>
  readonly read: () => Iterable<readonly [values: Names, state: Value]>
}

interface Distribution extends Totals {
  readonly counts: Float64Array
  readonly native: NativeHistogram | undefined
}

/** What records observations, by how one adds to the state of a series. */
const observing = <T>({ of, at }: ConstrainedSeries<T>, add: (state: T, value: number) => void): Histogram<Names> => ({
  observe: (values, value) => add(of(values).state, value),
  touch: (values) => void of(values),
  in(values) {
    const own = at(values)
    return (value) => add(own().state, value)
  },
})

const openMetrics = 'application/openmetrics-text'
const protobuf = 'application/vnd.google.protobuf'
const family = 'io.prometheus.client.MetricFamily'
/** Ways in which a client may want names escaped. Names here have nothing to escape. */
const escapings: readonly (string | undefined)[] = ['allow-utf-8', 'underscores', 'dots', 'values']

/** The media type of protobuf if the clause asks for it as the reference writes it, one message behind the other. */
function protobufType({ type, subtype, parameters }: AcceptClause): string | undefined {
  const isProtobuf = `${type}/${subtype}` === protobuf && parameters.get('proto') === family && parameters.get('encoding') === 'delimited'
  if (!isProtobuf) return undefined
  const escaping = parameters.get('escaping')
  return `${protobuf}; proto=${family}; encoding=delimited; escaping=${escapings.includes(escaping) ? escaping : 'underscores'}`
}

/**
 * The text format, or the media type of protobuf. Only a client that names OpenMetrics gets it; the reference has Prometheus' format and protobuf.
 */
function formatFor(accept: string | null): TextFormat | string {
  for (const clause of parseAccept(accept)) {
    const { type, subtype, quality } = clause
    if (quality === 0) continue
    const binary = protobufType(clause)
    if (binary !== undefined) return binary
    if (`${type}/${subtype}` === openMetrics) return openMetricsText
    if (subtype === '*' || type === 'text') return prometheusText
  }
  return prometheusText
}

export function createMetrics(selection: MetricSelection = {}): MetricsRegistry {
  const names = new Set<string>()
  const metrics = new Map<string, Metric>()
  let unexpected = 0
  let isNative = false
  /** Whether the metric is recorded. */
  const admit = (row: MetricRow): boolean => {
    if (names.has(row.name)) throw new Error(`metric ${row.name} is registered already`)
    names.add(row.name)
    return isSelected(row, selection)
  }
  const register = (row: MetricRow, read: Metric['read'], lines: Metric['lines']) => void metrics.set(row.name, { row, read, lines })
  const statesOf = <T>(all: Iterable<Series<T>>) => Array.from(all, ({ values, state }) => [values, state] as const)
  const constraint = (row: MetricRow) => constraintOf(row, selection, () => unexpected++)
  const table = <T>(row: MetricRow, initial: () => T) => createConstrainedSeries(row, initial, constraint(row))
  const numberLines = function* ({ name, labels }: MetricRow, all: Iterable<readonly [Names, number]>, format: TextFormat) {
    const print = labelPrinter(labels)
    for (const [values, value] of all) yield `${name}${print(values)} ${format.number(value)}`
  }
  const numbers = (row: MetricRow) => {
    const series = table(row, () => 0)
    const read = () => statesOf(series.all())
    register(row, read, (format) => numberLines(row, read(), format))
    return series
  }
  const text = (format: TextFormat = prometheusText) => {
    let output = ''
    for (const { row, lines } of sorted()) {
      output += format.head(row)
      for (const line of lines(format)) output += `${line}\n`
    }
    return output + format.end
  }

  const sorted = () => [...metrics.values()].sort((a, b) => (a.row.name < b.row.name ? -1 : 1))
  const families = () =>
    concatenate(sorted().flatMap(({ row, read }) => metricFamily(row, describe(row), read()) ?? [])) as Uint8Array<ArrayBuffer>

  const recorders: { readonly [Type in MetricType]: (row: MetricRow) => Recorders<Names>[Type] } = {
    counter(row) {
      const { of, at, remove } = numbers(row)
      return {
        add(values, amount = 1) {
          of(values).state += amount
        },
        in(values) {
          const own = at(values)
          return (amount = 1) => {
            own().state += amount
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
      const series = table<Distribution>(row, () => ({
        ...{ counts: new Float64Array(buckets.length), sum: 0, count: 0 },
        native: isNative ? new NativeHistogram() : undefined,
      }))
      register(
        row,
        () => statesOf(series.all()),
        (format) => histogramLines(row, series.all(), format),
      )
      return observing(series, (state, value) => {
        let bucket = 0
        while (bucket < buckets.length && value > buckets[bucket]!) bucket++
        if (bucket < buckets.length) state.counts[bucket]!++
        state.sum += value
        state.count++
        state.native?.observe(value)
      })
    },
    summary(row) {
      const series = table(row, () => ({ sum: 0, count: 0 }))
      const print = labelPrinter(row.labels)
      register(
        row,
        () => statesOf(series.all()),
        function* (format) {
          for (const { values, state } of series.all()) yield* totalLines(row.name, print(values), state, format)
        },
      )
      return observing(series, (state, value) => {
        state.sum += value
        state.count++
      })
    },
  }
  const recorder = (row: MetricRow) => (admit(row) ? recorders[row.type](row) : unrecorded)

  return {
    record: <Rows extends MetricRows>(rows: Rows) =>
      Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, recorder(row)])) as Recorded<Rows>,
    collect(row, read) {
      if (!admit(row)) return
      const constrain = constraint(row)
      const samples = () => (constrain ? mergedNumbers(row, read(), constrain) : read())
      register(row, samples, (format) => numberLines(row, samples(), format))
    },
    distribute(row, read) {
      if (!admit(row)) return
      const constrain = constraint(row)
      const samples = () => (constrain ? mergedCounts(row, read(), constrain) : read())
      register(row, samples, (format) =>
        histogramLines(
          row,
          Array.from(samples(), ([values, state]) => ({ values, state })),
          format,
        ),
      )
    },
    *read(name) {
      const { row, read } = metrics.get(name) ?? {}
      if (row === undefined || read === undefined) return
      for (const [values, state] of read()) {
        const labels = Object.fromEntries(row.labels.map((label, index) => [label, values[index] ?? '']))
        yield typeof state === 'number' ? { labels, value: state } : { labels, value: state.sum, count: state.count }
      }
    },
    census: () => ({
      registered: [...metrics.values()].map(({ row }) => row),
      hidden: names.size - metrics.size,
      unexpected,
    }),
    text,
    useNativeHistograms() {
      isNative = true
    },
    protobuf: families,
    respond(asked, others = {}) {
      const format = formatFor(asked?.get('accept') ?? null)
      const [mediaType, body] = typeof format === 'string' ? [format, families()] : [format.mediaType, text(format)]
      const headers = { 'Content-Type': mediaType, ...others }
      if (!acceptsGzip(asked?.get('accept-encoding') ?? '')) return new Reply(body, { headers })
      return new Reply(gzipped(new Blob([body]).stream()), { headers: { ...headers, 'Content-Encoding': 'gzip' } })
    },
    selection,
  }
}
