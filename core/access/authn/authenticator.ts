import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Connection, Context } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import { messageOf } from '../../schema/message-of.ts'

/** Result of authentication; undefined: no opinion, because the request carries no credential of this kind. */
export type Authentication = Accepted | undefined

export interface Accepted {
  readonly user: User
  readonly audiences?: readonly string[]
  /** `warnings` go to the client, `annotations` to the audit log. */
  readonly warnings?: readonly string[]
  readonly annotations?: Readonly<Record<string, string>>
  /** The credential was a subprotocol of a WebSocket: the handshake does not see that one. */
  readonly bySubprotocol?: true
}

/** The request carries an invalid credential. The message is for the log; the client sees only `Unauthorized`. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError'
}

/**
 * Returns a plain value, not a promise, when no I/O is needed (such as a cached credential); I/O ends with the context. Throws or rejects with
 * an AuthenticationError.
 */
export interface Authenticator {
  readonly name: string
  authenticate(request: Request, connection: Connection, context: Context | undefined): MaybePromise<Authentication>
}

/** Authenticates bearer tokens. `audiences` is set when a TokenReview asks for specific ones; undefined: the server's own audiences. */
export interface TokenAuthenticator {
  readonly name: string
  authenticateToken(token: string, audiences: readonly string[] | undefined, context: Context | undefined): MaybePromise<Authentication>
}

/** How a union treats an AuthenticationError: try the next method, or fail at once. */
export type OnError = 'continue' | 'stop'

/**
 * Tries authenticators in order; the first success wins. With `continue`, errors are collected and thrown as one if no authenticator
 * succeeds; with `stop` the first error is final, so that a bad credential does not fall through to anonymous.
 */
export function union(authenticators: readonly Authenticator[], onError: OnError = 'continue'): Authenticator {
  return {
    name: authenticators.map(({ name }) => name).join(','),
    authenticate: (request, connection, context) =>
      firstAccepted(authenticators, (authenticator) => authenticator.authenticate(request, connection, context), onError, context),
  }
}

/** Tries items in order as `union` does, until the context ends. Returns a plain value unless an item returns a promise. */
export function firstAccepted<T>(
  list: readonly T[],
  ask: (item: T) => MaybePromise<Authentication>,
  onError: OnError,
  context: Context | undefined,
  from = 0,
  errors: readonly unknown[] = [],
): MaybePromise<Authentication> {
  // Apart, so that the loop makes no functions for what is there already.
  const wait = (answer: Promise<Authentication>, index: number, before: readonly unknown[]) => {
    const next = (more: readonly unknown[]) => firstAccepted(list, ask, onError, context, index + 1, more)
    return answer.then(
      (late) => late ?? next(before),
      (error) => {
        if (onError === 'stop') throw error
        context?.signal.throwIfAborted()
        return next([...before, error])
      },
    )
  }
  let failed = errors
  for (let index = from; index < list.length; index++) {
    try {
      const answer = ask(list[index] as T)
      if (answer instanceof Promise) return wait(answer, index, failed)
      if (answer !== undefined) return answer
    } catch (error) {
      if (onError === 'stop') throw error
      failed = [...failed, error]
    }
  }
  if (failed.length === 0) return undefined
  throw failed.length === 1 ? failed[0] : new AuthenticationError(`[${failed.map(messageOf).join(', ')}]`)
}
