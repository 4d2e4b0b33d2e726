import type { MetricsRegistry } from './registry.ts'
import { censusRows as rows } from './rows/census.ts'

/** Metrics about the metrics of the registry. Those of libraries, which have no stability, are not counted. */
export function collectCensus(registry: MetricsRegistry): void {
  registry.collect(rows.registered, () => {
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
  registry.collect(rows.disabled, () => [[[], registry.selection.disabled?.size ?? 0]])
  registry.collect(rows.hidden, () => [[[], registry.census().hidden]])
  registry.collect(rows.unexpected, () => [[[], registry.census().unexpected]])
}
