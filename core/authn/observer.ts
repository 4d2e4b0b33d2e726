import type { Clock } from '../ports.ts'
import type { Authentication, TokenAuthenticator } from './authenticator.ts'

/** Result of an attempt: authenticated, no credential, or an invalid one. */
export type AttemptResult = 'success' | 'failure' | 'error'

/** Receives authentication events for metrics. Times are in milliseconds. */
export interface AuthenticationObserver {
  /** `userName` is set for a success. */
  attempted(result: AttemptResult, milliseconds: number, userName?: string): void
}

/** Receives events of the bearer token cache. */
export interface TokenObserver {
  /** A cache miss began (1) or ended (-1) waiting for the authenticator. */
  waiting(change: 1 | -1): void
  /** A cache miss was answered. */
  fetched(ok: boolean): void
  answered(known: boolean, milliseconds: number): void
}

/** Kind and state of a service account token when it is verified. */
export type AccountTokenUse = 'legacy' | 'legacy-auto' | 'legacy-manual' | 'invalid-auto' | 'stale' | 'valid'

/** Called each time the objects that a service account token depends on are looked up. */
export type AccountTokenObserver = (use: AccountTokenUse) => void

/** Reports cache hits and misses of a token authenticator. A plain value counts as a hit (see `Authenticator`), with a duration of 0. */
export function observedTokens(tokens: TokenAuthenticator, observer: TokenObserver, clock: Clock): TokenAuthenticator {
  const settle = (ok: boolean, milliseconds: number) => {
    observer.fetched(ok)
    observer.answered(false, milliseconds)
  }
  const wait = async (answer: Promise<Authentication>): Promise<Authentication> => {
    const began = clock.monotonic()
    let ok = false
    observer.waiting(1)
    try {
      const found = await answer
      ok = true
      return found
    } finally {
      observer.waiting(-1)
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
        else observer.answered(true, 0)
        return answer
      } catch (error) {
        settle(false, 0)
        throw error
      }
    },
  }
}
