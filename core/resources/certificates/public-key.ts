/** Types and strengths of public keys (SubjectPublicKeyInfo, RFC 5280) in certificate requests. */
import { childrenOf, type Der, oidOf, readDer, tags } from '../../schema/formats/der.ts'
import { signedParts } from './signed-form.ts'

export type PublicKey =
  | { readonly type: 'RSA'; readonly bits: number }
  | { readonly type: 'ECDSA'; readonly curve: string }
  | { readonly type: 'Ed25519' }

/** Names and bytes of a coordinate of the curves that the reference can parse. */
const curves: { readonly [oid: string]: { readonly name: string; readonly size: number } | undefined } = {
  '1.3.132.0.33': { name: 'P-224', size: 28 },
  '1.2.840.10045.3.1.7': { name: 'P-256', size: 32 },
  '1.3.132.0.34': { name: 'P-384', size: 48 },
  '1.3.132.0.35': { name: 'P-521', size: 66 },
}

/** A reader throws an Error for a malformed key. */
type Reader = (parameters: Der | undefined, key: Uint8Array) => PublicKey | 'unknown'

function malformed(what: string): never {
  throw new Error(`malformed ${what}`)
}

/** Readers by algorithm; those that requests may not use are parsed by the reference, too: X25519 (RFC 8410) and DSA. */
const readers: { readonly [oid: string]: Reader | undefined } = {
  '1.2.840.113549.1.1.1': (parameters, key) => {
    const [modulus, exponent] = childrenOf(readDer(key))
    const bytes = modulus?.content ?? new Uint8Array()
    if (parameters?.tag !== tags.null || exponent?.tag !== tags.integer || modulus?.tag !== tags.integer) malformed('RSA key')
    const first = bytes.findIndex((byte) => byte !== 0)
    if (first < 0 || (bytes[0] ?? 0) >= 0x80) malformed('RSA modulus')
    return { type: 'RSA', bits: (bytes.length - first) * 8 }
  },
  '1.2.840.10045.2.1': (parameters, key) => {
    const curve = parameters && curves[oidOf(parameters)]
    if (curve === undefined || key[0] !== 0x04 || key.length !== 1 + 2 * curve.size) malformed('ECDSA key')
    return { type: 'ECDSA', curve: curve.name }
  },
  '1.3.101.112': (parameters, key) => (parameters || key.length !== 32 ? malformed('Ed25519 key') : { type: 'Ed25519' }),
  '1.3.101.110': (parameters, key) => (parameters || key.length !== 32 ? malformed('X25519 key') : 'unknown'),
  '1.2.840.10040.4.1': () => 'unknown',
}

function parts(info: Der): { readonly read: Reader | undefined; readonly parameters: Der | undefined; readonly key: Uint8Array } {
  const [algorithm, key] = childrenOf(info)
  if (algorithm === undefined || key?.tag !== tags.bitString) malformed('public key')
  const [id, parameters] = childrenOf(algorithm)
  return { read: id && readers[oidOf(id)], parameters, key: key.content.subarray(1) }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Undefined: the bytes are no key that the reference can parse; `unknown`: no type of key that a request may have. */
export function publicKey(bytes: Uint8Array): PublicKey | 'unknown' | undefined {
  return attempt(() => {
    const { read, parameters, key } = parts(readDer(bytes))
    return read?.(parameters, key)
  })
}

/** The key in a CertificationRequest (RFC 2986), as `publicKey`; a key of another algorithm is unknown, and the request well-formed. */
export function requestedKey(request: Uint8Array): PublicKey | 'unknown' | undefined {
  const [version, subject, info] = signedParts(request) ?? []
  if (version?.tag !== tags.integer || subject?.tag !== tags.sequence || info === undefined) return undefined
  return attempt(() => {
    const { read, parameters, key } = parts(info)
    return read ? read(parameters, key) : 'unknown'
  })
}
