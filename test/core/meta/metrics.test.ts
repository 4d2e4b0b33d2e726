import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../../core/meta/metrics.ts'
import { createServerMetrics } from '../../../core/meta/server-metrics.ts'
import { clockAt } from './fixtures.ts'

test('metrics are printed by name, one line per combination of labels', () => {
  const registry = createMetrics()
  const requests = registry.counter('requests_total', 'All\nrequests.', ['verb', 'path'])
  requests.add(['get', 'a"b\\c\nd'])
  requests.add(['get', 'a"b\\c\nd'], 2)
  requests.add(['list', ''])
  const open = registry.gauge('open', 'Open ones.', [])
  open.add([], 3)
  open.add([], -1)
  assert.equal(
    registry.text(),
    [
      '# HELP open Open ones.',
      '# TYPE open gauge',
      'open 2',
      '# HELP requests_total All\\nrequests.',
      '# TYPE requests_total counter',
      'requests_total{verb="get",path="a\\"b\\\\c\\nd"} 3',
      'requests_total{verb="list",path=""} 1',
      '',
    ].join('\n'),
  )
})

test('histogram buckets are cumulative, up to +Inf', () => {
  const registry = createMetrics()
  const durations = registry.histogram('seconds', 'Time.', ['verb'], [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) durations.observe(['get'], value)
  assert.deepEqual(registry.text().split('\n').slice(2, -1), [
    'seconds_bucket{verb="get",le="0.1"} 2',
    'seconds_bucket{verb="get",le="1"} 3',
    'seconds_bucket{verb="get",le="+Inf"} 4',
    'seconds_sum{verb="get"} 7.65',
    'seconds_count{verb="get"} 4',
  ])
})

test('a summary prints count and sum', () => {
  const registry = createMetrics()
  const durations = registry.summary('seconds', 'Time.', ['verb'])
  for (const value of [0.5, 7]) durations.observe(['get'], value)
  const lines = ['# HELP seconds Time.', '# TYPE seconds summary', 'seconds_sum{verb="get"} 7.5', 'seconds_count{verb="get"} 2', '']
  assert.equal(registry.text(), lines.join('\n'))
})

test('buckets are printed as by kube-apiserver', () => {
  const registry = createMetrics()
  const sizes = registry.histogram('sizes', '', [], [0, 5e-6, 0.000075, 0.0001, 0.5, 100_000, 1_000_000, 2_500_000])
  sizes.observe([], 1)
  const bounds = [...registry.text().matchAll(/le="(.*?)"/g)].map(([, bound]) => bound)
  assert.deepEqual(bounds, ['0', '5e-06', '7.5e-05', '0.0001', '0.5', '100000', '1e+06', '2.5e+06', '+Inf'])
})

test('removed label values are not printed', () => {
  const registry = createMetrics()
  for (const metric of [registry.counter('counter', '', ['x']), registry.gauge('gauge', '', ['x'])]) {
    metric.add(['a'], 1)
    metric.add(['b'], 1)
    metric.remove(['a'])
  }
  assert.deepEqual(
    registry
      .text()
      .split('\n')
      .filter((line) => line.includes('{')),
    ['counter{x="b"} 1', 'gauge{x="b"} 1'],
  )
})

test('a name is registered once, and every label needs a value', () => {
  const registry = createMetrics()
  const counter = registry.counter('a', '', ['x'])
  assert.throws(() => registry.gauge('a', '', []), /metric a is registered already/)
  assert.throws(() => counter.add([]), /want 1 label values, have 0/)
})

test('a server starts with its start time, and shares no counts with another server', async () => {
  const [one, two] = [createMetrics(), createMetrics()]
  const metrics = createServerMetrics(one, clockAt(1500))
  createServerMetrics(two, clockAt(2000))
  metrics.requests.add(['GET', '', '', 'v1', 'pods', '', 'resource', 'apiserver', '200'])
  const response = one.respond()
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  assert.match(text, /^process_start_time_seconds 1\.5$/m)
  assert.match(text, /^apiserver_request_total\{verb="GET",dry_run="",group="",version="v1",resource="pods",.*code="200"\} 1$/m)
  assert.doesNotMatch(two.text(), /apiserver_request_total\{/)
})
