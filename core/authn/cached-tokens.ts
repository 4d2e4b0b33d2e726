import type { Clock } from '../ports.ts'
import { createExpiringCache } from '../webhook/expiring-cache.ts'
import { type Authentication, AuthenticationError, type TokenAuthenticator } from './authenticator.ts'

export interface TokenCacheOptions {
  /** Milliseconds that an accepted token is accepted without a look; it may outlive its expiry by so much. */
  readonly ttl: number
  /** Milliseconds that nobody's token is nobody's without a look; default 0. */
  readonly unknownTtl?: number
  /** Milliseconds that a bad token is bad without a look; default 0. Failures that are not the token's are never kept. */
  readonly errorTtl?: number
  readonly clock: Clock
}

/** Accepted tokens kept at most: a few for each node and namespace of a large cluster. */
const mostTokens = 32_768
/** The same for tokens that nobody accepts. Whoever sends them chooses their length: longer ones, in characters, are not kept. */
const mostRefused = 4_096
const longestRefused = 8_192

/** Remembers who tokens stand for. Requests with the same token at the same time share one answer. */
export function cachedTokens(
  authenticator: TokenAuthenticator,
  { ttl, unknownTtl = 0, errorTtl = 0, clock }: TokenCacheOptions,
): TokenAuthenticator {
  // Keyed by the token itself: an engine compares two strings only after their seeded hashes agree.
  const known = createExpiringCache<NonNullable<Authentication>>(mostTokens, clock)
  const refused = createExpiringCache<AuthenticationError | 'unknown'>(mostRefused, clock)
  const asked = new Map<string, Promise<Authentication>>()

  const keep = (key: string, found: Authentication): Authentication => {
    if (found !== undefined) known.set(key, found, ttl)
    else if (key.length <= longestRefused) refused.set(key, 'unknown', unknownTtl)
    return found
  }
  const keepError = (key: string, error: unknown): never => {
    if (error instanceof AuthenticationError && key.length <= longestRefused) refused.set(key, error, errorTtl)
    throw error
  }

  return {
    name: authenticator.name,
    authenticateToken(token, audiences) {
      const key = audiences === undefined ? token : `${token} ${JSON.stringify(audiences)}`
      const found = known.get(key) ?? asked.get(key)
      if (found !== undefined) return found
      const refusal = refused.get(key)
      if (refusal === 'unknown') return undefined
      if (refusal !== undefined) throw refusal
      const answer = authenticator.authenticateToken(token, audiences)
      if (!(answer instanceof Promise)) return keep(key, answer)
      const late = answer
        .then((each) => keep(key, each))
        .catch((error: unknown) => keepError(key, error))
        .finally(() => asked.delete(key))
      asked.set(key, late)
      return late
    },
  }
}
