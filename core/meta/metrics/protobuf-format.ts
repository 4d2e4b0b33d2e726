/** Prometheus' protobuf form: messages `io.prometheus.client.MetricFamily`, each behind its length (client_model/metrics.proto). */
import type { BucketCounts, MetricRow, MetricType, Totals } from '../../metrics.ts'
import { concatenate } from '../../schema/bytes.ts'
import { type NativeHistogram, type Spans, zeroThreshold } from './native-histogram.ts'

type Names = readonly string[]

/** A histogram's counts, also in native buckets if they are kept. */
export interface HistogramCounts extends BucketCounts {
  readonly native?: NativeHistogram | undefined
}

/** What a series has: a number, or of summaries and histograms more. */
export type Value = number | Readonly<Totals> | HistogramCounts

const encoder = new TextEncoder()

/** Wire types of protobuf. */
const [varintType, doubleType, bytesType] = [0, 1, 2]

/** A message that is written field by field. */
class Message {
  readonly #parts: Uint8Array<ArrayBuffer>[] = []

  /** A whole number from 0 on. */
  whole(field: number, value: number): void {
    this.#parts.push(varint(field * 8 + varintType), varint(value))
  }
  /** A whole number of any sign (zigzag). */
  signed(field: number, value: number): void {
    this.whole(field, value >= 0 ? 2 * value : -2 * value - 1)
  }
  double(field: number, value: number): void {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setFloat64(0, value, true)
    this.#parts.push(varint(field * 8 + doubleType), bytes)
  }
  bytes(field: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#parts.push(varint(field * 8 + bytesType), varint(bytes.length), bytes)
  }
  text(field: number, text: string): void {
    this.bytes(field, encoder.encode(text))
  }
  message(field: number, write: (inner: Message) => void): void {
    const inner = new Message()
    write(inner)
    this.bytes(field, inner.finished())
  }
  finished(): Uint8Array<ArrayBuffer> {
    return concatenate(this.#parts) as Uint8Array<ArrayBuffer>
  }
}

function varint(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

const types: { readonly [type in MetricType]: number } = { counter: 0, gauge: 1, summary: 2, histogram: 4 }

const single = (field: number) => (metric: Message, value: Value) => metric.message(field, (inner) => inner.double(1, value as number))

/** Writes the value of a series into its metric, by type. */
const writers: { readonly [type in MetricType]: (metric: Message, value: Value, row: MetricRow) => void } = {
  gauge: single(2),
  counter: single(3),
  summary: (metric, value) => metric.message(4, (summary) => writeTotals(summary, value as Totals)),
  histogram: (metric, value, row) => metric.message(7, (histogram) => writeHistogram(histogram, value as HistogramCounts, row)),
}

function writeTotals(message: Message, { count, sum }: Readonly<Totals>): void {
  message.whole(1, count)
  message.double(2, sum)
}

function writeHistogram(histogram: Message, value: HistogramCounts, { buckets }: MetricRow): void {
  writeTotals(histogram, value)
  let total = 0
  for (const [index, bound] of buckets.entries()) {
    total += value.counts[index] ?? 0
    histogram.message(3, (bucket) => {
      bucket.whole(1, total)
      bucket.double(2, bound)
    })
  }
  const { native } = value
  if (native === undefined) return
  histogram.signed(5, native.schema)
  histogram.double(6, zeroThreshold)
  histogram.whole(7, native.zeros)
  writeSpans(histogram, native.negative, 9)
  writeSpans(histogram, native.positive, 12)
}

/** `field`: of the spans; that of the deltas is the next one. */
function writeSpans(histogram: Message, { spans, deltas }: Spans, field: number): void {
  for (const { offset, length } of spans)
    histogram.message(field, (span) => {
      span.signed(1, offset)
      span.whole(2, length)
    })
  for (const delta of deltas) histogram.signed(field + 1, delta)
}

/** A metric with its series, behind its length; undefined without series. `help`: as printed in other formats. */
export function metricFamily(
  row: MetricRow,
  help: string,
  series: Iterable<readonly [values: Names, value: Value]>,
): Uint8Array<ArrayBuffer> | undefined {
  const order = [...row.labels.entries()].sort(([, one], [, other]) => (one < other ? -1 : 1))
  const family = new Message()
  family.text(1, row.name)
  family.text(2, help)
  family.whole(3, types[row.type])
  let isEmpty = true
  for (const [values, value] of series) {
    isEmpty = false
    family.message(4, (metric) => {
      for (const [index, name] of order)
        metric.message(1, (label) => {
          label.text(1, name)
          label.text(2, values[index] ?? '')
        })
      writers[row.type](metric, value, row)
    })
  }
  if (isEmpty) return undefined
  const bytes = family.finished()
  return concatenate([varint(bytes.length), bytes]) as Uint8Array<ArrayBuffer>
}
