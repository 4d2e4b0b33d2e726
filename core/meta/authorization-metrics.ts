/** Authorization metrics, with the reference server's names. */
import type { AuthorizationObserver } from '../authz/observer.ts'
import type { Clock } from '../ports.ts'
import type { MetricsRegistry } from './metrics.ts'
import { createReloadMetrics, type ReloadMetrics } from './reload-metrics.ts'

export interface AuthorizationMetrics extends AuthorizationObserver, ReloadMetrics {}

const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const matchSeconds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]
const matcher = 'Webhook'

/** `server` is this server's identity; empty: none. */
export function createAuthorizationMetrics(registry: MetricsRegistry, clock: Clock, server = ''): AuthorizationMetrics {
  const decisions = registry.counter('apiserver_authorization_decisions_total', 'Requests that an authorizer allowed or denied.', [
    'type',
    'name',
    'decision',
  ])
  const calls = registry.counter('apiserver_authorization_webhook_evaluations_total', 'Round-trips to authorization webhooks.', [
    'name',
    'result',
  ])
  const durations = registry.histogram(
    'apiserver_authorization_webhook_duration_seconds',
    'Duration of a round-trip to an authorization webhook, in seconds.',
    ['name', 'result'],
    callSeconds,
  )
  const failedOpen = registry.counter(
    'apiserver_authorization_webhook_evaluations_fail_open_total',
    'Requests that a failed authorization webhook left to other authorizers.',
    ['name', 'result'],
  )
  const evaluations = registry.histogram(
    'apiserver_authorization_match_condition_evaluation_seconds',
    'Duration of match condition evaluations of an authorization webhook, in seconds.',
    ['type', 'name'],
    matchSeconds,
  )
  const errors = registry.counter(
    'apiserver_authorization_match_condition_evaluation_errors_total',
    'Requests for which match conditions of an authorization webhook could not be evaluated.',
    ['type', 'name'],
  )
  const exclusions = registry.counter(
    'apiserver_authorization_match_condition_exclusions_total',
    'Requests excluded from an authorization webhook by its match conditions.',
    ['type', 'name'],
  )
  return {
    decided: (type, name, decision) => decisions.add([type, name, decision]),
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
    ...createReloadMetrics(registry, clock, 'authorization', server),
  }
}
