/** Metrics of authentication attempts, with the reference server's names. */
import { serviceAccountName } from '../authn/names.ts'
import type { AuthenticationObserver, TokenObserver } from '../authn/observer.ts'
import type { Platform } from '../platform.ts'
import type { MetricsRegistry } from './metrics.ts'

const seconds = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power)
const tokenSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createAttemptMetrics(registry: MetricsRegistry, platform: Platform): AuthenticationObserver {
  const attempts = registry.counter('authentication_attempts', 'Authentication attempts, by result.', ['result'])
  const users = registry.counter('authenticated_user_requests', 'Authenticated requests, by kind of username.', ['username'])
  const durations = registry.histogram(
    'authentication_duration_seconds',
    'Duration of authentication attempts, in seconds.',
    ['result'],
    seconds,
  )
  const known = new Set(['admin', 'client', ...platform.componentUsers, serviceAccountName(platform.namespaces.system, 'default')])
  /** A bounded set of label values; user names are unbounded and confidential. */
  const kindOf = (name: string) => (known.has(name) ? name : name.includes('@') ? 'email_id' : 'other')
  return {
    attempted(result, milliseconds, userName) {
      const labels = [result]
      attempts.add(labels)
      durations.observe(labels, milliseconds / 1000)
      if (userName !== undefined) users.add([kindOf(userName)])
    },
  }
}

export function createTokenMetrics(registry: MetricsRegistry): TokenObserver {
  const prefix = 'authentication_token_cache'
  const requests = registry.counter(`${prefix}_request_total`, 'Lookups of bearer tokens.', ['status'])
  const durations = registry.histogram(
    `${prefix}_request_duration_seconds`,
    'Duration of bearer token lookups, in seconds.',
    ['status'],
    tokenSeconds,
  )
  const fetches = registry.counter(`${prefix}_fetch_total`, 'Bearer tokens that were not cached.', ['status'])
  const active = registry.gauge(`${prefix}_active_fetch_count`, 'Bearer tokens being looked up.', ['status'])
  return {
    waiting(change) {
      active.add(['in_flight'], change)
      active.add(['blocked'], change)
    },
    fetched: (ok) => fetches.add([ok ? 'ok' : 'error']),
    answered(hit, milliseconds) {
      const labels = [hit ? 'hit' : 'miss']
      requests.add(labels)
      durations.observe(labels, milliseconds / 1000)
    },
  }
}
