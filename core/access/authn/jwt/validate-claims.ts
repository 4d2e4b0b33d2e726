/** Claims that are checked before the signature, because that is cheaper (OpenID Connect Core 1.0, 3.1.3.7). */
import type { Json } from '../../../schema/model.ts'
import { AuthenticationError } from '../authenticator.ts'
import { type Claims, claimOf, type JwtToken } from './token.ts'

/** Tolerated clock skew for `nbf`, in seconds; `exp` has no tolerance. */
const leeway = 60

/** Claims that must be strings when present. */
const texts = ['sub', 'nonce', 'at_hash'] as const

/** A NumericDate (RFC 7519 2) in whole seconds, which some issuers write as a string; undefined when absent. */
function timeOf(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name)
  if (value === undefined || value === null) return undefined
  const numeric = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
  const seconds = numeric ? Math.trunc(Number(value)) : Number.NaN
  if (!Number.isSafeInteger(seconds)) throw new AuthenticationError(`failed to unmarshal claims: ${name} is no time`)
  return seconds
}

function audiencesOf(claims: Claims): readonly string[] {
  const value = claimOf(claims, 'aud')
  if (value === undefined || value === null) return []
  const list: readonly Json[] = Array.isArray(value) ? value : [value]
  if (!list.every((each) => typeof each === 'string'))
    throw new AuthenticationError('failed to unmarshal claims: aud is no list of strings')
  return list
}

/** Validates issuer, audience, `exp` and `nbf`. `now` is in milliseconds since the epoch. Throws an AuthenticationError. */
export function validateTokenClaims(
  { claims, issuer, faults }: JwtToken,
  expected: string,
  audiences: readonly string[],
  now: number,
): void {
  const [fault] = faults
  if (fault !== undefined) throw new AuthenticationError(`failed to unmarshal claims: ${fault}`)
  for (const name of texts) {
    const value = claimOf(claims, name) ?? ''
    if (typeof value !== 'string') throw new AuthenticationError(`failed to unmarshal claims: ${name} is no string`)
  }
  if (issuer !== expected) {
    throw new AuthenticationError(
      `id token issued by a different provider, expected ${JSON.stringify(expected)} got ${JSON.stringify(issuer)}`,
    )
  }
  const given = audiencesOf(claims)
  if (!given.some((each) => audiences.includes(each))) {
    throw new AuthenticationError(`expected audience in ${JSON.stringify(audiences)} got ${JSON.stringify(given)}`)
  }
  timeOf(claims, 'iat')
  const [expiry, begin] = [timeOf(claims, 'exp') ?? 0, timeOf(claims, 'nbf')]
  if (expiry * 1000 < now) throw new AuthenticationError(`token is expired (token expiry: ${expiry})`)
  if (begin !== undefined && now + leeway * 1000 < begin * 1000)
    throw new AuthenticationError(`current time before the nbf (not before) time: ${begin}`)
}
