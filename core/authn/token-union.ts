import { type Authentication, firstAccepted, type TokenAuthenticator } from './authenticator.ts'

/** Tokens whose acceptor is remembered, at most: a few for each node and namespace of a large cluster. */
const mostTokens = 32_768

/**
 * Asks in order; the first that accepts wins. Whoever accepted a token is asked first when it comes again, so that the others need
 * not take it apart. Errors are kept, and thrown as one when nobody accepts.
 */
export function tokenUnion(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  const acceptors = new Map<string, TokenAuthenticator>()

  const remember = (token: string, acceptor: TokenAuthenticator, answer: Authentication): Authentication => {
    if (answer === undefined) return undefined
    if (acceptors.size >= mostTokens) for (const oldest of acceptors.keys()) if (acceptors.delete(oldest)) break
    acceptors.set(token, acceptor)
    return answer
  }
  const askAll = (token: string, audiences?: readonly string[]) => {
    const ask = (each: TokenAuthenticator) => {
      const answer = each.authenticateToken(token, audiences)
      return answer instanceof Promise ? answer.then((late) => remember(token, each, late)) : remember(token, each, answer)
    }
    return firstAccepted(authenticators, ask, 'continue')
  }

  return {
    name: authenticators.map(({ name }) => name).join(','),
    authenticateToken(token, audiences) {
      const acceptor = acceptors.get(token)
      if (acceptor === undefined) return askAll(token, audiences)
      const askAgain = () => {
        acceptors.delete(token)
        return askAll(token, audiences)
      }
      try {
        const answer = acceptor.authenticateToken(token, audiences)
        return answer instanceof Promise ? answer.then((late) => late ?? askAgain(), askAgain) : (answer ?? askAgain())
      } catch {
        return askAgain()
      }
    },
  }
}
