import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRows } from '../../../../core/meta/metrics/build.ts'
import { healthRows } from '../../../../core/meta/metrics/health.ts'
import type { MetricRow } from '../../../../core/metrics.ts'
import { sourcesBelow } from '../../../architecture/graph.ts'
import { dashboardMetrics } from './dashboards.ts'
import { missingMetrics } from './missing.ts'
import { metricRows, tableNames } from './own.ts'
import { type ReferenceMetric, referenceMetrics } from './table.ts'

const product = 'kubernetes'
const own = new Map<string, MetricRow>(
  [...metricRows, ...[buildRows, healthRows].flatMap((rows): readonly MetricRow[] => Object.values(rows(product)))].map((row) => [
    row.name,
    row,
  ]),
)
const reference = new Map(referenceMetrics.map((metric) => [metric.name, metric]))
const patterns = Object.values(missingMetrics).flat()
const matches = (pattern: string, name: string) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern)

test('the list of this server has every table of rows', () => {
  const declaring = sourcesBelow('core', 'runtimes').filter(({ text }) =>
    /from '[./]+(?:(?:core)?\/|config\/reload-)metrics\.ts'/.test(text),
  )
  const declared = declaring.flatMap(({ text }) => [...text.matchAll(/^export const (\w+Rows) = (?!\()/gm)].map(([, name]) => name ?? ''))
  assert.deepEqual(declared.toSorted(), tableNames.toSorted())
})

test('every metric of the reference is here, or is missing for a reason', () => {
  const unexplained = [...reference.keys()].filter((name) => !own.has(name) && !patterns.some((pattern) => matches(pattern, name)))
  assert.deepEqual(unexplained, [])
})

test('no reason is stale: what it names is a metric of the reference, and is not here', () => {
  for (const pattern of patterns) {
    assert.ok(
      [...reference.keys()].some((name) => matches(pattern, name) && !own.has(name)),
      `${pattern} has no metric that is missing`,
    )
    if (!pattern.endsWith('*')) assert.ok(!own.has(pattern), `${pattern} is not missing`)
    assert.equal(patterns.filter((other) => other === pattern).length, 1, `${pattern} is listed twice`)
  }
})

test('metrics of the reference have its type, stability, labels and buckets', () => {
  const essence = ({ type, stability, labels, buckets }: Omit<ReferenceMetric, 'name' | 'shown'>) => ({
    type,
    stability,
    labels: [...labels].sort(),
    buckets: [...buckets],
  })
  for (const [name, row] of own) {
    const known = reference.get(name)
    if (known !== undefined) assert.deepEqual(essence(row), essence(known), name)
  }
})

test('dashboards and alerts find the metrics and labels that they read', () => {
  const absent = Object.entries(dashboardMetrics).flatMap(([name, labels]) => {
    const row = own.get(name)
    if (row === undefined) return [name]
    return labels.filter((label) => !row.labels.includes(label)).map((label) => `${name} ${label}`)
  })
  assert.deepEqual(absent, [])
})
