/**
 * Metrics in Prometheus' text format 0.0.4. A registry belongs to one server. Label values are given in the order in which the
 * metric declares its labels, so that counting costs one map look-up.
 */

export interface Counter {
  add(values: readonly string[], amount?: number): void
}

export interface Gauge {
  set(values: readonly string[], value: number): void
  add(values: readonly string[], amount: number): void
}

export interface Histogram {
  observe(values: readonly string[], value: number): void
}

export interface MetricsRegistry {
  counter(name: string, help: string, labels: readonly string[]): Counter
  gauge(name: string, help: string, labels: readonly string[]): Gauge
  /** `buckets` are upper bounds in ascending order, without infinity. */
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram
  /** A gauge without labels that is read when it is asked for. */
  collect(name: string, help: string, read: () => number): void
  /** All metrics by name. */
  text(): string
  respond(): Response
}

interface Metric {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: (name: string) => Iterable<string>
}

interface Series<T> {
  readonly values: readonly string[]
  state: T
}

interface Distribution {
  readonly counts: Float64Array
  sum: number
  count: number
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
    return series.of
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
      const of = numbers('counter', name, help, labels)
      return {
        add(values, amount = 1) {
          of(values).state += amount
        },
      }
    },
    gauge(name, help, labels) {
      const of = numbers('gauge', name, help, labels)
      return {
        set(values, value) {
          of(values).state = value
        },
        add(values, amount) {
          of(values).state += amount
        },
      }
    },
    histogram(name, help, labels, buckets) {
      const series = createSeries<Distribution>(labels, () => ({ counts: new Float64Array(buckets.length), sum: 0, count: 0 }))
      register(name, { help, type: 'histogram', lines: () => histogramLines(name, labels, buckets, series.all()) })
      return {
        observe(values, value) {
          const { state } = series.of(values)
          const bucket = buckets.findIndex((bound) => value <= bound)
          if (bucket >= 0) state.counts[bucket] = (state.counts[bucket] ?? 0) + 1
          state.sum += value
          state.count++
        },
      }
    },
    collect(name, help, read) {
      register(name, { help, type: 'gauge', lines: () => [`${name} ${number(read())}`] })
    },
    text,
    respond: () => new Response(text(), { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } }),
  }
}

/** One state per combination of label values. */
function createSeries<T>(labels: readonly string[], initial: () => T) {
  const series = new Map<string, Series<T>>()
  return {
    all: () => series.values(),
    of(values: readonly string[]): Series<T> {
      if (values.length !== labels.length) throw new Error(`want ${labels.length} label values, have ${values.length}`)
      const key = values.join('\u0000')
      let found = series.get(key)
      if (!found) {
        found = { values: [...values], state: initial() }
        series.set(key, found)
      }
      return found
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
      yield `${name}_bucket${labelText(withBound, [...values, number(bound)])} ${sum}`
    }
    yield `${name}_bucket${labelText(withBound, [...values, '+Inf'])} ${state.count}`
    yield `${name}_sum${labelText(labels, values)} ${number(state.sum)}`
    yield `${name}_count${labelText(labels, values)} ${state.count}`
  }
}

function labelText(labels: readonly string[], values: readonly string[]): string {
  if (labels.length === 0) return ''
  const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`)
  return `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
