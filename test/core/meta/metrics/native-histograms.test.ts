/** Metrics in protobuf, and native histograms as client_golang counts them (recorded from the version that kube-apiserver 1.36.2 has). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { NativeHistogram, zeroThreshold } from '../../../../core/meta/metrics/native-histogram.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { counter, gauge, histogram, summary } from '../../../../core/metrics.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { root } from '../../../support/root.ts'

interface Buckets {
  readonly spans: readonly (readonly [offset: number, length: number])[]
  readonly deltas: readonly number[]
}
interface Recorded {
  readonly observed: readonly (number | string)[]
  readonly schema: number
  readonly threshold: number
  readonly zeros: number
  readonly positive: Buckets
  readonly negative: Buckets
}
const file = join(root, 'test/core/meta/metrics/native-histograms.json.gz')
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { readonly [name: string]: Recorded }

const numberOf = (observed: number | string) => (typeof observed === 'number' ? observed : Number(observed.replace('Inf', 'Infinity')))
const plain = ({ spans, deltas }: NativeHistogram['positive']) => ({ spans: spans.map(({ offset, length }) => [offset, length]), deltas })

for (const [name, { observed, schema, threshold, zeros, positive, negative }] of Object.entries(recorded))
  test(`native buckets: ${name}`, () => {
    const histogram = new NativeHistogram()
    for (const each of observed) histogram.observe(numberOf(each))
    assert.deepEqual([histogram.schema, histogram.zeros, zeroThreshold], [schema, zeros, threshold])
    assert.deepEqual(plain(histogram.positive), positive)
    assert.deepEqual(plain(histogram.negative), negative)
  })

const rows = {
  requests: counter('b_requests_total', 'Requests.', { labels: ['verb', 'code'] }),
  open: gauge('a_open', 'Open connections.', { stability: 'STABLE' }),
  size: summary('d_size', 'Sizes.', { stability: null }),
  duration: histogram('c_duration_seconds', 'Durations.', { buckets: [0.5, 2] }),
  silent: counter('e_silent_total', 'Never counted.', { labels: ['x'] }),
}

const accept = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

function filled(native: boolean) {
  const metrics = createMetrics()
  if (native) metrics.useNativeHistograms()
  const recorders = metrics.record(rows)
  recorders.requests.add(['get', '200'], 300)
  recorders.open.set([], -1.5)
  recorders.size.observe([], 3)
  for (const value of [0, 1, 1.2]) recorders.duration.observe([], value)
  return metrics
}

/** 51 bytes: name, help, type 1 (gauge), and a metric without labels. */
const openFamily = '330a06615f6f70656e121a5b535441424c455d204f70656e20636f6e6e656374696f6e732e1801220b120909000000000000f8bf'
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('families are messages behind their lengths, sorted by name, without those that have no series', () => {
  const text = hex(filled(false).protobuf())
  assert.ok(text.startsWith(openFamily), text.slice(0, 120))
  const counters = '0a10625f72657175657374735f746f74616c' // name
  assert.ok(text.includes(counters))
  // Labels by name, then the counter.
  assert.ok(text.includes(`0a0b0a04636f64651203323030${'0a0b0a04766572621203676574'}1a0909${'0000000000c07240'}`), text)
  assert.ok(!text.includes(Buffer.from('e_silent').toString('hex')))
})

test('a histogram has native buckets only with the feature gate', () => {
  // Schema 3, the zero threshold, one zero; buckets 0 and 3, with two empty ones between them.
  const buckets = `280631000000000000f0373801${'6204080010046802680168006802'}`
  assert.ok(!hex(filled(false).protobuf()).includes('280631'))
  const native = hex(filled(true).protobuf())
  assert.ok(native.includes(buckets), native)
})

test('clients get protobuf by Accept, as the reference negotiates it', async () => {
  const { fetch, close } = await startInProcess()
  const typeOf = async (value: string) => {
    const response = await fetch('/metrics', { headers: { accept: value } })
    await response.arrayBuffer()
    return response.headers.get('content-type')
  }
  const text = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  const rows: readonly (readonly [accept: string, type: string])[] = [
    [accept, `${accept}; escaping=underscores`],
    [`${accept};escaping=allow-utf-8`, `${accept}; escaping=allow-utf-8`],
    [`${accept};q=0.5,text/plain;q=0.1`, `${accept}; escaping=underscores`],
    [`text/plain;q=0.9,${accept};q=0.5`, text],
    ['application/vnd.google.protobuf', text],
    ['application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily', text],
  ]
  for (const [value, type] of rows) assert.equal(await typeOf(value), type, value)
  await close()
})
