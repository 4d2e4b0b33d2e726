import type { AuditObserver } from '../../audit/recorder.ts'
import type { MetricsRegistry } from './registry.ts'
import { auditRows as rows } from './rows/audit.ts'

export function createAuditMetrics(registry: MetricsRegistry): AuditObserver {
  const events = registry.counter(rows.events)
  const levels = registry.counter(rows.levels)
  const errors = registry.counter(rows.errors)
  const rejected = registry.counter(rows.rejected)
  return {
    evaluated: (level) => levels.add([level]),
    recorded: () => events.add([]),
    rejected: () => rejected.add([]),
    lost: (plugin, count) => errors.add([plugin], count),
  }
}
