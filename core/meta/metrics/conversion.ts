import type { ConversionObserver } from '../../outgoing/webhook/conversion-observer.ts'
import type { MetricsRegistry } from './registry.ts'
import { conversionRows as rows } from './rows/conversion.ts'

export function createConversionMetrics(registry: MetricsRegistry): ConversionObserver {
  const calls = registry.counter(rows.calls)
  const callDurations = registry.histogram(rows.callDurations)
  const durations = registry.histogram(rows.durations)
  return {
    called(failure, milliseconds) {
      const labels = failure === undefined ? (['success', ''] as const) : (['failure', `conversion_webhook_${failure}_failure`] as const)
      calls.add(labels)
      callDurations.observe(labels, milliseconds / 1000)
    },
    converted: (definition, from, to, succeeded, milliseconds) =>
      durations.observe([definition, from, to, String(succeeded)], milliseconds / 1000),
  }
}
