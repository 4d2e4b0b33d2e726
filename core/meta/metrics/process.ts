import type { ProcessNumber, ProcessUsage } from '../../ports.ts'
import type { MetricsRegistry } from './registry.ts'
import { processRows } from './rows/process.ts'

/** Metrics of the process, as far as the runtime knows them. */
export function collectProcess(registry: MetricsRegistry, usage: ProcessUsage): void {
  for (const [name, read] of Object.entries(usage) as [ProcessNumber, ProcessUsage[ProcessNumber]][]) {
    if (read === undefined) continue
    registry.collect(processRows[name], () => {
      const value = read()
      return value === undefined ? [] : [[[], value]]
    })
  }
}
