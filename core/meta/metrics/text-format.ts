/** Prometheus' text format 0.0.4, and OpenMetrics 1.0.0. */
import type { BucketCounts, MetricRow, Totals } from '../../metrics.ts'
import type { Series } from './series.ts'

type Names = readonly string[]

export interface TextFormat {
  readonly mediaType: string
  /** Lines in front of a metric's samples. */
  head(row: MetricRow): string
  /** A sample's value. */
  number(value: number): string
  /** A bucket's upper bound. */
  bound(value: number): string
  /** Last line. */
  readonly end: string
}

/** The help of a metric, with its stability. */
export function describe({ help, stability, deprecated }: MetricRow): string {
  const text = deprecated === undefined ? help : `(Deprecated since ${deprecated}) ${help}`
  return stability === null ? text : `[${stability}] ${text}`
}

const escapedHelp = (row: MetricRow) => describe(row).replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** Names have no characters that need escaping. */
export const prometheusText: TextFormat = {
  mediaType: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
  head: (row) => `# HELP ${row.name} ${escapedHelp(row)}\n# TYPE ${row.name} ${row.type}\n`,
  number,
  bound: boundText,
  end: '',
}

/** A float of OpenMetrics always has a point or an exponent. */
const float = (text: string) => (/^-?\d+$/.test(text) ? `${text}.0` : text)
const suffix = '_total'

/**
 * The name of a counter's family lacks the suffix of its samples. A counter whose samples have no suffix is of type `unknown`, so that its
 * name stays what it is.
 */
export const openMetricsText: TextFormat = {
  mediaType: 'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores',
  head(row) {
    const isCounter = row.type === 'counter' && row.name.endsWith(suffix)
    const family = isCounter ? row.name.slice(0, -suffix.length) : row.name
    const type = row.type === 'counter' && !isCounter ? 'unknown' : row.type
    return `# HELP ${family} ${escapedHelp(row).replaceAll('"', '\\"')}\n# TYPE ${family} ${type}\n`
  },
  number: (value) => float(number(value)),
  bound: (value) => float(boundText(value)),
  end: '# EOF\n',
}

export function* histogramLines(
  { name, labels, buckets }: MetricRow,
  all: Iterable<Series<BucketCounts>>,
  format: TextFormat,
): Iterable<string> {
  const print = labelPrinter(labels)
  const bounds = buckets.map((bound) => format.bound(bound))
  for (const { values, state } of all) {
    const printed = print(values)
    const inBucket = (bound: string) => (printed === '' ? `{le="${bound}"}` : `${printed.slice(0, -1)},le="${bound}"}`)
    let sum = 0
    for (const [index, bound] of bounds.entries()) {
      sum += state.counts[index] ?? 0
      yield `${name}_bucket${inBucket(bound)} ${sum}`
    }
    yield `${name}_bucket${inBucket('+Inf')} ${state.count}`
    yield* totalLines(name, printed, state, format)
  }
}

export const totalLines = (name: string, labels: string, { sum, count }: Readonly<Totals>, format: TextFormat): Names => [
  `${name}_sum${labels} ${format.number(sum)}`,
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

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
