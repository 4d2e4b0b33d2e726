import type { Level } from '../../audit/policy.ts'
import type { AuditObserver } from '../../audit/recorder.ts'
import type { MetricsRegistry } from './registry.ts'
import { auditRows as rows } from './rows/audit.ts'

export function createAuditMetrics(registry: MetricsRegistry): AuditObserver {
  const events = registry.counter(rows.events)
  const evaluated = registry.counter(rows.levels)
  const ofLevel = (level: Level) => evaluated.in([level])
  const inLevel = {
    None: ofLevel('None'),
    Metadata: ofLevel('Metadata'),
    Request: ofLevel('Request'),
    RequestResponse: ofLevel('RequestResponse'),
  }
  const errors = registry.counter(rows.errors)
  const rejected = registry.counter(rows.rejected)
  return {
    evaluated: (level) => inLevel[level](),
    recorded: events.in([]),
    rejected: () => rejected.add([]),
    lost: (plugin, count) => errors.add([plugin], count),
  }
}
