import type { JWTPayload } from 'jose'
import { AuthenticationError } from './authenticator.ts'
import type { VerificationKey } from './keys.ts'

/** Clocks of issuer and verifier may differ by so much. Seconds. */
const leeway = 60

interface VerifiedToken {
  readonly payload: JWTPayload
  readonly audiences: readonly string[]
  /** Milliseconds since the epoch, leeway included. */
  readonly expires: number
}

/** The claim `iss` of a compact JWT, unverified: it tells whose token this might be, no more. */
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

/**
 * Verifies signature, issuer and times of a JWT. Each key goes with its one algorithm, so that a token can't choose how it is
 * verified (RFC 8725 3.1). A token without an expiry is refused. `now` is in milliseconds. Rejects with an AuthenticationError.
 */
export async function verifyToken(
  token: string,
  keys: readonly VerificationKey[],
  issuers: readonly string[],
  now: number,
): Promise<VerifiedToken> {
  const { decodeProtectedHeader, jwtVerify } = await import('jose')
  let problem: unknown
  for (const { key, algorithm } of candidates(decodeProtectedHeader, token, keys)) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer: [...issuers],
        currentDate: new Date(now),
        clockTolerance: leeway,
        requiredClaims: ['exp'],
      })
      if ((payload.iat ?? 0) > now / 1000 + leeway) throw new AuthenticationError('service account token is not valid yet')
      const audiences = payload.aud === undefined ? [] : [payload.aud].flat()
      return { payload, audiences, expires: ((payload.exp ?? 0) + leeway) * 1000 }
    } catch (error) {
      problem = error
    }
  }
  throw new AuthenticationError(explain(problem))
}

/** Keys that may have signed a token: those with its algorithm, and its key id if any of them has that. */
function candidates(
  decodeProtectedHeader: (token: string) => { alg?: string; kid?: string },
  token: string,
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  let header: { alg?: string; kid?: string }
  try {
    header = decodeProtectedHeader(token)
  } catch {
    throw new AuthenticationError('malformed token')
  }
  const fitting = keys.filter(({ algorithm }) => algorithm === header.alg)
  const named = fitting.filter(({ id }) => id === header.kid)
  return named.length > 0 ? named : fitting
}

function explain(problem: unknown): string {
  if (problem === undefined) return 'no key for the algorithm of the token'
  if (problem instanceof AuthenticationError) return problem.message
  const { code, claim } = problem as { code?: string; claim?: string }
  if (code === 'ERR_JWT_EXPIRED') return 'service account token has expired'
  if (claim === 'nbf') return 'service account token is not valid yet'
  return `service account token could not be validated: ${problem instanceof Error ? problem.message : String(problem)}`
}
