import type { Authentication, TokenAuthenticator } from './authenticator.ts'

/** Treats tokens without audience information as issued for this server's own audiences, and for no others. */
export function forAudiences(inner: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    name: inner.name,
    authenticateToken(token, requested, context) {
      if (requested === undefined) return inner.authenticateToken(token, undefined, context)
      const audiences = requested.filter((each) => own.includes(each))
      if (audiences.length === 0) return undefined
      const limit = (answer: Authentication): Authentication => answer && { ...answer, audiences }
      const answer = inner.authenticateToken(token, undefined, context)
      return answer instanceof Promise ? answer.then(limit) : limit(answer)
    },
  }
}
