import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { counter, gauge, histogram, summary } from '../../../../core/metrics.ts'

const rows = {
  requests: counter('requests_total', 'Requests.', { labels: ['code'] }),
  inFlight: gauge('apiserver_current_inflight_requests', 'In flight.', { threads: 'sum' }),
  info: gauge('build_info', 'Always 1.'),
  duration: histogram('duration_seconds', 'Duration.', { labels: ['verb'], buckets: [1, 2] }),
  size: summary('size_bytes', 'Size.'),
}

test('metrics of several threads are printed as those of one server', async () => {
  const threads = [createMetrics(), createMetrics(), createMetrics()]
  for (const [index, metrics] of threads.entries()) {
    const recorded = metrics.record(rows)
    recorded.requests.add([`20${index % 2}`])
    recorded.inFlight.set([], index)
    recorded.info.set([], 1)
    recorded.duration.observe(['get'], index + 0.5)
    recorded.size.observe([], 10)
  }
  const [own, ...others] = threads
  assert(own)
  // As they come from another thread.
  own.include(async () => structuredClone(others.flatMap((each) => each.series())))
  const lines = (await (await own.respond()).text()).split('\n').filter((line) => !line.startsWith('#') && line !== '')
  assert.deepEqual(lines, [
    'apiserver_current_inflight_requests 3',
    'build_info 1',
    'duration_seconds_bucket{verb="get",le="1"} 1',
    'duration_seconds_bucket{verb="get",le="2"} 2',
    'duration_seconds_bucket{verb="get",le="+Inf"} 3',
    'duration_seconds_sum{verb="get"} 4.5',
    'duration_seconds_count{verb="get"} 3',
    'requests_total{code="200"} 2',
    'requests_total{code="201"} 1',
    'size_bytes_sum 30',
    'size_bytes_count 3',
  ])
  assert.equal([...own.read('requests_total')].length, 1, 'what is read stays the own')
  const protobuf = await own.respond(
    new Headers({ accept: 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited' }),
  )
  assert((await protobuf.arrayBuffer()).byteLength > 100)
})

test('a metric that only another thread has is printed, too', async () => {
  const [own, other] = [createMetrics(), createMetrics()]
  other.record({ requests: rows.requests }).requests.add(['200'])
  own.include(async () => structuredClone(other.series()))
  assert.match(await (await own.respond()).text(), /^requests_total\{code="200"\} 1$/m)
})

test('series that can not be read are left out', async () => {
  const own = createMetrics()
  own.record({ requests: rows.requests }).requests.add(['200'])
  own.include(() => Promise.reject(new Error('gone')))
  assert.match(await (await own.respond()).text(), /^requests_total\{code="200"\} 1$/m)
})
