import { createExpiringCache } from '../../outgoing/webhook/expiring-cache.ts'
import { sharedCalls } from '../../outgoing/webhook/shared-calls.ts'
import type { Clock } from '../../ports.ts'
import { type Authentication, AuthenticationError, type TokenAuthenticator } from './authenticator.ts'

export interface TokenCacheOptions {
  /** Time-to-live in milliseconds of cached successes. A token may be accepted this long after it expires. */
  readonly ttl: number
  /** Time-to-live in milliseconds of "no opinion" results (negative cache); default 0. */
  readonly unknownTtl?: number
  /** Time-to-live in milliseconds of AuthenticationErrors; default 0. Other errors (such as a failed connection) are never cached. */
  readonly errorTtl?: number
  readonly clock: Clock
}

/** Maximum cached successes: a few for each node and namespace of a large cluster. */
const maxTokens = 32_768
/** Maximum cached failures. Clients choose the length of invalid tokens: longer ones (in characters) are not cached. */
const maxRefused = 4_096
const maxRefusedLength = 8_192

/**
 * The token itself for this server's own audiences, so that nothing is copied on most requests. Clients choose every character of a token: one that
 * looks like the key of a token with other audiences is encoded too.
 */
const keyOf = (token: string, audiences: readonly string[] | undefined) =>
  audiences === undefined && !token.startsWith('[') ? token : JSON.stringify([token, audiences])

/** Caches the results of a token authenticator. Concurrent requests with the same token share one call. */
export function cachedTokens(
  authenticator: TokenAuthenticator,
  { ttl, unknownTtl = 0, errorTtl = 0, clock }: TokenCacheOptions,
): TokenAuthenticator {
  // Keyed by the token itself, without a digest: string-keyed maps compare contents only after their seeded hashes match.
  const known = createExpiringCache<NonNullable<Authentication>>(maxTokens, clock)
  const refused = createExpiringCache<AuthenticationError | 'unknown'>(maxRefused, clock)
  const shared = sharedCalls<Authentication>()

  const keep = (key: string, found: Authentication): Authentication => {
    if (found !== undefined) known.set(key, found, ttl)
    else if (key.length <= maxRefusedLength) refused.set(key, 'unknown', unknownTtl)
    return found
  }
  const keepError = (key: string, error: unknown): never => {
    if (error instanceof AuthenticationError && key.length <= maxRefusedLength) refused.set(key, error, errorTtl)
    throw error
  }

  return {
    name: authenticator.name,
    authenticateToken(token, audiences, context) {
      const key = keyOf(token, audiences)
      const found = known.get(key)
      if (found !== undefined) return found
      const refusal = refused.get(key)
      if (refusal === 'unknown') return undefined
      if (refusal !== undefined) throw refusal
      return shared(key, context, (common) => {
        const answer = authenticator.authenticateToken(token, audiences, common)
        if (!(answer instanceof Promise)) return keep(key, answer)
        return answer.then(
          (each) => keep(key, each),
          (error: unknown) => keepError(key, error),
        )
      })
    },
  }
}
