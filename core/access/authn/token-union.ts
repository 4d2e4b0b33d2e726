import type { Context } from '../../ports.ts'
import { type Authentication, firstAccepted, type TokenAuthenticator } from './authenticator.ts'

/** Maximum tokens with a remembered authenticator: a few for each node and namespace of a large cluster. */
const maxTokens = 32_768

/**
 * Tries token authenticators in order; the first success wins. The authenticator of a token is remembered and tried first next time, so
 * that the others need not parse it. Errors are collected and thrown as one when no authenticator succeeds.
 */
export function tokenUnion(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  const acceptors = new Map<string, TokenAuthenticator>()

  const remember = (token: string, acceptor: TokenAuthenticator, answer: Authentication): Authentication => {
    if (answer === undefined) return undefined
    if (acceptors.size >= maxTokens) for (const oldest of acceptors.keys()) if (acceptors.delete(oldest)) break
    acceptors.set(token, acceptor)
    return answer
  }
  const askAll = (token: string, audiences: readonly string[] | undefined, context: Context | undefined) => {
    const ask = (each: TokenAuthenticator) => {
      const answer = each.authenticateToken(token, audiences, context)
      return answer instanceof Promise ? answer.then((late) => remember(token, each, late)) : remember(token, each, answer)
    }
    return firstAccepted(authenticators, ask, 'continue', context)
  }

  const askAgain = (token: string, audiences: readonly string[] | undefined, context: Context | undefined) => {
    acceptors.delete(token)
    return askAll(token, audiences, context)
  }
  const later = (answer: Promise<Authentication>, token: string, audiences: readonly string[] | undefined, context: Context | undefined) =>
    answer.then(
      (late) => late ?? askAgain(token, audiences, context),
      () => {
        context?.signal.throwIfAborted()
        return askAgain(token, audiences, context)
      },
    )

  return {
    name: authenticators.map(({ name }) => name).join(','),
    authenticateToken(token, audiences, context) {
      const acceptor = acceptors.get(token)
      if (acceptor === undefined) return askAll(token, audiences, context)
      try {
        const answer = acceptor.authenticateToken(token, audiences, context)
        return answer instanceof Promise ? later(answer, token, audiences, context) : (answer ?? askAgain(token, audiences, context))
      } catch {
        return askAgain(token, audiences, context)
      }
    },
  }
}
