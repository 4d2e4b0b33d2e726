/**
 * Metrics as data. A row is the whole truth about a metric; code that records values refers to the row. Names, types, labels and stability
 * are those of the reference server, release 1.36, where it has the metric.
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
  /** Release that deprecated the metric, such as 1.34.0. */
  readonly deprecated?: string
}

/** A value for each label, in the row's order. */
export type LabelValues<Labels extends readonly string[]> = { readonly [index in keyof Labels]: string }

interface Options<Labels extends readonly string[]> {
  readonly help: string
  /** Default ALPHA. */
  readonly stability?: Stability
  /** Default: none. */
  readonly labels?: Labels
  /** Default 1,000. */
  readonly maxSeries?: number
  readonly deprecated?: string
}

function row<Type extends MetricType, const Labels extends readonly string[]>(
  type: Type,
  name: string,
  { help, stability = 'ALPHA', labels = [] as unknown as Labels, maxSeries = 1_000, deprecated }: Options<Labels>,
  buckets: readonly number[] = [],
): MetricRow<Type, Labels> {
  return { type, name, help, stability, labels, maxSeries, buckets, ...(deprecated !== undefined && { deprecated }) }
}

export const counter = <const Labels extends readonly string[] = readonly []>(name: string, options: Options<Labels>) =>
  row('counter', name, options)

export const gauge = <const Labels extends readonly string[] = readonly []>(name: string, options: Options<Labels>) =>
  row('gauge', name, options)

/** Only the number of observations and their sum. */
export const summary = <const Labels extends readonly string[] = readonly []>(name: string, options: Options<Labels>) =>
  row('summary', name, options)

export const histogram = <const Labels extends readonly string[] = readonly []>(
  name: string,
  { buckets, ...options }: Options<Labels> & { readonly buckets: readonly number[] },
) => row('histogram', name, options, buckets)

/** `count` bounds, each twice the one before. */
export const doubling = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, power) => first * 2 ** power)
