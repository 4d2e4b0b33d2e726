/** Metrics of authentication and authorization of requests, with the reference server's names. */
import { serviceAccountName } from '../../authn/names.ts'
import type { AuthenticationObserver, TokenObserver } from '../../authn/observer.ts'
import type { DecisionObserver } from '../../authz/observer.ts'
import type { Platform } from '../../platform.ts'
import type { MetricsRegistry } from './registry.ts'
import { attemptRows, tokenRows } from './rows/authentication.ts'
import { decisionRows } from './rows/authorization.ts'

export function createAttemptMetrics(registry: MetricsRegistry, platform: Platform): AuthenticationObserver {
  const attempts = registry.counter(attemptRows.attempts)
  const users = registry.counter(attemptRows.users)
  const durations = registry.histogram(attemptRows.durations)
  const known = new Set(['admin', 'client', ...platform.componentUsers, serviceAccountName(platform.namespaces.system, 'default')])
  /** A bounded set of label values; user names are unbounded and confidential. */
  const kindOf = (name: string) => (known.has(name) ? name : name.includes('@') ? 'email_id' : 'other')
  const of = (result: string) => [attempts.in([result]), durations.in([result])] as const
  const series = { success: of('success'), failure: of('failure'), error: of('error') }
  return {
    attempted(result, milliseconds, userName) {
      const [count, observe] = series[result]
      count()
      observe(milliseconds / 1000)
      if (userName !== undefined) users.add([kindOf(userName)])
    },
  }
}

export function createDecisionMetrics(registry: MetricsRegistry): DecisionObserver {
  const attempts = registry.counter(decisionRows.attempts)
  const durations = registry.histogram(decisionRows.durations)
  const of = (result: string) => [attempts.in([result]), durations.in([result])] as const
  const series = { allow: of('allowed'), deny: of('denied'), 'no-opinion': of('no-opinion') }
  const failed = of('error')
  return ({ verdict, error }, milliseconds) => {
    const [count, observe] = verdict !== 'allow' && error !== undefined ? failed : series[verdict]
    count()
    observe(milliseconds / 1000)
  }
}

export function createTokenMetrics(registry: MetricsRegistry): TokenObserver {
  const requests = registry.counter(tokenRows.requests)
  const durations = registry.histogram(tokenRows.durations)
  const fetches = registry.counter(tokenRows.fetches)
  const active = registry.gauge(tokenRows.active)
  return {
    waiting(change) {
      active.add(['in_flight'], change)
      active.add(['blocked'], change)
    },
    fetched: (ok) => fetches.add([ok ? 'ok' : 'error']),
    answered(hit, milliseconds) {
      const labels = [hit ? 'hit' : 'miss'] as const
      requests.add(labels)
      durations.observe(labels, milliseconds / 1000)
    },
  }
}
