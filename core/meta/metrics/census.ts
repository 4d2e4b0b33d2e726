import { counter } from '../../metrics.ts'
import type { MetricsRegistry } from './registry.ts'

/** Metrics about metrics, which all threads of a server have the same. */
export const censusRows = {
  registered: counter('registered_metrics_total', 'Metrics that are recorded.', {
    stability: 'BETA',
    threads: 'max',
    labels: ['stability_level', 'deprecated_version'],
  }),
  disabled: counter('disabled_metrics_total', 'Metrics that are disabled by name.', { stability: 'BETA', threads: 'max' }),
  hidden: counter('hidden_metrics_total', 'Metrics that are disabled, or deprecated and not shown.', { stability: 'BETA', threads: 'max' }),
  unexpected: counter(
    'cardinality_enforcement_unexpected_categorizations_total',
    'Label values that are not allowed, and were recorded as unexpected.',
  ),
}

/** Metrics about the metrics of the registry. Those of libraries, which have no stability, are not counted. */
export function collectCensus(registry: MetricsRegistry): void {
  registry.collect(censusRows.registered, () => {
    const counts = new Map<string, number>()
    for (const { stability, deprecated = '' } of registry.census().registered) {
      const key = `${stability},${deprecated}`
      if (stability !== null) counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return Array.from(counts, ([key, count]) => {
      const [stability = '', deprecated = ''] = key.split(',')
      return [[stability, deprecated] as const, count] as const
    })
  })
  registry.collect(censusRows.disabled, () => [[[], registry.selection.disabled?.size ?? 0]])
  registry.collect(censusRows.hidden, () => [[[], registry.census().hidden]])
  registry.collect(censusRows.unexpected, () => [[[], registry.census().unexpected]])
}
