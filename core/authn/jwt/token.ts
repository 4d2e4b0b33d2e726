/** Reads compact JSON web tokens (RFC 7519) before anything in them is believed. */
import { parseJson } from '../../request/json.ts'
import type { Json } from '../../schema/model.ts'
import { AuthenticationError } from '../authenticator.ts'

export type Claims = { readonly [name: string]: Json }

/** A token as it was sent: nothing of it is verified. */
export interface JwtToken {
  readonly text: string
  readonly issuer: string
  readonly claims: Claims
  /** Faults that a payload may not have although it can be read: names that occur twice. */
  readonly faults: readonly string[]
}

export interface JwtHeader {
  readonly algorithm: string
  /** Empty: the token doesn't say which key signed it. */
  readonly keyId: string
}

/** Characters. The reference server reads what fits into its headers; reading one that is longer than this takes milliseconds. */
const longestToken = 256 * 1024

/** Last characters whose unused bits are zero, by length modulo four: bytes have one text only. */
const lastCharacters: { readonly [rest: number]: RegExp } = { 0: /^/, 2: /[AQgw]$/, 3: /[AEIMQUYcgkosw048]$/ }

/** Whether a text is unpadded base64url (RFC 7515 2). */
const isEncoded = (text: string) => /^[\w-]*$/.test(text) && lastCharacters[text.length % 4]?.test(text) === true

/** The bytes of base64url; undefined when it is none. */
function decode(text: string): Uint8Array | undefined {
  if (!isEncoded(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

interface Part {
  readonly members: Claims
  readonly duplicates: readonly string[]
}

/** A JSON object; undefined when the part is anything else. */
function readPart(text: string | undefined): Part | undefined {
  const bytes = text === undefined ? undefined : decode(text)
  if (bytes === undefined) return undefined
  try {
    const { value, duplicates } = parseJson(bytes, { duplicates: true, doubles: true })
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { members: value, duplicates } : undefined
  } catch {
    return undefined
  }
}

/** The claim of that name; undefined when there is none. */
export const claimOf = (claims: Claims, name: string): Json | undefined => (Object.hasOwn(claims, name) ? claims[name] : undefined)

/** This provider leaves out the scheme (OpenID Connect Core 1.0, 15.6.2). */
const schemeless = 'accounts.google.com'

/**
 * Reads a token; undefined when it is no JWT of any issuer, so that other methods may know it. Throws an AuthenticationError when it looks
 * like a JWT and is too long to be read.
 */
export function readJwt(text: string): JwtToken | undefined {
  const parts = text.split('.', 4)
  if (text.length > longestToken) {
    if (parts.length !== 3) return undefined
    throw new AuthenticationError(`jwt of ${text.length} characters: at most ${longestToken} are read`)
  }
  const payload = parts.length === 3 && isEncoded(parts[2] ?? '') ? readPart(parts[1]) : undefined
  if (payload === undefined) return undefined
  const { members: claims, duplicates } = payload
  const issuer = claimOf(claims, 'iss')
  if (typeof issuer !== 'string' || issuer === '') return undefined
  return { text, issuer: issuer === schemeless ? `https://${schemeless}` : issuer, claims, faults: duplicates }
}

/** The protected header. Throws an AuthenticationError when it can't be read, or asks for what a JWT may not (RFC 7797 7) or nothing here understands. */
export function readHeader(text: string): JwtHeader {
  const header = readPart(text.split('.', 1)[0])
  if (header === undefined || header.duplicates.length > 0) throw new AuthenticationError('malformed jwt: header')
  if (claimOf(header.members, 'crit') !== undefined) throw new AuthenticationError('unsupported critical header in jwt')
  const [algorithm, keyId = ''] = [claimOf(header.members, 'alg'), claimOf(header.members, 'kid')]
  if (typeof algorithm !== 'string' || typeof keyId !== 'string') throw new AuthenticationError('malformed jwt: header')
  return { algorithm, keyId }
}
