/** Service account tokens, legacy or from TokenRequests. Results are cached: signatures until the keys change, bound objects for two seconds. */
import type { JWTPayload } from 'jose'
import type { Clock } from '../../../ports.ts'
import type { User } from '../../../request/exchange.ts'
import { type Accepted, AuthenticationError, type TokenAuthenticator } from '../authenticator.ts'
import type { AccountTokenMetrics } from './metrics.ts'
import { issuerOf, type Verification, verifyToken } from './verifier.ts'

/** Warnings and audit annotations that the use of a token adds. */
export type Notes = Pick<Accepted, 'warnings' | 'annotations'>
export const noNotes: Notes = {}

/** A token with a verified signature. */
export interface AccountToken {
  readonly user: User
  /** Throws an AuthenticationError, or rejects with one, when an object that the token depends on is gone. */
  check(): Notes | Promise<Notes>
}

/** A kind of service account token. */
export interface AccountTokens extends Verification {
  readonly name: string
  /** Throws an AuthenticationError when the claims belong to another kind. */
  read(payload: JWTPayload, token: string): AccountToken
  /** This server's own audiences (`--api-audiences`). */
  readonly audiences: readonly string[]
  readonly clock: Clock
  readonly metrics: AccountTokenMetrics
}

/** Maximum cached tokens; the oldest verified is evicted first. */
const maxTokens = 10_000
/** Milliseconds between checks that the account and the bound object still exist. */
const lookupTtl = 2_000

interface Verified extends AccountToken {
  /** Of the keys. */
  readonly version: number
  readonly audiences: readonly string[]
  /** Milliseconds since the epoch. */
  readonly expires: number
  /** Cached result for this server's own audiences; valid without a look-up until `fresh`. */
  own?: Accepted
  notes?: Notes
  fresh: number
}

const show = (list: readonly string[]) => `[${list.map((audience) => JSON.stringify(audience)).join(' ')}]`

/**
 * Authenticates tokens of the given kind. The signature is verified once while the token is cached and the keys stay; later requests check expiry
 * and the kind's `check` only. No opinion on tokens of other issuers.
 */
export function accountTokens(kind: AccountTokens): TokenAuthenticator {
  const { issuers, keys, audiences: ownAudiences, clock, metrics } = kind
  // Keyed by the token itself, without a digest: string-keyed maps compare contents only after their seeded hashes match.
  const known = new Map<string, Verified>()

  const verify = async (token: string): Promise<Verified> => {
    const version = keys.version()
    const { payload, audiences, expires } = await verifyToken(token, kind, clock.now())
    const verified: Verified = { ...kind.read(payload, token), version, audiences, expires, fresh: 0 }
    if (known.size >= maxTokens) for (const oldest of known.keys()) if (known.delete(oldest)) break
    known.set(token, verified)
    return verified
  }

  const accept = (verified: Verified, requested?: readonly string[]): Accepted | Promise<Accepted> => {
    const { user } = verified
    if (verified.audiences.length === 0) metrics.legacy.add([])
    // A token without audiences is valid for this server's own audiences.
    const given = verified.audiences.length === 0 ? ownAudiences : verified.audiences
    const wanted = requested ?? ownAudiences
    const audiences = given.filter((audience) => wanted.includes(audience))
    if (audiences.length === 0) {
      throw new AuthenticationError(`token audiences ${show(given)} is invalid for the target audiences ${show(wanted)}`)
    }
    const answer = (notes: Notes): Accepted => {
      if (requested !== undefined) return { user, audiences, ...notes }
      verified.fresh = clock.monotonic() + lookupTtl
      if (verified.own === undefined || verified.notes !== notes) verified.own = { user, audiences, ...notes }
      verified.notes = notes
      return verified.own
    }
    const check = verified.check()
    return check instanceof Promise ? check.then(answer) : answer(check)
  }

  return {
    name: kind.name,
    authenticateToken: (token, requested) => {
      const verified = known.get(token)
      if (verified === undefined || verified.version !== keys.version()) {
        known.delete(token)
        const issuer = issuerOf(token)
        if (issuer === undefined || !issuers.includes(issuer)) return undefined
        return verify(token).then((fresh) => accept(fresh, requested))
      }
      if (clock.now() > verified.expires) {
        known.delete(token)
        throw new AuthenticationError('service account token has expired')
      }
      return requested === undefined && clock.monotonic() < verified.fresh && verified.own !== undefined
        ? verified.own
        : accept(verified, requested)
    },
  }
}
