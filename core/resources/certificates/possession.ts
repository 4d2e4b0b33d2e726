/** Proofs that a requester has the private key of a certificate: signatures of certificate requests (RFC 2986) and of pods' UIDs (KEP-4317). */
import { bitsOf, childrenOf, type Der, readDer } from '../../schema/formats/der.ts'
import { algorithmId, pssOf, sha1Algorithms, signatureAlgorithms, verifies } from '../../schema/formats/signature.ts'
import { pssSaltLength } from './pss-salt.ts'
import { publicKey } from './public-key.ts'

/** Go's names of types of keys. */
const goTypes = { RSA: '*rsa.PublicKey', ECDSA: '*ecdsa.PublicKey', Ed25519: 'ed25519.PublicKey' }
const failures = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
}
const unimplemented = 'x509: cannot verify signature: algorithm unimplemented'
const md5 = '1.2.840.113549.1.1.4'

/** Bits of the moduli that proofs may have; others are refused as such. */
export const allowedSizes: readonly number[] = [3072, 4096]

/** Of keys that requests can't have. */
const dsa = { key: 'DSA', verify: async () => false } as const
const pss = '1.2.840.113549.1.1.10'
/** Bits of the least modulus that Go takes. */
const minModulus = 1024

const verifiable: typeof signatureAlgorithms = {
  ...signatureAlgorithms,
  ...sha1Algorithms,
  '1.2.840.10040.4.3': dsa,
  '2.16.840.1.101.3.4.3.2': dsa,
}

/** Whether the parameters of RSASSA-PSS are those that Go knows: a salt as long as the hash. */
function isKnownPss(identifier: Der): boolean {
  try {
    const { hash, saltLength } = pssOf(identifier)
    return hash === `SHA-${8 * saltLength}`
  } catch {
    return false
  }
}

/** Why the signature of a well-formed CertificationRequest is none of its key, in Go's words; undefined: it is. */
export async function requestSignatureFault(request: Uint8Array): Promise<string | undefined> {
  const [content, signatureAlgorithm, bits] = childrenOf(readDer(request))
  const info = content && childrenOf(content)[2]
  if (content === undefined || signatureAlgorithm === undefined || bits === undefined || info === undefined) return undefined
  const id = algorithmId(signatureAlgorithm)
  if (id === md5) return 'x509: cannot verify signature: insecure algorithm MD5-RSA'
  const key = publicKey(info.raw)
  if (key === undefined || key === 'unknown') return unimplemented
  const algorithm = verifiable[id]
  if (algorithm === undefined || (id === pss && !isKnownPss(signatureAlgorithm))) return unimplemented
  if (algorithm.key !== key.type)
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${goTypes[key.type]}`
  if (key.type === 'RSA' && key.bits < minModulus)
    return `crypto/rsa: ${key.bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`
  const isValid = await algorithm.verify(info.raw, { signatureAlgorithm, signature: bitsOf(bits), signed: content.raw }).catch(() => false)
  return isValid ? undefined : failures[key.type]
}

/** Whether the proof is a signature of the text with the key, a SubjectPublicKeyInfo: of its SHA-256 with RSASSA-PSS or ECDSA, or with Ed25519. */
export async function isProof(keyBytes: Uint8Array, text: string, proofBytes: Uint8Array): Promise<boolean> {
  const [keyInfo, proof] = [new Uint8Array(keyBytes), new Uint8Array(proofBytes)]
  const key = publicKey(keyInfo)
  if (key === undefined || key === 'unknown') return false
  const signed = new TextEncoder().encode(text)
  if (key.type === 'RSA' && !allowedSizes.includes(key.bits)) return true
  if (key.type !== 'RSA') return verifies(keyInfo, key.type, signed, proof)
  try {
    const saltLength = await pssSaltLength(keyInfo, proof)
    if (saltLength === undefined) return false
    const imported = await crypto.subtle.importKey('spki', keyInfo, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'RSA-PSS', saltLength }, imported, proof, signed)
  } catch {
    return false
  }
}
