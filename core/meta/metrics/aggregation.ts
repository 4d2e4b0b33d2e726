import type { MetricsRegistry } from './registry.ts'
import { aggregationRows as rows } from './rows/aggregation.ts'

export interface AggregationMetrics {
  becameUnavailable(name: string, reason: string): void
}

/** `availability`: names of the registered group versions, and whether their server can be reached. */
export function createAggregationMetrics(
  registry: MetricsRegistry,
  availability: () => Iterable<readonly [name: string, isAvailable: boolean]>,
): AggregationMetrics {
  registry.collect(rows.unavailable, () => Array.from(availability(), ([name, isAvailable]) => [[name], isAvailable ? 0 : 1] as const))
  const changes = registry.counter(rows.becameUnavailable)
  return { becameUnavailable: (name, reason) => changes.add([name, reason]) }
}
