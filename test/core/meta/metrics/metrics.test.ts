import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestMetrics } from '../../../../core/filters/metrics.ts'
import { collectStart } from '../../../../core/meta/metrics/process.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { counter, gauge, histogram, summary } from '../../../../core/metrics.ts'
import { clockAt, recorder } from '../fixtures.ts'
import { metricRows } from './own.ts'

test('metrics are printed by name, one line per combination of labels', () => {
  const registry = createMetrics()
  const requests = recorder(registry, counter('requests_total', 'All\nrequests.', { stability: 'STABLE', labels: ['verb', 'path'] }))
  requests.add(['get', 'a"b\\c\nd'])
  requests.add(['get', 'a"b\\c\nd'], 2)
  requests.add(['list', ''])
  const open = recorder(registry, gauge('open', 'Open ones.', { stability: null }))
  open.add([], 3)
  open.add([], -1)
  assert.equal(
    registry.text(),
    [
      '# HELP open Open ones.',
      '# TYPE open gauge',
      'open 2',
      '# HELP requests_total [STABLE] All\\nrequests.',
      '# TYPE requests_total counter',
      'requests_total{path="a\\"b\\\\c\\nd",verb="get"} 3',
      'requests_total{path="",verb="list"} 1',
      '',
    ].join('\n'),
  )
})

test('histogram buckets are cumulative, up to +Inf', () => {
  const registry = createMetrics()
  const durations = recorder(registry, histogram('seconds', 'Time.', { labels: ['verb'], buckets: [0.1, 1] }))
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
  const durations = recorder(registry, summary('seconds', 'Time.', { labels: ['verb'] }))
  for (const value of [0.5, 7]) durations.observe(['get'], value)
  const lines = ['# HELP seconds [ALPHA] Time.', '# TYPE seconds summary', 'seconds_sum{verb="get"} 7.5', 'seconds_count{verb="get"} 2', '']
  assert.equal(registry.text(), lines.join('\n'))
})

test('buckets are printed as by kube-apiserver', () => {
  const registry = createMetrics()
  const sizes = recorder(registry, histogram('sizes', '', { buckets: [0, 5e-6, 0.000075, 0.0001, 0.5, 100_000, 1_000_000, 2_500_000] }))
  sizes.observe([], 1)
  const bounds = [...registry.text().matchAll(/le="(.*?)"/g)].map(([, bound]) => bound)
  assert.deepEqual(bounds, ['0', '5e-06', '7.5e-05', '0.0001', '0.5', '100000', '1e+06', '2.5e+06', '+Inf'])
})

test('removed label values are not printed', () => {
  const registry = createMetrics()
  const x = { labels: ['x'] } as const
  for (const metric of [recorder(registry, counter('counter', '', x)), recorder(registry, gauge('gauge', '', x))]) {
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
  const a = recorder(registry, counter('a', '', { labels: ['x'] }))
  assert.throws(() => recorder(registry, gauge('a', '')), /metric a is registered already/)
  // @ts-expect-error -- the type requires a value, too
  assert.throws(() => a.add([]), /want 1 label values, have 0/)
})

test('the duration of objectives leaves out what a request waited for', () => {
  const registry = createMetrics()
  const { series } = requestMetrics(registry)
  series(['POST', '', '', 'v1', 'pods', '', 'resource', 'apiserver']).ended(201, 3, 2.5)
  const sums = [...registry.text().matchAll(/^apiserver_request_(\w*)duration_seconds_sum\{.* (.*)$/gm)].map(([, kind, sum]) => [kind, sum])
  assert.deepEqual(sums, [
    ['', '3'],
    ['sli_', '0.5'],
  ])
})

test('a server starts with its start time, and shares no counts with another server', async () => {
  const [one, two] = [createMetrics(), createMetrics()]
  const metrics = requestMetrics(one)
  collectStart(one, clockAt(1500))
  requestMetrics(two)
  collectStart(two, clockAt(2000))
  metrics.requests.add(['GET', '', '', 'v1', 'pods', '', 'resource', 'apiserver', '200'])
  const response = await one.respond()
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores')
  const text = await response.text()
  assert.match(text, /^process_start_time_seconds 1\.5$/m)
  assert.match(text, /^apiserver_request_total\{code="200",.*resource="pods",.*verb="GET",version="v1"\} 1$/m)
  assert.doesNotMatch(two.text(), /apiserver_request_total\{/)
})

test('a metric has a bounded number of series: what exceeds it is counted as other', () => {
  const registry = createMetrics()
  const requests = recorder(registry, counter('requests_total', '', { labels: ['a', 'b'], maxSeries: 3 }))
  for (let i = 0; i < 100; i++) requests.add([`a${i % 10}`, `b${i}`])
  requests.add(['a0', 'b0'], 5)
  requests.remove(['a1', 'b1'])
  requests.add(['new', 'new'])
  const lines = registry.text().split('\n').slice(2, -1)
  assert.deepEqual(lines, [
    'requests_total{a="a0",b="b0"} 6',
    'requests_total{a="a2",b="b2"} 1',
    'requests_total{a="other",b="other"} 97',
    'requests_total{a="new",b="new"} 1',
  ])
})

test('every row has its own name, a description, a bound and ascending buckets', () => {
  assert.equal(new Set(metricRows.map(({ name }) => name)).size, metricRows.length)
  for (const { name, type, help, labels, maxSeries, buckets } of metricRows) {
    assert.match(name, /^[a-z][a-z0-9_]*$/)
    assert.match(help, /^[A-Z].*\.$/, name)
    assert.ok(maxSeries > 0 && maxSeries <= 20_000, name)
    assert.equal(new Set(labels).size, labels.length, name)
    assert.equal(buckets.length > 0, type === 'histogram', name)
    assert.deepEqual(
      buckets,
      buckets.toSorted((a, b) => a - b),
      name,
    )
  }
})

test('series are found again, and removed, whether there are few or many', () => {
  for (const count of [3, 8, 9, 40]) {
    const registry = createMetrics()
    const counted = recorder(registry, counter('a', '', { labels: ['x', 'y'] }))
    const numbers = Array.from({ length: count }, (_, number) => number)
    const valuesOf = (number: number) => [`x${number % 3}`, `y${number}`] as const
    for (const number of [...numbers, ...numbers]) counted.add(valuesOf(number))
    for (const number of numbers) if (number % 2 === 0) counted.remove(valuesOf(number))
    counted.remove(valuesOf(count))
    counted.add(valuesOf(0))
    const found = Array.from(registry.read('a'), ({ labels, value }) => [labels['y'], value])
    assert.deepEqual(found, [...numbers.filter((number) => number % 2 === 1).map((number) => [`y${number}`, 2]), ['y0', 1]])
  }
})
