/** Authorization metrics, with the reference server's names. */
import type { AuthorizationObserver } from '../../authz/observer.ts'
import type { FileObserver } from '../../follow-file.ts'
import type { Clock } from '../../ports.ts'
import type { MetricsRegistry } from './registry.ts'
import { createReloadMetrics } from './reload.ts'
import { authorizationRows as rows } from './rows/authorization.ts'
import { authorizationFileRows } from './rows/configuration.ts'

const matcher = 'Webhook'

/** `server` is this server's identity; empty: none. */
export function createAuthorizationMetrics(registry: MetricsRegistry, clock: Clock, server = ''): AuthorizationObserver & FileObserver {
  const decisions = registry.counter(rows.decisions)
  const calls = registry.counter(rows.calls)
  const durations = registry.histogram(rows.durations)
  const failedOpen = registry.counter(rows.failedOpen)
  const evaluations = registry.histogram(rows.evaluations)
  const errors = registry.counter(rows.errors)
  const exclusions = registry.counter(rows.exclusions)
  const graph = registry.histogram(rows.graph)
  return {
    decisionsOf: (type, name) => ({ allow: decisions.in([type, name, 'allowed']), deny: decisions.in([type, name, 'denied']) }),
    called(name, outcome, milliseconds) {
      calls.add([name, outcome])
      durations.observe([name, outcome], milliseconds / 1000)
    },
    failedOpen: (name, outcome) => failedOpen.add([name, outcome]),
    matched(name, outcome, milliseconds) {
      evaluations.observe([matcher, name], milliseconds / 1000)
      if (outcome === 'failed') errors.add([matcher, name])
      if (outcome === 'excluded') exclusions.add([matcher, name])
    },
    nodes: (operation, milliseconds) => graph.observe([operation], milliseconds / 1000),
    ...createReloadMetrics(registry, clock, authorizationFileRows, server),
  }
}
