import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFile } from '../../../../core/config/files/load.ts'
import { metricSelectionOf } from '../../../../core/flags/metrics.ts'
import { parseFlags } from '../../../../core/flags/parse.ts'
import { collectCensus } from '../../../../core/meta/metrics/census.ts'
import { labelValuesFile } from '../../../../core/meta/metrics/label-values-file.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { allowedValues } from '../../../../core/meta/metrics/selection.ts'
import { counter, gauge, histogram, type Stability, summary } from '../../../../core/metrics.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { platform, recorder } from '../fixtures.ts'

const samples = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
const selectionOf = (...argv: string[]) => metricSelectionOf(parseFlags(argv, 'apiserver'), undefined)

test('disabled metrics of every type are neither recorded nor printed', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const registry = createMetrics(selectionOf(`--disabled-metrics=${names.join(',')}`))
  const options = { labels: ['x'] } as const
  recorder(registry, counter('a', 'Any.', options)).add(['1'])
  recorder(registry, counter('b', 'Any.', options)).in(['1'])(2)
  recorder(registry, gauge('c', 'Any.', options)).set(['1'], 3)
  recorder(registry, histogram('d', 'Any.', { ...options, buckets: [1] })).in(['1'])(2)
  recorder(registry, summary('e', 'Any.', options)).observe(['1'], 2)
  recorder(registry, gauge('f', 'Any.', options)).add(['1'], 1)
  registry.collect(gauge('g', 'Any.', options), () => assert.fail('a disabled metric is read'))
  registry.distribute(histogram('h', 'Any.', { ...options, buckets: [1] }), () => assert.fail('a disabled metric is read'))
  recorder(registry, counter('other', 'Any.', options)).add(['1'])
  assert.deepEqual(samples(registry.text()), ['other{x="1"} 1'])
  assert.throws(() => recorder(registry, counter('a', 'Any.', options)), /metric a is registered already/)
})

test('deprecated metrics are hidden after their period, unless the flag shows them', () => {
  const stabilities: readonly NonNullable<Stability>[] = ['ALPHA', 'BETA', 'STABLE']
  const shown = (...argv: string[]) => {
    const registry = createMetrics(selectionOf(...argv))
    for (const stability of stabilities)
      for (const minor of [37, 36, 35, 34, 33]) {
        const row = counter(`${stability.toLowerCase()}_${minor}`, 'Old.', { stability, deprecated: `1.${minor}.0` })
        recorder(registry, row).add([])
      }
    return registry.text()
  }
  const usual = samples(shown()).map((line) => line.split(' ')[0])
  assert.deepEqual(usual, ['alpha_37', 'beta_36', 'beta_37', 'stable_34', 'stable_35', 'stable_36', 'stable_37'])
  const all = shown('--show-hidden-metrics-for-version=1.35')
  assert.equal(samples(all).length, 15)
  assert.match(all, /^# HELP alpha_33 \[ALPHA\] \(Deprecated since 1\.33\.0\) Old\.$/m)
  const without = shown('--show-hidden-metrics-for-version=1.35', '--disabled-metrics=alpha_33')
  assert.equal(samples(without).length, 14)
})

test('label values that are not allowed are recorded as unexpected', () => {
  const registry = createMetrics(selectionOf('--allow-metric-labels=a,verb=GET,LIST', '--allow-metric-labels="b,verb=GET","c,verb=GET"'))
  collectCensus(registry)
  const labels = ['verb', 'path'] as const
  const a = recorder(registry, counter('a', '', { labels }))
  for (const verb of ['GET', 'LIST', 'PUT', 'DELETE']) a.add([verb, '/'])
  a.in(['PATCH', '/'])(2)
  registry.collect(gauge('b', '', { labels }), () => [
    [['GET', '/'], 1],
    [['PUT', '/'], 2],
    [['POST', '/'], 4],
  ])
  registry.distribute(histogram('c', '', { labels, buckets: [1] }), () => [
    [['PUT', '/'], { counts: [1], sum: 1, count: 1 }],
    [['POST', '/'], { counts: [1], sum: 4, count: 2 }],
  ])
  assert.deepEqual(
    samples(registry.text()).filter((line) => /^[abc]/.test(line)),
    [
      'a{path="/",verb="GET"} 1',
      'a{path="/",verb="LIST"} 1',
      'a{path="/",verb="unexpected"} 4',
      'b{path="/",verb="GET"} 1',
      'b{path="/",verb="unexpected"} 6',
      'c_bucket{path="/",verb="unexpected",le="1"} 2',
      'c_bucket{path="/",verb="unexpected",le="+Inf"} 3',
      'c_sum{path="/",verb="unexpected"} 5',
      'c_count{path="/",verb="unexpected"} 3',
      'cardinality_enforcement_unexpected_categorizations_total 7',
    ],
  )
})

test('metrics about metrics count them by stability and release of deprecation', () => {
  const registry = createMetrics(selectionOf('--disabled-metrics=a,unknown'))
  collectCensus(registry)
  recorder(registry, counter('a', ''))
  recorder(registry, counter('b', '', { deprecated: '1.20.0' }))
  recorder(registry, counter('c', '', { stability: 'STABLE', deprecated: '1.35.0' }))
  recorder(registry, counter('d', '', { stability: null }))
  assert.deepEqual(
    samples(registry.text()).filter((line) => /^(registered|disabled|hidden)/.test(line)),
    [
      'disabled_metrics_total 2',
      'hidden_metrics_total 2',
      'registered_metrics_total{deprecated_version="",stability_level="BETA"} 3',
      'registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 1',
      'registered_metrics_total{deprecated_version="1.35.0",stability_level="STABLE"} 1',
    ],
  )
})

test('a file lists allowed values; its errors name file and format', () => {
  const load = (text: string) => loadFile(labelValuesFile, text, '/labels.yaml', platform)
  assert.deepEqual(load('"m,l": a,b\n"m,k": ""\n"n,l": 1\n'), allowedValues(new Map([['m,l', 'a,b'], ['m,k', ''], ['n,l', '1']]))) // biome-ignore format: a table
  assert.throws(() => load('m: a\n'), /^ConfigurationFileError: \/labels\.yaml: .*must have keys with format `metricName,labelName`/)
  assert.throws(() => load('allowListMapping: { "m,l": a }\n'), /\/labels\.yaml: /)
})

test('both sources of allowed values exclude each other', async () => {
  const { flagConflicts } = await import('../../../../core/flags/exclusions.ts')
  const flags = parseFlags(['--allow-metric-labels=m,l=a', '--allow-metric-labels-manifest=/x'], 'apiserver')
  assert.deepEqual(flagConflicts(flags), ['--allow-metric-labels and --allow-metric-labels-manifest are mutually exclusive'])
})

test('OpenMetrics for clients that name it, with names that stay what they are', async () => {
  const registry = createMetrics()
  recorder(registry, counter('a_total', 'Say "a".')).add([])
  recorder(registry, counter('attempts', 'B.', { labels: ['x'] })).add(['1'], 1.5)
  recorder(registry, histogram('seconds', 'C.', { buckets: [0.5, 1, 1e6] })).observe([], 1)
  const answer = async (accept?: string) => {
    const response = await registry.respond(new Headers(accept === undefined ? {} : { accept }))
    return { type: response.headers.get('content-type') ?? '', text: await response.text() }
  }
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
  const { type, text } = await answer(prometheus)
  assert.equal(type, 'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores')
  assert.equal(
    text,
    [
      '# HELP a [ALPHA] Say \\"a\\".',
      '# TYPE a counter',
      'a_total 1.0',
      '# HELP attempts [ALPHA] B.',
      '# TYPE attempts unknown',
      'attempts{x="1"} 1.5',
      '# HELP seconds [ALPHA] C.',
      '# TYPE seconds histogram',
      'seconds_bucket{le="0.5"} 0',
      'seconds_bucket{le="1.0"} 1',
      'seconds_bucket{le="1e+06"} 1',
      'seconds_bucket{le="+Inf"} 1',
      'seconds_sum 1.0',
      'seconds_count 1',
      '# EOF',
      '',
    ].join('\n'),
  )
  for (const accept of [undefined, '*/*', 'text/plain', 'application/json, */*', 'application/openmetrics-text;q=0, */*', 'nonsense'])
    assert.equal((await answer(accept)).type, 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores', accept)
})

test('a server leaves disabled metrics out of both pages, and compresses them for clients that ask', async () => {
  const { fetch, close } = await startInProcess({
    metrics: createMetrics(selectionOf('--disabled-metrics=apiserver_request_total,process_start_time_seconds')),
  })
  const page = async (path: string) => (await fetch(path)).text()
  await page('/readyz')
  for (const path of ['/metrics', '/metrics/slis'])
    assert.doesNotMatch(await page(path), /apiserver_request_total|process_start_time_seconds/, path)
  assert.match(await page('/metrics'), /^hidden_metrics_total 3$/m)
  const zipped = await fetch('/metrics', { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  const text = await new Response(zipped.body?.pipeThrough(new DecompressionStream('gzip'))).text()
  assert.match(text, /^apiserver_request_duration_seconds_count/m)
  await close()
})
