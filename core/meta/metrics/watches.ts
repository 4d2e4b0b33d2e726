/** Metrics of what watches send. */

import type { Counter } from '../../metrics.ts'
import type { Services, WatchMetrics } from '../../verbs/services.ts'
import type { MetricsRegistry } from './registry.ts'
import { cacheRows } from './rows/storage.ts'
import { watchRows as rows } from './rows/watches.ts'
import { createSeries } from './series.ts'

/** `replayed`: counts events of the time before a watch, some of which the watch cache adds. */
export function createWatchMetrics(registry: MetricsRegistry, replayed: Counter<typeof cacheRows.replayed.labels>): Services['watches'] {
  const events = registry.counter(rows.events)
  const sizes = registry.histogram(rows.sizes)
  const initial = registry.histogram(rows.initial)
  const terminated = registry.counter(cacheRows.terminated)
  const all = createSeries(rows.events, ([group = '', version = '', resource = '']): WatchMetrics => {
    const count = events.in([group, version, resource])
    const size = sizes.in([group, version, resource])
    return {
      sent(bytes) {
        count()
        size(bytes)
      },
      initialized: (scope, seconds) => initial.observe([group, version, resource, scope], seconds),
      terminated: () => terminated.add([group, resource]),
      replayed: (number) => replayed.add([group, resource], number),
    }
  })
  return (labels) => all.of(labels).state
}
