/**
 * The metrics of kube-apiserver 1.36.2: those that it shows after a fresh start, and those of its generated documentation, which appear later.
 * Lines of `metrics.txt`: name, type, stability (-: a library's), labels, buckets, and when it is shown: `start`, `later`, or `hidden`, which
 * are deprecated metrics that only --show-hidden-metrics-for-version shows.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../support/root.ts'

export interface ReferenceMetric {
  readonly name: string
  readonly type: string
  readonly stability: string | null
  /** Sorted. */
  readonly labels: readonly string[]
  readonly buckets: readonly number[]
  readonly shown: string
}

const list = (text: string) => (text === '-' ? [] : text.split(','))

export const referenceMetrics: readonly ReferenceMetric[] = readFileSync(join(root, 'test/core/meta/metrics/metrics.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', type = '', stability = '', labels = '', buckets = '', shown = ''] = line.split(' ')
    return { name, type, stability: stability === '-' ? null : stability, labels: list(labels), buckets: list(buckets).map(Number), shown }
  })
