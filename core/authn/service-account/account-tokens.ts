/** Tokens that stand for service accounts, of either kind: verified once, then looked up again every moment. */
import type { JWTPayload } from 'jose'
import type { Clock } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import { type Accepted, AuthenticationError, type TokenAuthenticator } from '../authenticator.ts'
import type { AccountTokenObserver } from '../observer.ts'
import { issuerOf, type Verification, verifyToken } from './verifier.ts'

/** What a use of a token leaves behind. */
export type Notes = Pick<Accepted, 'warnings' | 'annotations'>
export const noNotes: Notes = {}

/** What a verified token says. */
export interface AccountToken {
  readonly user: User
  /** Throws an AuthenticationError, or rejects with one, when what the token depends on is gone. */
  check(): Notes | Promise<Notes>
}

/** A kind of tokens. */
export interface AccountTokens extends Verification {
  readonly name: string
  /** Throws an AuthenticationError when the claims are not of this kind. */
  read(payload: JWTPayload, token: string): AccountToken
  /** Audiences that this server is one of (`--api-audiences`). */
  readonly audiences: readonly string[]
  readonly clock: Clock
  readonly observer: AccountTokenObserver
}

/** Verified tokens kept at most; the one that was verified first goes first. */
const maxTokens = 10_000
/** Whether the account and the bound object still exist is asked again after so long. Milliseconds. */
const lookupTtl = 2_000

interface Verified extends AccountToken {
  readonly audiences: readonly string[]
  /** Milliseconds since the epoch. */
  readonly expires: number
  /** The answer for this server's own audiences, and until when it holds without a look-up. */
  own?: Accepted
  notes?: Notes
  fresh: number
}

const show = (list: readonly string[]) => `[${list.map((audience) => JSON.stringify(audience)).join(' ')}]`

/**
 * Accepts tokens of the given kind. Signatures are verified once per token; afterwards only expiry is checked, and what the kind
 * checks. No opinion on tokens of other issuers.
 */
export function accountTokens(kind: AccountTokens): TokenAuthenticator {
  const { issuers, audiences: ownAudiences, clock, observer } = kind
  // Keyed by the token itself: an engine compares two strings only after their seeded hashes agree.
  const known = new Map<string, Verified>()

  const verify = async (token: string): Promise<Verified> => {
    const { payload, audiences, expires } = await verifyToken(token, kind, clock.now())
    const verified: Verified = { ...kind.read(payload, token), audiences, expires, fresh: 0 }
    if (known.size >= maxTokens) for (const oldest of known.keys()) if (known.delete(oldest)) break
    known.set(token, verified)
    return verified
  }

  const accept = (verified: Verified, requested?: readonly string[]): Accepted | Promise<Accepted> => {
    const { user } = verified
    if (verified.audiences.length === 0) observer('legacy')
    // A token without audiences is meant for this server.
    const given = verified.audiences.length === 0 ? ownAudiences : verified.audiences
    const wanted = requested ?? ownAudiences
    const audiences = given.filter((audience) => wanted.includes(audience))
    if (audiences.length === 0) {
      throw new AuthenticationError(`token audiences ${show(given)} is invalid for the target audiences ${show(wanted)}`)
    }
    const answer = (notes: Notes): Accepted => {
      if (requested !== undefined) return { user, audiences, ...notes }
      verified.fresh = clock.now() + lookupTtl
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
