/** Certificates made with a library that the tested code does not use. */
import '../reflect.ts'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Connection } from '../../../../../core/ports.ts'

cryptoProvider.set(crypto)

export const now = Date.UTC(2026, 0, 15)
const day = 86_400_000

export interface Identity {
  readonly certificate: X509Certificate
  readonly keys: CryptoKeyPair
}

type SigningAlgorithm = { name: string; namedCurve?: string; hash?: string; modulusLength?: number; publicExponent?: Uint8Array }

export const algorithms = {
  p256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  p384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  p521: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  p256Sha384: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-384' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
  rsaSha512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
  rsaSha1: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
  ed25519: { name: 'Ed25519' },
} satisfies { [name: string]: SigningAlgorithm }

export const clientAuth = new ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2'])
export const serverAuth = new ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1'])
export const anyUse = new ExtendedKeyUsageExtension(['2.5.29.37.0'])
export const authority = (pathLength?: number) => [
  new BasicConstraintsExtension(true, pathLength, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
]

export const notSigning = [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
]
export const extension = (type: string, critical: boolean, value: Uint8Array<ArrayBuffer>) => new Extension(type, critical, value)

interface Wish {
  readonly subject: string | JsonNameParams
  readonly issuer?: Identity
  readonly algorithm?: SigningAlgorithm
  readonly extensions?: readonly Extension[]
  /** Validity in days before and after `now`. */
  readonly from?: number
  readonly to?: number
}

let serial = 1

/** Issues a certificate; without an issuer it is self-signed. */
export async function issue(wish: Wish): Promise<Identity> {
  const { subject, issuer, algorithm = algorithms.p256, extensions = [], from = 1, to = 30 } = wish
  const name = new Name(subject)
  const keys = (await crypto.subtle.generateKey(algorithm as EcKeyGenParams, true, ['sign', 'verify'])) as CryptoKeyPair
  const certificate = await X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16).padStart(4, '0'),
    subject: name,
    issuer: issuer?.certificate.subjectName ?? name,
    notBefore: new Date(now - from * day),
    notAfter: new Date(now + to * day),
    signingAlgorithm: (issuer === undefined ? algorithm : signing(issuer, algorithm)) as EcdsaParams,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [...extensions],
  })
  return { certificate, keys }
}

/** The issuer's signature algorithm, with the requested hash if the key type allows it. */
function signing({ keys }: Identity, wished: SigningAlgorithm): SigningAlgorithm {
  const own = keys.privateKey.algorithm as SigningAlgorithm & { hash?: { name: string } }
  const hash = own.hash === undefined ? (own.name === wished.name ? wished.hash : 'SHA-256') : (own.hash as { name: string }).name
  return { name: own.name, ...(own.name !== 'Ed25519' && { hash: hash ?? 'SHA-256' }) }
}

export const der = ({ certificate }: Identity) => new Uint8Array(certificate.rawData)
export const pem = ({ certificate }: Identity) => certificate.toString('pem')

/** A TLS connection whose client sends this chain, leaf first. */
export const connectionWith = (...chain: readonly Identity[]): Connection => ({
  remoteAddress: '127.0.0.1',
  remotePort: 1,
  protocol: 'h2',
  tls: { version: 'TLSv1.3', peerCertificates: chain.map(der) },
})
