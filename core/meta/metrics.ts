import { Reply } from '../respond/reply.ts'
/**
 * Metrics in Prometheus' text format 0.0.4. A registry belongs to one server. Label values are given in the order of the metric's
 * labels, so that each update needs few map look-ups.
 */

export interface Counter {
  add(values: readonly string[], amount?: number): void
  /** Removes the series. */
  remove(values: readonly string[]): void
}

export interface Gauge {
  set(values: readonly string[], value: number): void
  add(values: readonly string[], amount: number): void
  /** Removes the series. */
  remove(values: readonly string[]): void
}

export interface Summary {
  observe(values: readonly string[], value: number): void
}

export interface Histogram extends Summary {
  /** Observes one series, which is looked up at the first value only. */
  in(values: readonly string[]): (value: number) => void
}

export interface MetricsRegistry {
  counter(name: string, help: string, labels: readonly string[]): Counter
  gauge(name: string, help: string, labels: readonly string[]): Gauge
  /** `buckets` are ascending upper bounds, without infinity. */
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram
  /** Only the number of observations and their sum. */
  summary(name: string, help: string, labels: readonly string[]): Summary
  /** A gauge that is always 1, with information in its labels; the returned function replaces them. */
  info(name: string, help: string, labels: readonly string[]): (values: readonly string[]) => void
  /** A gauge without labels that is read on demand. */
  collect(name: string, help: string, read: () => number): void
  /** As `collect`, with one label: a number per label value. */
  collectBy(name: string, help: string, label: string, read: () => { readonly [value: string]: number }): void
  /** All metrics as text, sorted by name. */
  text(): string
  respond(): Response
}

interface Metric {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly lines: (name: string) => Iterable<string>
}

interface Series<T> {
  readonly values: readonly string[]
  state: T
}

interface Totals {
  sum: number
  count: number
}

interface Distribution extends Totals {
  readonly counts: Float64Array
}

export function createMetrics(): MetricsRegistry {
  const metrics = new Map<string, Metric>()
  const register = (name: string, metric: Metric) => {
    if (metrics.has(name)) throw new Error(`metric ${name} is registered already`)
    metrics.set(name, metric)
  }
  const numbers = (type: 'counter' | 'gauge', name: string, help: string, labels: readonly string[]) => {
    const series = createSeries(labels, () => 0)
    register(name, {
      help,
      type,
      *lines() {
        for (const { values, state } of series.all()) yield `${name}${labelText(labels, values)} ${number(state)}`
      },
    })
    return series
  }
  const text = () => {
    let output = ''
    for (const [name, { help, type, lines }] of [...metrics].sort(([a], [b]) => (a < b ? -1 : 1))) {
      output += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
      for (const line of lines(name)) output += `${line}\n`
    }
    return output
  }

  return {
    counter(name, help, labels) {
      const { of, remove } = numbers('counter', name, help, labels)
      return {
        add(values, amount = 1) {
          of(values).state += amount
        },
        remove,
      }
    },
    gauge(name, help, labels) {
      const { of, remove } = numbers('gauge', name, help, labels)
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
    histogram(name, help, labels, buckets) {
      const series = createSeries<Distribution>(labels, () => ({ counts: new Float64Array(buckets.length), sum: 0, count: 0 }))
      register(name, { help, type: 'histogram', lines: () => histogramLines(name, labels, buckets, series.all()) })
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
    summary(name, help, labels) {
      const series = createSeries(labels, () => ({ sum: 0, count: 0 }))
      register(name, {
        help,
        type: 'summary',
        *lines() {
          for (const { values, state } of series.all()) yield* totalLines(name, labels, values, state)
        },
      })
      return {
        observe(values, value) {
          const { state } = series.of(values)
          state.sum += value
          state.count++
        },
      }
    },
    info(name, help, labels) {
      let said: readonly string[] | undefined
      register(name, { help, type: 'gauge', lines: () => (said ? [`${name}${labelText(labels, said)} 1`] : []) })
      return (values) => {
        said = values
      }
    },
    collect(name, help, read) {
      register(name, { help, type: 'gauge', lines: () => [`${name} ${number(read())}`] })
    },
    collectBy(name, help, label, read) {
      const line = ([value, state]: readonly [string, number]) => `${name}${labelText([label], [value])} ${number(state)}`
      register(name, { help, type: 'gauge', lines: () => Object.entries(read()).map(line) })
    },
    text,
    respond: () => new Reply(text(), { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } }),
  }
}

/** Trie node: series by the value of one label, then the next. */
type Branch<T> = Map<string, Branch<T> | Series<T>>

/**
 * Series by label values, created on first use; without labels there is one from the start. Looked up value by value, because a joined
 * key would have to be built and hashed for every request.
 */
function createSeries<T>(labels: readonly string[], initial: () => T) {
  const root: Branch<T> = new Map()
  const all = new Set<Series<T>>()
  const last = Math.max(0, labels.length - 1)

  /** The series that share all label values but the last. */
  function branch(values: readonly string[]): Map<string, Series<T>> {
    let found = root
    for (let i = 0; i < last; i++) {
      let next = found.get(values[i] as string)
      if (next === undefined) {
        next = new Map()
        found.set(values[i] as string, next)
      }
      found = next as Branch<T>
    }
    return found as Map<string, Series<T>>
  }

  function of(values: readonly string[]): Series<T> {
    if (values.length !== labels.length) throw new Error(`want ${labels.length} label values, have ${values.length}`)
    const siblings = branch(values)
    const value = values[last] ?? ''
    let found = siblings.get(value)
    if (found === undefined) {
      found = { values: [...values], state: initial() }
      siblings.set(value, found)
      all.add(found)
    }
    return found
  }

  if (labels.length === 0) of([])
  return {
    of,
    all: () => all.values(),
    remove(values: readonly string[]) {
      const siblings = branch(values)
      const value = values[last] ?? ''
      const found = siblings.get(value)
      if (found === undefined) return
      siblings.delete(value)
      all.delete(found)
    },
  }
}

function* histogramLines(
  name: string,
  labels: readonly string[],
  buckets: readonly number[],
  all: Iterable<Series<Distribution>>,
): Iterable<string> {
  const withBound = [...labels, 'le']
  for (const { values, state } of all) {
    let sum = 0
    for (const [index, bound] of buckets.entries()) {
      sum += state.counts[index] ?? 0
      yield `${name}_bucket${labelText(withBound, [...values, boundText(bound)])} ${sum}`
    }
    yield `${name}_bucket${labelText(withBound, [...values, '+Inf'])} ${state.count}`
    yield* totalLines(name, labels, values, state)
  }
}

function totalLines(name: string, labels: readonly string[], values: readonly string[], { sum, count }: Totals): readonly string[] {
  return [`${name}_sum${labelText(labels, values)} ${number(sum)}`, `${name}_count${labelText(labels, values)} ${count}`]
}

function labelText(labels: readonly string[], values: readonly string[]): string {
  if (labels.length === 0) return ''
  const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`)
  return `{${pairs.join(',')}}`
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
