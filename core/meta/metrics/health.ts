import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import { createMetrics, type MetricsRegistry } from './registry.ts'
import { healthRows } from './rows/health.ts'
import { requestRows } from './rows/requests.ts'
import type { MetricSelection } from './selection.ts'

/** Results of health checks (KEP-3466), apart from other metrics so that they can be read often. */
export interface HealthMetrics {
  readonly registry: MetricsRegistry
  /** `endpoint`: the one that asked, such as `readyz`. */
  observe(name: string, endpoint: string, isHealthy: boolean): void
}

export function createHealthMetrics(clock: Clock, { product }: Platform, selection?: MetricSelection): HealthMetrics {
  const rows = healthRows(product)
  const registry = createMetrics(selection)
  const started = clock.now() / 1000
  // Unlike among the other metrics, it has a stability here, as in the reference.
  registry.collect({ ...requestRows.started, stability: 'ALPHA' }, () => [[[], started]])
  const latest = registry.gauge(rows.latest)
  const results = registry.counter(rows.results)
  return {
    registry,
    observe(name, endpoint, isHealthy) {
      latest.set([name, endpoint], isHealthy ? 1 : 0)
      results.add([name, endpoint, isHealthy ? 'success' : 'error'])
    },
  }
}
