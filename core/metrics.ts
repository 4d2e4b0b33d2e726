/**
 * Metrics as data. A row is the whole truth about a metric, and stands beside what it measures, in a table whose name ends in `Rows`. What
 * records values is derived from the table (`Recorded`). Names, types, labels and stability are those of the reference server, release 1.36,
 * where it has the metric.
 */

/** Stability as in KEP-1209; null: a metric of a library, which the reference prints without stability. */
export type Stability = 'STABLE' | 'BETA' | 'ALPHA' | null

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

export interface MetricRow<Type extends MetricType = MetricType, Labels extends readonly string[] = readonly string[]> {
  readonly type: Type
  readonly name: string
  readonly help: string
  readonly stability: Stability
  readonly labels: Labels
  /** Maximum number of series; values of further label combinations are counted in one series with every label `other`. */
  readonly maxSeries: number
  /** Ascending upper bounds of a histogram's buckets, without infinity; empty for other types. */
  readonly buckets: readonly number[]
  /** How the values of several threads of one server are combined. */
  readonly threads: 'sum' | 'max'
  /** Release that deprecated the metric, such as 1.34.0. */
  readonly deprecated?: string
}

/** A value for each label, in the row's order. */
export type LabelValues<Labels extends readonly string[]> = { readonly [index in keyof Labels]: string }

interface Options<Labels extends readonly string[]> {
  /** Default ALPHA. */
  readonly stability?: Stability
  /** Default: none. */
  readonly labels?: Labels
  /** Default 1,000. */
  readonly maxSeries?: number
  /** Default: `max` for gauges, which mostly describe the whole server, `sum` for others. */
  readonly threads?: MetricRow['threads']
  readonly deprecated?: string
}

function row<Type extends MetricType, const Labels extends readonly string[]>(
  type: Type,
  name: string,
  help: string,
  {
    stability = 'ALPHA',
    labels = [] as unknown as Labels,
    maxSeries = 1_000,
    threads = type === 'gauge' ? 'max' : 'sum',
    ...given
  }: Options<Labels>,
  buckets: readonly number[] = [],
): MetricRow<Type, Labels> {
  return { type, name, help, stability, labels, maxSeries, buckets, threads, ...given }
}

export const counter = <const Labels extends readonly string[] = readonly []>(name: string, help: string, options: Options<Labels> = {}) =>
  row('counter', name, help, options)

export const gauge = <const Labels extends readonly string[] = readonly []>(name: string, help: string, options: Options<Labels> = {}) =>
  row('gauge', name, help, options)

/** Only the number of observations and their sum. */
export const summary = <const Labels extends readonly string[] = readonly []>(name: string, help: string, options: Options<Labels> = {}) =>
  row('summary', name, help, options)

export const histogram = <const Labels extends readonly string[] = readonly []>(
  name: string,
  help: string,
  { buckets, ...options }: Options<Labels> & { readonly buckets: readonly number[] },
) => row('histogram', name, help, options, buckets)

/** `count` bounds, each twice the one before. */
export const doubling = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, power) => first * 2 ** power)

export interface Counter<Labels extends readonly string[] = readonly string[]> {
  add(values: LabelValues<Labels>, amount?: number): void
  /** Adds to one series, which is looked up at the first call only. Not for series that are removed. */
  in(values: LabelValues<Labels>): (amount?: number) => void
  /** Removes the series. */
  remove(values: LabelValues<Labels>): void
}

export interface Gauge<Labels extends readonly string[] = readonly string[]> {
  set(values: LabelValues<Labels>, value: number): void
  add(values: LabelValues<Labels>, amount: number): void
  /** Removes the series. */
  remove(values: LabelValues<Labels>): void
}

export interface Summary<Labels extends readonly string[] = readonly string[]> {
  observe(values: LabelValues<Labels>, value: number): void
  /** Observes one series, which is looked up at the first value only. */
  in(values: LabelValues<Labels>): (value: number) => void
}

export interface Histogram<Labels extends readonly string[] = readonly string[]> extends Summary<Labels> {
  /** Creates the series, without an observation. */
  touch(values: LabelValues<Labels>): void
}

export interface Recorders<Labels extends readonly string[]> {
  readonly counter: Counter<Labels>
  readonly gauge: Gauge<Labels>
  readonly histogram: Histogram<Labels>
  readonly summary: Summary<Labels>
}

export type MetricRows = { readonly [name: string]: MetricRow }

/** What records the values of a table of rows, under the names of the rows. */
export type Recorded<Rows extends MetricRows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends MetricRow<infer Type, infer Labels> ? Recorders<Labels>[Type] : never
}

export interface Totals {
  sum: number
  count: number
}

/** Counts by bucket. */
export interface BucketCounts extends Readonly<Totals> {
  readonly counts: ArrayLike<number>
}

/** The metrics of one server. Each method registers its rows, once. @throws Error for a name that is registered already. */
export interface Metrics {
  record<Rows extends MetricRows>(rows: Rows): Recorded<Rows>
  /** A metric that is read when metrics are printed: the label values and the number of each series. */
  collect<Labels extends readonly string[]>(
    row: MetricRow<'counter' | 'gauge', Labels>,
    read: () => Iterable<readonly [values: LabelValues<Labels>, value: number]>,
  ): void
  /** A histogram that is read when metrics are printed: the label values and the counts of each series, in the row's buckets. */
  distribute<Labels extends readonly string[]>(
    row: MetricRow<'histogram', Labels>,
    read: () => Iterable<readonly [values: LabelValues<Labels>, counts: BucketCounts]>,
  ): void
}

/** What counts something with these labels and observes how long it took, in milliseconds; the series are looked up once. */
export function countedTime<Labels extends readonly string[]>(
  count: Pick<Counter<Labels>, 'in'>,
  duration: Pick<Summary<Labels>, 'in'>,
  labels: LabelValues<Labels>,
): (milliseconds: number) => void {
  const [add, observe] = [count.in(labels), duration.in(labels)]
  return (milliseconds) => {
    add()
    observe(milliseconds / 1000)
  }
}

/** Records nothing. */
export const unrecorded = {
  add() {},
  set() {},
  observe() {},
  touch() {},
  remove() {},
  in: () => () => undefined,
}

/** Recorders of a table that record nothing. */
export const uncounted = <Rows extends MetricRows>(rows: Rows): Recorded<Rows> =>
  Object.fromEntries(Object.keys(rows).map((name) => [name, unrecorded])) as unknown as Recorded<Rows>
