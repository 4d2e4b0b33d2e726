/**
 * Counts of one server's metrics, printed in Prometheus' text format 0.0.4. Label values are given in the order of the row's labels, so that
 * each update needs few map look-ups.
 */
import { Reply } from '../../respond/reply.ts'
import type { LabelValues, MetricRow, MetricType } from './metric-row.ts'

type Names = readonly string[]

export interface Counter<Labels extends Names = Names> {
  add(values: LabelValues<Labels>, amount?: number): void
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

interface Series<T> {
  readonly values: Names
  state: T
}

interface Totals {
  sum: number
  count: number
}

interface Distribution extends Totals {
  readonly counts: Float64Array
}

/** Names have no characters that need escaping. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

/** Counts by bucket. */
export interface BucketCounts {
  readonly counts: ArrayLike<number>
  readonly sum: number
  readonly count: number
}

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
        const bucket = buckets.findIndex((bound) => value <= bound)
        if (bucket >= 0) state.counts[bucket] = (state.counts[bucket] ?? 0) + 1
        state.sum += value
        state.count++
      }
      return {
        observe: (values, value) => observe(series.of(values).state, value),
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

/** Trie node: series by the value of one label, then the next. */
type Branch<T> = Map<string, Branch<T> | Series<T>>

/**
 * Series by label values, created on first use; without labels there is one from the start. Looked up value by value, because a joined
 * key would have to be built and hashed for every request.
 */
function createSeries<T>({ labels, maxSeries }: MetricRow<MetricType>, initial: () => T) {
  const root: Branch<T> = new Map()
  const all = new Set<Series<T>>()
  const last = Math.max(0, labels.length - 1)
  /** Counts what exceeds the maximum number of series. */
  let others: Series<T> | undefined

  /** The series that share all label values but the last; `create` adds missing branches. */
  function branch(values: Names, create: boolean): Map<string, Series<T>> | undefined {
    let found = root
    for (let i = 0; i < last; i++) {
      let next = found.get(values[i] as string)
      if (next === undefined) {
        if (!create) return undefined
        next = new Map()
        found.set(values[i] as string, next)
      }
      found = next as Branch<T>
    }
    return found as Map<string, Series<T>>
  }

  function add(values: Names): Series<T> {
    const created = { values: [...values], state: initial() }
    branch(values, true)?.set(values[last] ?? '', created)
    all.add(created)
    return created
  }

  function of(values: Names): Series<T> {
    if (values.length !== labels.length) throw new Error(`want ${labels.length} label values, have ${values.length}`)
    const found = branch(values, false)?.get(values[last] ?? '')
    if (found !== undefined) return found
    if (all.size - (others === undefined ? 0 : 1) < maxSeries) return add(values)
    others ??= add(labels.map(() => 'other'))
    return others
  }

  if (labels.length === 0) of([])
  return {
    of,
    all: () => all.values(),
    remove(values: Names) {
      const siblings = branch(values, false)
      const value = values[last] ?? ''
      const found = siblings?.get(value)
      if (found === undefined) return
      siblings?.delete(value)
      all.delete(found)
      if (found === others) others = undefined
    },
  }
}

function* histogramLines(
  { name, labels, buckets }: MetricRow,
  all: Iterable<Series<Totals & { readonly counts: ArrayLike<number> }>>,
): Iterable<string> {
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

const totalLines = (name: string, labels: string, { sum, count }: Totals): Names => [
  `${name}_sum${labels} ${number(sum)}`,
  `${name}_count${labels} ${count}`,
]

/** Prints label values with the labels in alphabetical order, as Prometheus' client libraries do. */
function labelPrinter(labels: Names): (values: Names) => string {
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
