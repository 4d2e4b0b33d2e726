import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import { type Authentication, AuthenticationError, type TokenAuthenticator } from './authenticator.ts'
import { checkBoundObjects, type ObjectLookup } from './bound-objects.ts'
import type { VerificationKey } from './keys.ts'
import { type AccountClaims, accountUser, readAccountClaims } from './service-account-claims.ts'
import { issuerOf, verifyToken } from './token-verifier.ts'

export interface ServiceAccountOptions {
  /** Accepted values of the claim `iss`. */
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** Audiences that this server is one of (`--api-audiences`). */
  readonly audiences: readonly string[]
  readonly lookup: ObjectLookup
  readonly platform: Platform
  readonly clock: Clock
}

/** Verified tokens kept at most; the one that was verified first goes first. */
const maxTokens = 10_000
/** Whether the account and the bound object still exist is asked again after so long. Milliseconds. */
const lookupTtl = 2_000

interface Verified {
  readonly claims: AccountClaims
  readonly audiences: readonly string[]
  readonly user: NonNullable<Authentication>['user']
  /** Milliseconds since the epoch. */
  readonly expires: number
  /** The answer for this server's own audiences, and until when it holds without a look-up. */
  own?: NonNullable<Authentication>
  fresh: number
}

/**
 * Accepts tokens of service accounts that this server's keys signed. Signatures are verified once per token; afterwards only
 * expiry is checked, and that the account and the object the token is bound to are still the same.
 */
export function serviceAccountTokens(options: ServiceAccountOptions): TokenAuthenticator {
  const { issuers, keys, audiences: ownAudiences, lookup, platform, clock } = options
  // Keyed by the token itself: an engine compares two strings only after their seeded hashes agree.
  const known = new Map<string, Verified>()

  const verify = async (token: string): Promise<Verified> => {
    const { payload, audiences, expires } = await verifyToken(token, keys, issuers, clock.now())
    const claims = readAccountClaims(payload, platform)
    const user = accountUser(claims, payload.jti, platform)
    const verified: Verified = { claims, audiences, user, expires, fresh: 0 }
    if (known.size >= maxTokens) for (const oldest of known.keys()) if (known.delete(oldest)) break
    known.set(token, verified)
    return verified
  }

  const accept = (
    verified: Verified,
    requested?: readonly string[],
  ): NonNullable<Authentication> | Promise<NonNullable<Authentication>> => {
    const { user, claims } = verified
    // A token without audiences is meant for this server.
    const given = verified.audiences.length === 0 ? ownAudiences : verified.audiences
    const wanted = requested ?? ownAudiences
    const audiences = given.filter((audience) => wanted.includes(audience))
    if (audiences.length === 0) {
      const show = (list: readonly string[]) => `[${list.map((audience) => JSON.stringify(audience)).join(' ')}]`
      throw new AuthenticationError(`token audiences ${show(given)} is invalid for the target audiences ${show(wanted)}`)
    }
    const answer = (): NonNullable<Authentication> => {
      if (requested !== undefined) return { user, audiences }
      verified.fresh = clock.now() + lookupTtl
      verified.own ??= { user, audiences }
      return verified.own
    }
    const check = checkBoundObjects(claims, lookup, clock.now())
    return check === undefined ? answer() : check.then(answer)
  }

  return {
    name: 'service-account',
    authenticateToken: (token, requested) => {
      const verified = known.get(token)
      if (verified === undefined) {
        const issuer = issuerOf(token)
        if (issuer === undefined || !issuers.includes(issuer)) return undefined
        return verify(token).then((fresh) => accept(fresh, requested))
      }
      const now = clock.now()
      if (now > verified.expires) {
        known.delete(token)
        throw new AuthenticationError('service account token has expired')
      }
      return requested === undefined && now < verified.fresh && verified.own !== undefined ? verified.own : accept(verified, requested)
    },
  }
}
