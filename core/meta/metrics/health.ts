import { counter, gauge } from '../../metrics.ts'
import type { Platform } from '../../platform.ts'
import { startRows } from './process.ts'
import { createMetrics, type MetricsRegistry } from './registry.ts'
import type { MetricSelection } from './selection.ts'

/** Rows of `/metrics/slis`. `product`: the platform's word. */
export const healthRows = (product: string) => ({
  latest: gauge(`${product}_healthcheck`, 'Latest result of a health check: 1, or 0 when it failed.', {
    stability: 'STABLE',
    labels: ['name', 'type'],
  }),
  results: counter(`${product}_healthchecks_total`, 'Results of a health check.', {
    stability: 'STABLE',
    labels: ['name', 'type', 'status'],
  }),
})

/** Results of health checks (KEP-3466), apart from other metrics so that they can be read often. */
export interface HealthMetrics {
  readonly registry: MetricsRegistry
  /** `endpoint`: the one that asked, such as `readyz`. */
  observe(name: string, endpoint: string, isHealthy: boolean): void
}

/** `started`: start of the process, in milliseconds since the epoch. */
export function createHealthMetrics(started: number, { product }: Platform, selection?: MetricSelection): HealthMetrics {
  const registry = createMetrics(selection)
  // Unlike among the other metrics, it has a stability here, as in the reference.
  registry.collect({ ...startRows.started, stability: 'ALPHA' }, () => [[[], started / 1000]])
  const { latest, results } = registry.record(healthRows(product))
  return {
    registry,
    observe(name, endpoint, isHealthy) {
      latest.set([name, endpoint], isHealthy ? 1 : 0)
      results.add([name, endpoint, isHealthy ? 'success' : 'error'])
    },
  }
}
