/**
 * Counts of one server's metrics, printed as text or protobuf. Label values are given in the order of the row's labels, so that each update needs few map
 * look-ups.
 */

import { acceptsGzip } from '../../answers/body.ts'
import { gzipped } from '../../answers/gzip.ts'
import { Reply } from '../../answers/reply.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { type MetricRow, type MetricRows, type Metrics, type Recorded, unrecorded } from '../../metrics.ts'
import { type AcceptClause, parseAccept } from '../../request/accept.ts'
import { concatenate } from '../../schema/bytes.ts'
import { mergedCounts, mergedNumbers } from './constrained-series.ts'
import { type MetricSeries, mergedMetric, seriesOf } from './merged.ts'
import { metricFamily } from './protobuf-format.ts'
import { type Metric, numberLines, recorders } from './recorders.ts'
import { constraintOf, isSelected, type MetricSelection } from './selection.ts'
import { describe, histogramLines, openMetricsText, prometheusText, type TextFormat } from './text-format.ts'

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
  respond(asked?: Headers, headers?: { readonly [name: string]: string }): MaybePromise<Response>
  readonly selection: MetricSelection
  /** All series, for responses of another thread. */
  series(): readonly MetricSeries[]
  /** From now on responses include the series of other threads of the same server that this reads, unless they can't be read. */
  include(read: () => Promise<readonly MetricSeries[]>): void
}

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
  /** By name; undefined: it is not recorded. */
  const metrics = new Map<string, Metric | undefined>()
  let unexpected = 0
  let isNative = false
  const register = (row: MetricRow, make: () => Metric): Metric | undefined => {
    if (metrics.has(row.name)) throw new Error(`metric ${row.name} is registered already`)
    const metric = isSelected(row, selection) ? make() : undefined
    metrics.set(row.name, metric)
    return metric
  }
  const selected = () => [...metrics.values()].filter((metric) => metric !== undefined)
  const constraint = (row: MetricRow) => constraintOf(row, selection, () => unexpected++)
  const text = (format: TextFormat = prometheusText, others: readonly MetricSeries[] = []) => {
    let output = ''
    for (const metric of sorted(others)) {
      output += format.head(metric.row)
      for (const line of metric.lines(format)) output += `${line}\n`
    }
    return output + format.end
  }

  let readOthers: (() => Promise<readonly MetricSeries[]>) | undefined
  const all = (others: readonly MetricSeries[]): readonly Metric[] => {
    const own = selected()
    if (others.length === 0) return own
    const byName = new Map<string, MetricSeries[]>()
    for (const each of [...own.map(seriesOf), ...others]) {
      const same = byName.get(each.row.name)
      if (same) same.push(each)
      else byName.set(each.row.name, [each])
    }
    return Array.from(byName.values(), mergedMetric)
  }
  const sorted = (others: readonly MetricSeries[]) => [...all(others)].sort((a, b) => (a.row.name < b.row.name ? -1 : 1))
  const families = (others: readonly MetricSeries[] = []) =>
    concatenate(
      sorted(others).flatMap((metric) => metricFamily(metric.row, describe(metric.row), metric.read()) ?? []),
    ) as Uint8Array<ArrayBuffer>

  const recording = { constraintOf: constraint, isNative: () => isNative }
  const recorder = (row: MetricRow) => register(row, () => new recorders[row.type](row, recording)) ?? unrecorded

  return {
    record<Rows extends MetricRows>(rows: Rows) {
      // Without the lists of `Object.entries`: each server has a hundred tables.
      const recorded: Record<string, unknown> = {}
      for (const name in rows) recorded[name] = recorder(rows[name] as MetricRow)
      return recorded as Recorded<Rows>
    },
    collect(row, read) {
      const constrain = constraint(row)
      const samples = () => (constrain ? mergedNumbers(row, read(), constrain) : read())
      const lines: Metric['lines'] = (format) => numberLines(row, samples(), format)
      register(row, () => ({ row, read: samples, lines }))
    },
    distribute(row, read) {
      const constrain = constraint(row)
      const samples = () => (constrain ? mergedCounts(row, read(), constrain) : read())
      const lines: Metric['lines'] = (format) =>
        histogramLines(
          row,
          Array.from(samples(), ([values, state]) => ({ values, state })),
          format,
        )
      register(row, () => ({ row, read: samples, lines }))
    },
    *read(name) {
      const metric = metrics.get(name)
      if (metric === undefined) return
      for (const [values, state] of metric.read()) {
        const labels = Object.fromEntries(metric.row.labels.map((label, index) => [label, values[index] ?? '']))
        yield typeof state === 'number' ? { labels, value: state } : { labels, value: state.sum, count: state.count }
      }
    },
    census() {
      const registered = selected().map(({ row }) => row)
      return { registered, hidden: metrics.size - registered.length, unexpected }
    },
    text: (format) => text(format),
    useNativeHistograms() {
      isNative = true
    },
    protobuf: () => families(),
    respond(asked, more = {}) {
      const format = formatFor(asked?.get('accept') ?? null)
      const answer = (others: readonly MetricSeries[]) => {
        const [mediaType, body] = typeof format === 'string' ? [format, families(others)] : [format.mediaType, text(format, others)]
        const headers = { 'Content-Type': mediaType, ...more }
        if (!acceptsGzip(asked?.get('accept-encoding') ?? '')) return new Reply(body, { headers })
        return new Reply(gzipped(new Blob([body]).stream()), { headers: { ...headers, 'Content-Encoding': 'gzip' } })
      }
      return readOthers === undefined ? answer([]) : readOthers().then(answer, () => answer([]))
    },
    selection,
    series: () => selected().map(seriesOf),
    include(read) {
      readOthers = read
    },
  }
}
