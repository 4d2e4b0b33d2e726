import type { JWTPayload } from 'jose'
import { messageOf } from '../../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import type { KeySource, VerificationKey } from '../certificate/keys.ts'

/** Tolerated clock skew between issuer and verifier, in seconds. */
const leeway = 60

interface VerifiedToken {
  readonly payload: JWTPayload
  readonly audiences: readonly string[]
  /** Milliseconds since the epoch, leeway included. */
  readonly expires: number
}

/** The unverified claim `iss` of a compact JWT; use it only to select the verifier. */
export function issuerOf(token: string): string | undefined {
  const [, payload, , ...rest] = token.split('.', 4)
  if (payload === undefined || rest.length > 0) return undefined
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof claims === 'object' && claims !== null && 'iss' in claims && typeof claims.iss === 'string' ? claims.iss : undefined
  } catch {
    return undefined
  }
}

export interface Verification {
  readonly keys: KeySource
  /** Accepted values of the claim `iss`. */
  readonly issuers: readonly string[]
  /** Whether tokens without `exp` are refused. */
  readonly mustExpire: boolean
}

/**
 * Verifies signature, issuer and times of a JWT. Each key has one algorithm, so that a token can't choose how it is
 * verified (RFC 8725 3.1). `now` is in milliseconds. Rejects with an AuthenticationError.
 */
export async function verifyToken(token: string, { keys, issuers, mustExpire }: Verification, now: number): Promise<VerifiedToken> {
  const { decodeProtectedHeader, jwtVerify } = await import('../jose.ts')
  let problem: unknown
  for (const { key, algorithm } of await candidates(decodeProtectedHeader, token, keys)) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer: [...issuers],
        currentDate: new Date(now),
        clockTolerance: leeway,
        requiredClaims: mustExpire ? ['exp'] : [],
      })
      if ((payload.iat ?? 0) > now / 1000 + leeway) throw new AuthenticationError('service account token is not valid yet')
      const audiences = payload.aud === undefined ? [] : [payload.aud].flat()
      const { exp = Number.POSITIVE_INFINITY } = payload
      return { payload, audiences, expires: (exp + leeway) * 1000 }
    } catch (error) {
      problem = error
    }
  }
  throw new AuthenticationError(explain(problem))
}

/** Keys that may have signed a token: those of its algorithm and, if it names one, its key id. */
async function candidates(
  decodeProtectedHeader: (token: string) => { alg?: string; kid?: string },
  token: string,
  keys: KeySource,
): Promise<readonly VerificationKey[]> {
  let header: { alg?: string; kid?: string }
  try {
    header = decodeProtectedHeader(token)
  } catch {
    throw new AuthenticationError('malformed token')
  }
  const named = await keys.keysFor(typeof header.kid === 'string' && header.kid !== '' ? header.kid : undefined)
  if (named.length === 0) throw new AuthenticationError('invalid signature, no keys found')
  return named.filter(({ algorithm }) => algorithm === header.alg)
}

function explain(problem: unknown): string {
  if (problem === undefined) return 'no key for the algorithm of the token'
  if (problem instanceof AuthenticationError) return problem.message
  const { code, claim } = problem as { code?: string; claim?: string }
  if (code === 'ERR_JWT_EXPIRED') return 'service account token has expired'
  if (claim === 'nbf') return 'service account token is not valid yet'
  return `service account token could not be validated: ${messageOf(problem)}`
}
