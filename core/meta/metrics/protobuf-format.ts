/** Prometheus' protobuf form: messages `io.prometheus.client.MetricFamily`, each behind its length (client_model/metrics.proto). */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { BucketCounts, MetricRow, MetricType, Totals } from '../../metrics.ts'
import { type NativeHistogram, type Spans, zeroThreshold } from './native-histogram.ts'

type Names = readonly string[]

/** A histogram's counts, also in native buckets if they are kept. */
export interface HistogramCounts extends BucketCounts {
  readonly native?: NativeHistogram | undefined
}

/** What a series has: a number, or of summaries and histograms more. */
export type Value = number | Readonly<Totals> | HistogramCounts

/** Writes a whole number from 0 on. */
const whole = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Varint).uint64(value)
const signed = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Varint).sint64(value)
const double = (writer: BinaryWriter, field: number, value: number) => writer.tag(field, WireType.Bit64).double(value)
const text = (writer: BinaryWriter, field: number, value: string) => writer.tag(field, WireType.LengthDelimited).string(value)

/** Writes a message with what `write` puts into it. */
function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork()
  write()
  writer.join()
}

const types: { readonly [type in MetricType]: number } = { counter: 0, gauge: 1, summary: 2, histogram: 4 }

const single = (field: number) => (metric: BinaryWriter, value: Value) => message(metric, field, () => double(metric, 1, value as number))

/** Writes the value of a series into its metric, by type. */
const writers: { readonly [type in MetricType]: (metric: BinaryWriter, value: Value, row: MetricRow) => void } = {
  gauge: single(2),
  counter: single(3),
  summary: (metric, value) => message(metric, 4, () => writeTotals(metric, value as Totals)),
  histogram: (metric, value, row) => message(metric, 7, () => writeHistogram(metric, value as HistogramCounts, row)),
}

function writeTotals(writer: BinaryWriter, { count, sum }: Readonly<Totals>): void {
  whole(writer, 1, count)
  double(writer, 2, sum)
}

function writeHistogram(writer: BinaryWriter, value: HistogramCounts, { buckets }: MetricRow): void {
  writeTotals(writer, value)
  let total = 0
  for (const [index, bound] of buckets.entries()) {
    total += value.counts[index] ?? 0
    message(writer, 3, () => {
      whole(writer, 1, total)
      double(writer, 2, bound)
    })
  }
  const { native } = value
  if (native === undefined) return
  signed(writer, 5, native.schema)
  double(writer, 6, zeroThreshold)
  whole(writer, 7, native.zeros)
  writeSpans(writer, native.negative, 9)
  writeSpans(writer, native.positive, 12)
}

/** `field`: of the spans; that of the deltas is the next one. */
function writeSpans(writer: BinaryWriter, { spans, deltas }: Spans, field: number): void {
  for (const { offset, length } of spans)
    message(writer, field, () => {
      signed(writer, 1, offset)
      whole(writer, 2, length)
    })
  for (const delta of deltas) signed(writer, field + 1, delta)
}

/** A metric with its series, behind its length; undefined without series. `help`: as printed in other formats. */
export function metricFamily(
  row: MetricRow,
  help: string,
  series: Iterable<readonly [values: Names, value: Value]>,
): Uint8Array<ArrayBuffer> | undefined {
  const order = [...row.labels.entries()].sort(([, one], [, other]) => (one < other ? -1 : 1))
  const family = new BinaryWriter().fork()
  text(family, 1, row.name)
  text(family, 2, help)
  whole(family, 3, types[row.type])
  let isEmpty = true
  for (const [values, value] of series) {
    isEmpty = false
    message(family, 4, () => {
      for (const [index, name] of order)
        message(family, 1, () => {
          text(family, 1, name)
          text(family, 2, values[index] ?? '')
        })
      writers[row.type](family, value, row)
    })
  }
  return isEmpty ? undefined : (family.join().finish() as Uint8Array<ArrayBuffer>)
}
