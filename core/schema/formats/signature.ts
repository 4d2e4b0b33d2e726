/** Signatures in the forms of X.509 (RFC 5280, RFC 2986), verified with Web Crypto as far as it has the curves. */
import { bitsOf, childrenOf, type Der, oidOf, readDer, tags } from './der.ts'
import { verifiesP224 } from './p224.ts'

/** What is signed, and how. */
export interface Signed {
  /** AlgorithmIdentifier of the signature. */
  readonly signatureAlgorithm: Der
  readonly signature: Uint8Array<ArrayBuffer>
  /** The bytes that it covers. */
  readonly signed: Uint8Array<ArrayBuffer>
}

/** Bytes of a SubjectPublicKeyInfo. */
type KeyInfo = Uint8Array<ArrayBuffer>

type Curve = 'P-256' | 'P-384' | 'P-521'

/** Named curves by identifier (RFC 5480 2.1.1.1). */
export const curves: { readonly [oid: string]: Curve } = {
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
}
const p224 = '1.3.132.0.33'
const coordinateSizes: { readonly [C in Curve]: number } = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

const hashes: { readonly [oid: string]: string } = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
}

type Verify = (publicKey: KeyInfo, child: Signed) => Promise<boolean>

const rsa =
  (hash: string): Verify =>
  async (publicKey, child) => {
    const key = await crypto.subtle.importKey('spki', publicKey, { name: 'RSASSA-PKCS1-v1_5', hash }, false, ['verify'])
    return crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, child.signature, child.signed)
  }

const digest = async (hash: string, bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest(hash, bytes))

const ecdsa =
  (hash: string): Verify =>
  async (publicKey, child) => {
    if (curveId(publicKey) === p224) return verifiesP224(keyBits(publicKey), await digest(hash, child.signed), child.signature)
    const namedCurve = curveOf(publicKey)
    if (namedCurve === undefined) return false
    const key = await crypto.subtle.importKey('spki', publicKey, { name: 'ECDSA', namedCurve }, false, ['verify'])
    return crypto.subtle.verify({ name: 'ECDSA', hash }, key, plainSignature(child.signature, coordinateSizes[namedCurve]), child.signed)
  }

const rsaPss: Verify = async (publicKey, child) => {
  const { hash, saltLength } = pssOf(child.signatureAlgorithm)
  const key = await crypto.subtle.importKey('spki', publicKey, { name: 'RSA-PSS', hash }, false, ['verify'])
  return crypto.subtle.verify({ name: 'RSA-PSS', saltLength }, key, child.signature, child.signed)
}

const ed25519: Verify = async (publicKey, child) => {
  const key = await crypto.subtle.importKey('spki', publicKey, { name: 'Ed25519' }, false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, child.signature, child.signed)
}

/** What a signature algorithm needs: Go's name of the keys, and how they verify. */
interface Algorithm {
  readonly key: 'RSA' | 'DSA' | 'ECDSA' | 'Ed25519'
  readonly verify: Verify
}

const algorithm = (key: Algorithm['key'], verify: Verify): Algorithm => ({ key, verify })

/** Signature algorithms by identifier. MD5 and SHA-1 are left out on purpose. */
export const signatureAlgorithms: { readonly [oid: string]: Algorithm | undefined } = {
  '1.2.840.113549.1.1.10': algorithm('RSA', rsaPss),
  '1.2.840.113549.1.1.11': algorithm('RSA', rsa('SHA-256')),
  '1.2.840.113549.1.1.12': algorithm('RSA', rsa('SHA-384')),
  '1.2.840.113549.1.1.13': algorithm('RSA', rsa('SHA-512')),
  '1.2.840.10045.4.3.2': algorithm('ECDSA', ecdsa('SHA-256')),
  '1.2.840.10045.4.3.3': algorithm('ECDSA', ecdsa('SHA-384')),
  '1.2.840.10045.4.3.4': algorithm('ECDSA', ecdsa('SHA-512')),
  '1.3.101.112': algorithm('Ed25519', ed25519),
}

/** Those with SHA-1, which the reference accepts in certificate requests. */
export const sha1Algorithms: typeof signatureAlgorithms = {
  '1.2.840.113549.1.1.5': algorithm('RSA', rsa('SHA-1')),
  '1.2.840.10045.4.1': algorithm('ECDSA', ecdsa('SHA-1')),
}

/** Identifier of an AlgorithmIdentifier. Throws for other DER. */
export function algorithmId(identifier: Der): string {
  const [id] = childrenOf(identifier)
  return id === undefined ? '' : oidOf(id)
}

/** Whether a signature with ECDSA (ASN.1) and SHA-256, or Ed25519, is that of the key. False for malformed ones. */
export const verifies = (
  publicKey: KeyInfo,
  key: 'ECDSA' | 'Ed25519',
  signed: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
) =>
  (key === 'ECDSA' ? ecdsa('SHA-256') : ed25519)(publicKey, {
    signatureAlgorithm: readDer(Uint8Array.of(tags.null, 0)),
    signature,
    signed,
  }).catch(() => false)

/** Identifier of the curve of an elliptic curve key in SubjectPublicKeyInfo; undefined for other keys. */
function curveId(publicKey: Uint8Array): string | undefined {
  const [algorithm] = childrenOf(readDer(publicKey))
  const [id, parameters] = algorithm === undefined ? [] : childrenOf(algorithm)
  return id === undefined || parameters === undefined || oidOf(id) !== '1.2.840.10045.2.1' ? undefined : oidOf(parameters)
}

/** Curve, of those that Web Crypto has, of an elliptic curve key in SubjectPublicKeyInfo; undefined for other keys. */
export function curveOf(publicKey: Uint8Array): Curve | undefined {
  const id = curveId(publicKey)
  return id === undefined ? undefined : curves[id]
}

/** The key itself in SubjectPublicKeyInfo. */
function keyBits(publicKey: Uint8Array): Uint8Array {
  const [, key] = childrenOf(readDer(publicKey))
  return key === undefined ? new Uint8Array() : bitsOf(key)
}

/** Converts the DER sequence of a certificate's ECDSA signature to `r || s`, the form that Web Crypto takes. */
function plainSignature(signature: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const numbers = childrenOf(readDer(signature))
  const plain = new Uint8Array(2 * size)
  for (const [index, { tag, content }] of numbers.entries()) {
    const digits = content[0] === 0 ? content.slice(1) : content
    if (tag !== tags.integer || numbers.length !== 2 || digits.length > size) throw new Error('malformed ECDSA signature')
    plain.set(digits, (index + 1) * size - digits.length)
  }
  return plain
}

/** Parameters of RSASSA-PSS (RFC 4055 3.1). The hash must be present, because its default is SHA-1. */
export function pssOf(algorithm: Der): { hash: string; saltLength: number } {
  const [, parameters] = childrenOf(algorithm)
  const fields = new Map((parameters === undefined ? [] : childrenOf(parameters)).map(({ tag, content }) => [tag, readDer(content)]))
  const hashField = fields.get(0xa0)
  const saltField = fields.get(0xa2)
  const [id] = hashField === undefined ? [] : childrenOf(hashField)
  const hash = id === undefined ? undefined : hashes[oidOf(id)]
  if (hash === undefined) throw new Error('unsupported RSASSA-PSS parameters')
  return { hash, saltLength: saltField?.content.at(-1) ?? 20 }
}
