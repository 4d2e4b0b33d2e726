/** Metrics of the authentication of requests, and of bearer tokens. */
import { countedTime, counter, doubling, gauge, histogram, type Recorded } from '../../metrics.ts'
import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import type { Authentication, TokenAuthenticator } from './authenticator.ts'
import { serviceAccountName } from './names.ts'

const cache = 'authentication_token_cache'

export const attemptRows = {
  attempts: counter('authentication_attempts', 'Authentication attempts, by result.', { labels: ['result'] }),
  users: counter('authenticated_user_requests', 'Authenticated requests, by kind of username.', { labels: ['username'] }),
  durations: histogram('authentication_duration_seconds', 'Duration of authentication attempts, in seconds.', {
    labels: ['result'],
    buckets: doubling(0.001, 15),
  }),
}

export const tokenRows = {
  requests: counter(`${cache}_request_total`, 'Lookups of bearer tokens.', { labels: ['status'] }),
  durations: histogram(`${cache}_request_duration_seconds`, 'Duration of bearer token lookups, in seconds.', {
    labels: ['status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  fetches: counter(`${cache}_fetch_total`, 'Bearer tokens that were not cached.', { labels: ['status'] }),
  active: gauge(`${cache}_active_fetch_count`, 'Bearer tokens being looked up.', { threads: 'sum', labels: ['status'] }),
}

/** Result of an attempt: authenticated, no credential, or an invalid one. */
type AttemptResult = 'success' | 'failure' | 'error'

/** Called at the end of an attempt; `userName` is set for a success. */
export type Attempted = (result: AttemptResult, milliseconds: number, userName?: string) => void

export function countedAttempts({ attempts, users, durations }: Recorded<typeof attemptRows>, platform: Platform): Attempted {
  const names = ['admin', 'client', ...platform.componentUsers, serviceAccountName(platform.namespaces.system, 'default')]
  const known = new Map(names.map((name) => [name, users.in([name])]))
  const [emails, others] = [users.in(['email_id']), users.in(['other'])]
  /** Counts by a bounded set of label values; user names are unbounded and confidential. */
  const countOf = (name: string) => known.get(name) ?? (name.includes('@') ? emails : others)
  const ended = {
    success: countedTime(attempts, durations, ['success']),
    failure: countedTime(attempts, durations, ['failure']),
    error: countedTime(attempts, durations, ['error']),
  }
  return (result, milliseconds, userName) => {
    ended[result](milliseconds)
    if (userName !== undefined) countOf(userName)()
  }
}

/** Counts cache hits and misses of a token authenticator. A plain value counts as a hit (see `Authenticator`), with a duration of 0. */
export function countedTokens(
  tokens: TokenAuthenticator,
  { requests, durations, fetches, active }: Recorded<typeof tokenRows>,
  clock: Clock,
): TokenAuthenticator {
  const [hit, miss] = [countedTime(requests, durations, ['hit']), countedTime(requests, durations, ['miss'])]
  const waiting = (change: number) => {
    active.add(['in_flight'], change)
    active.add(['blocked'], change)
  }
  const settle = (ok: boolean, milliseconds: number) => {
    fetches.add([ok ? 'ok' : 'error'])
    miss(milliseconds)
  }
  const wait = async (answer: Promise<Authentication>): Promise<Authentication> => {
    const began = clock.monotonic()
    let ok = false
    waiting(1)
    try {
      const found = await answer
      ok = true
      return found
    } finally {
      waiting(-1)
      settle(ok, clock.monotonic() - began)
    }
  }
  return {
    name: tokens.name,
    authenticateToken(token, audiences, context) {
      try {
        const answer = tokens.authenticateToken(token, audiences, context)
        if (answer instanceof Promise) return wait(answer)
        if (answer === undefined) settle(true, 0)
        else hit(0)
        return answer
      } catch (error) {
        settle(false, 0)
        throw error
      }
    },
  }
}
