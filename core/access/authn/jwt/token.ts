/** Parses compact JSON web tokens (RFC 7519) without verifying them. */
import { parseJson } from '../../../request/json.ts'
import type { Json } from '../../../schema/model.ts'
import { AuthenticationError } from '../authenticator.ts'

export type Claims = { readonly [name: string]: Json }

/** A token as it was sent: unverified. */
export interface JwtToken {
  readonly text: string
  readonly issuer: string
  readonly claims: Claims
  /** Duplicate names in the payload, which is refused although it can be parsed. */
  readonly faults: readonly string[]
}

export interface JwtHeader {
  readonly algorithm: string
  /** Empty: the token names no key. */
  readonly keyId: string
}

/** Maximum characters. The reference server is bounded by its header limit; parsing more than this takes milliseconds. */
const maxTokenLength = 256 * 1024

/** Allowed last characters by length modulo four (unused bits must be zero), so that the same bytes have only one encoding. */
const lastCharacters: { readonly [rest: number]: RegExp } = { 0: /^/, 2: /[AQgw]$/, 3: /[AEIMQUYcgkosw048]$/ }

/** Whether a string is unpadded base64url (RFC 7515 2). */
const isEncoded = (text: string) => /^[\w-]*$/.test(text) && lastCharacters[text.length % 4]?.test(text) === true

/** Decodes base64url; undefined when the string is not base64url. */
function decode(text: string): Uint8Array | undefined {
  if (!isEncoded(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

interface TokenPart {
  readonly members: Claims
  readonly duplicates: readonly string[]
}

/** Parses a part as a JSON object; undefined for anything else. */
function readPart(text: string | undefined): TokenPart | undefined {
  const bytes = text === undefined ? undefined : decode(text)
  if (bytes === undefined) return undefined
  try {
    const { value, duplicates } = parseJson(bytes, { duplicates: true, doubles: true })
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { members: value, duplicates } : undefined
  } catch {
    return undefined
  }
}

/** The claim of that name; undefined when absent. */
export const claimOf = (claims: Claims, name: string): Json | undefined => (Object.hasOwn(claims, name) ? claims[name] : undefined)

/** Google's issuer may leave out the scheme (OpenID Connect Core 1.0, 15.6.2). */
const schemeless = 'accounts.google.com'

/**
 * Parses a token; undefined when it is not a JWT with an issuer, so that other methods can try it. Throws an AuthenticationError when it
 * looks like a JWT but is too long to parse.
 */
export function readJwt(text: string): JwtToken | undefined {
  const parts = text.split('.', 4)
  if (text.length > maxTokenLength) {
    if (parts.length !== 3) return undefined
    throw new AuthenticationError(`jwt of ${text.length} characters: at most ${maxTokenLength} are read`)
  }
  const payload = parts.length === 3 && isEncoded(parts[2] ?? '') ? readPart(parts[1]) : undefined
  if (payload === undefined) return undefined
  const { members: claims, duplicates } = payload
  const issuer = claimOf(claims, 'iss')
  if (typeof issuer !== 'string' || issuer === '') return undefined
  return { text, issuer: issuer === schemeless ? `https://${schemeless}` : issuer, claims, faults: duplicates }
}

/** Parses the protected header. Throws an AuthenticationError when it is malformed, has `b64` (RFC 7797 7) or an unknown critical parameter. */
export function readHeader(text: string): JwtHeader {
  const header = readPart(text.split('.', 1)[0])
  if (header === undefined || header.duplicates.length > 0) throw new AuthenticationError('malformed jwt: header')
  if (claimOf(header.members, 'crit') !== undefined) throw new AuthenticationError('unsupported critical header in jwt')
  const [algorithm, keyId = ''] = [claimOf(header.members, 'alg'), claimOf(header.members, 'kid')]
  if (typeof algorithm !== 'string' || typeof keyId !== 'string') throw new AuthenticationError('malformed jwt: header')
  return { algorithm, keyId }
}
