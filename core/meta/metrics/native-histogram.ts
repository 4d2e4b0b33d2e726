/**
 * Native histograms of Prometheus: buckets whose bounds grow exponentially, of which only those with observations are kept. Counts are those of
 * client_golang with a growth factor of 1.1 and at most 160 buckets, as the reference configures it (component-base/metrics/internal).
 */

/** Buckets for each power of two: 2 to the power of the schema. */
const firstSchema = 3
const lastSchema = -4
const maxBuckets = 160
/** Observations up to it are counted as zero (client_golang's DefNativeHistogramZeroThreshold, 2^-128). */
export const zeroThreshold = 2.938735877055719e-39

/** Upper bounds in [0.5, 1) of schema 3; those of smaller schemas are among them. */
const bounds = [
  ...[0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048],
  ...[0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711],
]

/** Counts by the number of the bucket. */
type Buckets = Map<number, number>

const maxExponent = 1024

/** The fraction in [0.5, 1) and the exponent of a positive number, which is not tiny. */
function split(value: number): readonly [fraction: number, exponent: number] {
  // The logarithm of the greatest number is rounded to 1024, and 2 to that power is infinite.
  let exponent = Math.min(maxExponent, Math.floor(Math.log2(value)) + 1)
  let fraction = value / 2 / 2 ** (exponent - 1)
  if (fraction >= 1) [fraction, exponent] = [fraction / 2, exponent + 1]
  if (fraction < 0.5) [fraction, exponent] = [fraction * 2, exponent - 1]
  return [fraction, exponent]
}

/** Number of the bucket of a positive, finite number. */
function bucketOf(value: number, schema: number): number {
  const [fraction, exponent] = split(value)
  if (schema <= 0) {
    const whole = fraction === 0.5 ? exponent - 1 : exponent
    return (whole + (1 << -schema) - 1) >> -schema
  }
  const step = 1 << (firstSchema - schema)
  let index = 0
  while (index < bounds.length && fraction > bounds[index]!) index += step
  return index / step + (exponent - 1) * (bounds.length / step)
}

export interface Span {
  /** Buckets between the last span and this one; of the first one its number. */
  readonly offset: number
  length: number
}

/** Ranges of buckets, and each bucket's count less that of the one before it. */
export interface Spans {
  readonly spans: readonly Span[]
  readonly deltas: readonly number[]
}

/** Greatest number of empty buckets that a span has instead of ending. */
const maxGap = 2

function spansOf(buckets: Buckets): Spans {
  const spans: Span[] = []
  const deltas: number[] = []
  let [previous, next] = [0, 0]
  const append = (span: Span, count: number) => {
    span.length++
    deltas.push(count - previous)
    previous = count
  }
  for (const [key, count] of [...buckets].sort(([one], [other]) => one - other)) {
    const gap = key - next
    let span = spans.at(-1)
    if (span === undefined || gap > maxGap) {
      span = { offset: gap, length: 0 }
      spans.push(span)
    } else for (let empty = 0; empty < gap; empty++) append(span, 0)
    append(span, count)
    next = key + 1
  }
  return { spans, deltas }
}

/** Buckets that are twice as wide. */
function merged(buckets: Buckets): Buckets {
  const result: Buckets = new Map()
  for (const [key, count] of buckets) {
    const wider = Math.trunc((key > 0 ? key + 1 : key) / 2)
    result.set(wider, (result.get(wider) ?? 0) + count)
  }
  return result
}

export class NativeHistogram {
  #schema = firstSchema
  #zeros = 0
  #positive: Buckets = new Map()
  #negative: Buckets = new Map()

  get schema(): number {
    return this.#schema
  }
  /** Observations of zero, or almost. */
  get zeros(): number {
    return this.#zeros
  }
  get positive(): Spans {
    return spansOf(this.#positive)
  }
  get negative(): Spans {
    return spansOf(this.#negative)
  }

  observe(value: number): void {
    if (Number.isNaN(value)) return
    const size = Math.abs(value)
    if (size <= zeroThreshold) {
      this.#zeros++
      return
    }
    const key = size === Number.POSITIVE_INFINITY ? bucketOf(Number.MAX_VALUE, this.#schema) + 1 : bucketOf(size, this.#schema)
    const buckets = value > 0 ? this.#positive : this.#negative
    buckets.set(key, (buckets.get(key) ?? 0) + 1)
    if (this.#positive.size + this.#negative.size > maxBuckets && this.#schema > lastSchema) {
      this.#schema--
      this.#positive = merged(this.#positive)
      this.#negative = merged(this.#negative)
    }
  }
}
