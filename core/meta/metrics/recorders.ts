/** What records the values of a metric. Its series are made at the first value: most of the metrics of most servers never have one. */
import type { Counter, Gauge, Histogram, LabelValues, MetricRow, MetricType, Recorders, Summary, Totals } from '../../metrics.ts'
import { NativeHistogram } from './native-histogram.ts'
import type { Value } from './protobuf-format.ts'
import { createSeries, type Series, type SeriesTable } from './series.ts'
import { histogramLines, labelPrinter, type TextFormat, totalLines } from './text-format.ts'

type Names = readonly string[]

/** A metric as it is read and printed. */
export interface Metric {
  readonly row: MetricRow
  lines(format: TextFormat): Iterable<string>
  read(): Iterable<readonly [values: Names, state: Value]>
}

/** What the metrics of a registry have in common. */
export interface Recording {
  /** Replaces label values that are not allowed; undefined: all are. */
  constraintOf(row: MetricRow): ((values: Names) => Names) | undefined
  /** Whether the histograms of new series count in native buckets, too. */
  isNative(): boolean
}

interface Distribution extends Totals {
  readonly counts: number[]
  readonly native: NativeHistogram | undefined
}

export function* numberLines({ name, labels }: MetricRow, all: Iterable<readonly [Names, number]>, format: TextFormat): Generator<string> {
  const print = labelPrinter(labels)
  for (const [values, value] of all) yield `${name}${print(values)} ${format.number(value)}`
}

const statesOf = <T>(all: Iterable<Series<T>>) => Array.from(all, ({ values, state }) => [values, state] as const)

abstract class Recorder<T extends number | Totals> implements Metric {
  readonly row: MetricRow
  protected readonly recording: Recording
  #series: SeriesTable<T> | undefined

  constructor(row: MetricRow, recording: Recording) {
    this.row = row
    this.recording = recording
  }

  get series(): SeriesTable<T> {
    this.#series ??= createSeries(this.row, () => this.initial(), this.recording.constraintOf(this.row))
    return this.#series
  }

  /** One series, which is looked up when it is first asked for; with a constraint each time. */
  protected at(values: Names): () => Series<T> {
    let own: Series<T> | undefined
    return () => {
      if (own !== undefined) return own
      const found = this.series.of(values)
      if (!this.series.constrained) own = found
      return found
    }
  }

  read(): readonly (readonly [values: Names, state: T])[] {
    return statesOf(this.series.all())
  }

  remove(values: Names): void {
    this.series.remove(values)
  }

  protected abstract initial(): T
  abstract lines(format: TextFormat): Iterable<string>
}

abstract class NumberRecorder extends Recorder<number> {
  protected initial(): number {
    return 0
  }

  lines(format: TextFormat): Iterable<string> {
    return numberLines(this.row, this.read(), format)
  }
}

class CounterRecorder extends NumberRecorder implements Counter {
  add(values: LabelValues<Names>, amount = 1): void {
    this.series.of(values).state += amount
  }

  in(values: LabelValues<Names>): (amount?: number) => void {
    const own = this.at(values)
    return (amount = 1) => {
      own().state += amount
    }
  }
}

class GaugeRecorder extends NumberRecorder implements Gauge {
  set(values: LabelValues<Names>, value: number): void {
    this.series.of(values).state = value
  }

  add(values: LabelValues<Names>, amount: number): void {
    this.series.of(values).state += amount
  }
}

abstract class ObservationRecorder<T extends Totals> extends Recorder<T> implements Histogram {
  observe(values: LabelValues<Names>, value: number): void {
    this.note(this.series.of(values).state, value)
  }

  touch(values: LabelValues<Names>): void {
    this.series.of(values)
  }

  in(values: LabelValues<Names>): (value: number) => void {
    const own = this.at(values)
    return (value) => this.note(own().state, value)
  }

  protected abstract note(state: T, value: number): void
}

class HistogramRecorder extends ObservationRecorder<Distribution> {
  protected initial(): Distribution {
    const native = this.recording.isNative() ? new NativeHistogram() : undefined
    // A server has many of them: a typed array takes longer to make.
    return { counts: new Array<number>(this.row.buckets.length).fill(0), sum: 0, count: 0, native }
  }

  protected note(state: Distribution, value: number): void {
    const { buckets } = this.row
    let bucket = 0
    while (bucket < buckets.length && value > buckets[bucket]!) bucket++
    if (bucket < buckets.length) state.counts[bucket]!++
    state.sum += value
    state.count++
    state.native?.observe(value)
  }

  lines(format: TextFormat): Iterable<string> {
    return histogramLines(this.row, this.series.all(), format)
  }
}

class SummaryRecorder extends ObservationRecorder<Totals> implements Summary {
  protected initial(): Totals {
    return { sum: 0, count: 0 }
  }

  protected note(state: Totals, value: number): void {
    state.sum += value
    state.count++
  }

  *lines(format: TextFormat): Iterable<string> {
    const print = labelPrinter(this.row.labels)
    for (const { values, state } of this.series.all()) yield* totalLines(this.row.name, print(values), state, format)
  }
}

export const recorders: {
  readonly [Type in MetricType]: new (
    row: MetricRow,
    recording: Recording,
  ) => Recorders<Names>[Type] & Metric
} = { counter: CounterRecorder, gauge: GaugeRecorder, histogram: HistogramRecorder, summary: SummaryRecorder }
