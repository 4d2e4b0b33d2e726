import { encodeBase64 } from '../../../schema/formats/base64.ts'
import { childrenOf, oidOf, readDer, tags, writeDer } from '../../../schema/formats/der.ts'
import { type PemBlock, pemBlocks } from '../../../schema/formats/pem.ts'
import { curveOf, curves } from '../../../schema/formats/signature.ts'
import { parseCertificate } from './certificate.ts'

/** JWS algorithm (RFC 7518 3.1) of a key; chosen by the key, never by the token. */
export type JwsAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512'

export interface VerificationKey {
  readonly algorithm: JwsAlgorithm
  /** base64url of the SHA-256 of the SubjectPublicKeyInfo. */
  readonly id: string
  readonly key: CryptoKey
  /** The key as an entry of a JWKS document (RFC 7517). */
  readonly jwk: { readonly [member: string]: string }
}

/** Keys that verify service account tokens; they may change. */
export interface KeySource {
  /** The keys with this id; without one, all keys. Never rejects: unavailable keys are left out. */
  keysFor(id: string | undefined): readonly VerificationKey[] | Promise<readonly VerificationKey[]>
  /** Changes whenever the keys change: what they have verified before may not hold any more. */
  version(): number
  /** Keys listed in the issuer's JWKS document. */
  published(): readonly VerificationKey[]
  /** Cache-Control max-age of that document in seconds. */
  maxAge(): number
}

/** Keys that never change. */
export function fixedKeys(keys: readonly VerificationKey[]): KeySource {
  return {
    keysFor: (id) => (id === undefined ? keys : keys.filter((key) => key.id === id)),
    version: () => 0,
    published: () => keys,
    maxAge: () => 3600,
  }
}

export interface SigningKey extends Omit<VerificationKey, 'key' | 'jwk'> {
  readonly key: CryptoKey
}

const rsaId = '1.2.840.113549.1.1.1'
const ecAlgorithms = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' } as const
const rsaEncryption = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01)
const ecPublicKey = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01)

const rsaIdentifier = () => writeDer(tags.sequence, writeDer(tags.oid, rsaEncryption), writeDer(tags.null))
const pkcs8 = (algorithm: Uint8Array, key: Uint8Array) =>
  writeDer(tags.sequence, writeDer(tags.integer, Uint8Array.of(0)), algorithm, writeDer(tags.octetString, key))

type Encoded = { readonly format: 'spki' | 'pkcs8'; readonly bytes: Uint8Array<ArrayBuffer> }

/** Key encodings by PEM label: PKCS #8, SubjectPublicKeyInfo, and the older PKCS #1 and SEC 1. */
const readers: { readonly [label: string]: (bytes: Uint8Array<ArrayBuffer>) => Encoded } = {
  'PUBLIC KEY': (bytes) => ({ format: 'spki', bytes }),
  'PRIVATE KEY': (bytes) => ({ format: 'pkcs8', bytes }),
  CERTIFICATE: (bytes) => ({ format: 'spki', bytes: parseCertificate(bytes).publicKey }),
  'RSA PUBLIC KEY': (bytes) => ({
    format: 'spki',
    bytes: writeDer(tags.sequence, rsaIdentifier(), writeDer(tags.bitString, Uint8Array.of(0), bytes)),
  }),
  'RSA PRIVATE KEY': (bytes) => ({ format: 'pkcs8', bytes: pkcs8(rsaIdentifier(), bytes) }),
  'EC PRIVATE KEY': (bytes) => {
    const parameters = childrenOf(readDer(bytes)).find(({ tag }) => tag === 0xa0)
    if (parameters === undefined) throw new Error('EC private key names no curve')
    return { format: 'pkcs8', bytes: pkcs8(writeDer(tags.sequence, writeDer(tags.oid, ecPublicKey), parameters.content), bytes) }
  },
}

function encodedKeys(pem: string): Encoded[] {
  return pemBlocks(pem).flatMap(({ label, bytes }: PemBlock) => {
    const read = Object.hasOwn(readers, label) ? readers[label] : undefined
    return read === undefined ? [] : [read(bytes)]
  })
}

function algorithmOf({ format, bytes }: Encoded): JwsAlgorithm {
  const identifier = childrenOf(readDer(bytes))[format === 'spki' ? 0 : 1]
  const [id, parameters] = identifier === undefined ? [] : childrenOf(identifier)
  if (id !== undefined && oidOf(id) === rsaId) return 'RS256'
  const curve = format === 'spki' ? curveOf(bytes) : parameters?.tag === tags.oid ? curves[oidOf(parameters)] : undefined
  if (curve === undefined) throw new Error('unsupported key: use RSA, or ECDSA on P-256, P-384 or P-521')
  return ecAlgorithms[curve]
}

const parametersOf = (algorithm: JwsAlgorithm) =>
  algorithm === 'RS256'
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[algorithm] }

/** Without padding (RFC 4648 5). */
export const base64url = (bytes: Uint8Array) => encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

const publicMembers = ['kty', 'crv', 'n', 'e', 'x', 'y'] as const

interface ReadKey {
  readonly verification: VerificationKey
  /** The key for signing, if it is a private one. */
  signing(): Promise<CryptoKey>
}

async function readKey(encoded: Encoded): Promise<ReadKey> {
  const algorithm = algorithmOf(encoded)
  const parameters = parametersOf(algorithm)
  const usage = encoded.format === 'spki' ? 'verify' : 'sign'
  const own = await crypto.subtle.importKey(encoded.format, encoded.bytes, parameters, true, [usage])
  const exported = await crypto.subtle.exportKey('jwk', own)
  const members = Object.fromEntries(
    publicMembers.flatMap((member) => (exported[member] === undefined ? [] : [[member, exported[member]]])),
  )
  const key = await crypto.subtle.importKey('jwk', members, parameters, true, ['verify'])
  const spki = await crypto.subtle.exportKey('spki', key)
  const id = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', spki)))
  return {
    verification: { algorithm, id, key, jwk: { use: 'sig', ...members, kid: id, alg: algorithm } },
    signing: () => crypto.subtle.importKey('jwk', exported, parameters, false, ['sign']),
  }
}

/** The key of a SubjectPublicKeyInfo, with an id assigned by the caller. Rejects with an Error when the key type is not supported. */
export async function verificationKeyOf(spki: Uint8Array<ArrayBuffer>, id: string): Promise<VerificationKey> {
  const { verification: key } = await readKey({ format: 'spki', bytes: spki })
  return { ...key, id, jwk: { ...key.jwk, kid: id } }
}

/** Reads keys of PEM texts once, however often they are asked for: to import a private key takes most of a millisecond. */
export class KeyReader {
  readonly #texts = new Map<string, readonly Encoded[]>()
  readonly #keys = new Map<Encoded, Promise<ReadKey>>()

  encodedIn(pem: string): readonly Encoded[] {
    const found = this.#texts.get(pem) ?? encodedKeys(pem)
    this.#texts.set(pem, found)
    return found
  }

  read(encoded: Encoded): Promise<ReadKey> {
    const reading = this.#keys.get(encoded) ?? readKey(encoded)
    this.#keys.set(encoded, reading)
    return reading
  }
}

/** The public keys of these PEM texts; private keys count with their public part. Throws an Error when there are none. */
export async function loadVerificationKeys(pems: readonly string[], reader = new KeyReader()): Promise<VerificationKey[]> {
  const encoded = pems.flatMap((pem) => reader.encodedIn(pem))
  const keys = (await Promise.all(encoded.map((each) => reader.read(each)))).map(({ verification }) => verification)
  if (keys.length === 0) throw new Error('no RSA or ECDSA key found')
  return keys.filter(({ id }, index) => keys.findIndex((other) => other.id === id) === index)
}

/** The first private key of a PEM text. Throws an Error when there is none. */
export async function loadSigningKey(pem: string, reader = new KeyReader()): Promise<SigningKey> {
  const encoded = reader.encodedIn(pem).find(({ format }) => format === 'pkcs8')
  if (encoded === undefined) throw new Error('no RSA or ECDSA private key found')
  const { verification, signing } = await reader.read(encoded)
  const { algorithm, id } = verification
  return { algorithm, id, key: await signing() }
}
