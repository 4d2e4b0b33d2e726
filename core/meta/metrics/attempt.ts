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
  const names = ['admin', 'client', ...platform.componentUsers, serviceAccountName(platform.namespaces.system, 'default')]
  const known = new Map(names.map((name) => [name, users.in([name])]))
  const [emails, others] = [users.in(['email_id']), users.in(['other'])]
  /** Counts by a bounded set of label values; user names are unbounded and confidential. */
  const countOf = (name: string) => known.get(name) ?? (name.includes('@') ? emails : others)
  const of = (result: string) => [attempts.in([result]), durations.in([result])] as const
  const series = { success: of('success'), failure: of('failure'), error: of('error') }
  return {
    attempted(result, milliseconds, userName) {
      const [count, observe] = series[result]
      count()
      observe(milliseconds / 1000)
      if (userName !== undefined) countOf(userName)()
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
  const of = (status: string) => [requests.in([status]), durations.in([status])] as const
  const series = { hit: of('hit'), miss: of('miss') }
  const fetches = registry.counter(tokenRows.fetches)
  const active = registry.gauge(tokenRows.active)
  return {
    waiting(change) {
      active.add(['in_flight'], change)
      active.add(['blocked'], change)
    },
    fetched: (ok) => fetches.add([ok ? 'ok' : 'error']),
    answered(hit, milliseconds) {
      const [count, observe] = series[hit ? 'hit' : 'miss']
      count()
      observe(milliseconds / 1000)
    },
  }
}
