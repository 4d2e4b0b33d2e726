import type { Connection } from '../ports.ts'
import type { User } from '../request/exchange.ts'
import { messageOf } from '../schema/message-of.ts'

/** Who a credential stands for; undefined: no opinion, for there is no credential of this kind. */
export type Authentication = Accepted | undefined

export interface Accepted {
  readonly user: User
  readonly audiences?: readonly string[]
  /** What the client is told, and what the audit log keeps. */
  readonly warnings?: readonly string[]
  readonly annotations?: Readonly<Record<string, string>>
}

/** A credential is there, but bad. The message is for the log; clients learn nothing but `Unauthorized`. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError'
}

/** Returns a plain value when it need not wait, as for a credential that it knows already. Throws or rejects with an AuthenticationError. */
export interface Authenticator {
  readonly name: string
  authenticate(request: Request, connection: Connection): Authentication | Promise<Authentication>
}

/** Knows bearer tokens. `audiences` is set when a review asks for certain ones; absent: those of this server. */
export interface TokenAuthenticator {
  readonly name: string
  authenticateToken(token: string, audiences?: readonly string[]): Authentication | Promise<Authentication>
}

/** What to do about a bad credential: try the other methods, or refuse at once. */
export type OnError = 'continue' | 'stop'

/**
 * Asks in order; the first that accepts wins. With `continue` errors are kept, and thrown as one when nobody accepts; with
 * `stop` the first error ends it, so that a bad credential does not become anonymous.
 */
export function union(authenticators: readonly Authenticator[], onError: OnError = 'continue'): Authenticator {
  return {
    name: authenticators.map(({ name }) => name).join(','),
    authenticate: (request, connection) =>
      firstAccepted(authenticators, (authenticator) => authenticator.authenticate(request, connection), onError),
  }
}

/** Asks in order, as a union does; plain values as long as nobody makes it wait. */
export function firstAccepted<T>(
  list: readonly T[],
  ask: (item: T) => Authentication | Promise<Authentication>,
  onError: OnError,
  from = 0,
  errors: readonly unknown[] = [],
): Authentication | Promise<Authentication> {
  let failed = errors
  for (let index = from; index < list.length; index++) {
    try {
      const answer = ask(list[index] as T)
      if (answer instanceof Promise) {
        const before = failed
        const next = (more: readonly unknown[]) => firstAccepted(list, ask, onError, index + 1, more)
        return answer.then(
          (late) => late ?? next(before),
          (error) => {
            if (onError === 'stop') throw error
            return next([...before, error])
          },
        )
      }
      if (answer !== undefined) return answer
    } catch (error) {
      if (onError === 'stop') throw error
      failed = [...failed, error]
    }
  }
  if (failed.length === 0) return undefined
  throw failed.length === 1 ? failed[0] : new AuthenticationError(`[${failed.map(messageOf).join(', ')}]`)
}
