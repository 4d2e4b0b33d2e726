import type { Clock } from '../ports.ts'
import type { Authentication, TokenAuthenticator } from './authenticator.ts'

/** How an attempt ended: somebody, nobody, or a bad credential. */
export type AttemptResult = 'success' | 'failure' | 'error'

/** Is told what authentication does; made into metrics elsewhere. Times are in milliseconds. */
export interface AuthenticationObserver {
  /** `userName` is there for a success. */
  attempted(result: AttemptResult, milliseconds: number, userName?: string): void
}

/** Is told about bearer tokens, which are known or have to be looked into. */
export interface TokenObserver {
  /** Calls for a token that was not known began to wait, or did no longer. */
  waiting(change: 1 | -1): void
  /** A token that was not known was looked into. */
  fetched(ok: boolean): void
  answered(known: boolean, milliseconds: number): void
}

/** How a token of a service account was found to be when it was looked into. */
export type AccountTokenUse = 'legacy' | 'legacy-auto' | 'legacy-manual' | 'stale' | 'valid'

/** Is told about tokens of service accounts, each time that what they depend on is looked up. */
export type AccountTokenObserver = (use: AccountTokenUse) => void

/**
 * Reports how tokens are answered. An answer at once is that of a token that is known (see `Authenticator`), and takes no time that
 * a clock of milliseconds shows.
 */
export function observedTokens(tokens: TokenAuthenticator, observer: TokenObserver, clock: Clock): TokenAuthenticator {
  const settle = (ok: boolean, milliseconds: number) => {
    observer.fetched(ok)
    observer.answered(false, milliseconds)
  }
  const wait = async (answer: Promise<Authentication>): Promise<Authentication> => {
    const began = clock.now()
    let ok = false
    observer.waiting(1)
    try {
      const found = await answer
      ok = true
      return found
    } finally {
      observer.waiting(-1)
      settle(ok, clock.now() - began)
    }
  }
  return {
    name: tokens.name,
    authenticateToken(token, audiences) {
      try {
        const answer = tokens.authenticateToken(token, audiences)
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
