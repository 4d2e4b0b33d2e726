/**
 * Creates keys and certificates (RFC 5280). `@peculiar/x509` is not used: it takes a quarter of a second to load, and needs the Reflect
 * Metadata polyfill before it, an order that bundlers do not guarantee.
 */
import type { KeyObject } from 'node:crypto'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { parseAddress } from '../../../core/schema/formats/ip.ts'
import { bitString, boolean, elements, implicit, integer, nothing, octetString, oid, sequence, set, tagged, time, utf8 } from './der.ts'

const day = 86_400_000

export interface Pair {
  readonly certPem: string
  readonly keyPem: string
}

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
  /** Host names and IP addresses. Present: a server certificate; absent: a client certificate. */
  readonly names?: readonly string[]
}

/** A new P-256 private key, PKCS#8 PEM. */
export const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A self-signed CA certificate for the key, valid for ten years. */
export function issueAuthority(commonName: string, keyPem: string, now: number): Pair {
  const key = createPrivateKey(keyPem)
  const publicKey = createPublicKey(key)
  const name = distinguishedName({ commonName })
  const certPem = certificate(key, publicKey, name, name, now, 3650, [
    extension('2.5.29.19', true, sequence(boolean(true))),
    // digitalSignature, keyCertSign, cRLSign
    extension('2.5.29.15', true, bitString(Uint8Array.of(0b1000_0110), 1)),
    extension('2.5.29.14', false, octetString(keyIdentifier(publicKey))),
  ])
  return { certPem, keyPem }
}

/**
 * A new key and a certificate for it, signed by the authority, valid for one year. Throws when the subject is that of the authority: clients on
 * OpenSSL would take the certificate for self-signed.
 */
export function issue(authority: Pair, subject: Subject, now: number): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ca = new X509Certificate(authority.certPem)
  const serverAuth = subject.names !== undefined
  const extensions = [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, bitString(Uint8Array.of(0b1000_0000), 7)),
    extension('2.5.29.37', false, sequence(oid(serverAuth ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.35', false, sequence(implicit(0, subjectKeyIdentifier(ca)))),
  ]
  if (subject.names !== undefined) extensions.push(extension('2.5.29.17', false, sequence(...subject.names.map(generalName))))
  const name = distinguishedName(subject)
  const issuer = subjectOf(ca)
  if (name.equals(issuer)) throw new Error(`issue certificate: ${subject.commonName} is the subject of the authority`)
  const certPem = certificate(createPrivateKey(authority.keyPem), publicKey, issuer, name, now, 365, extensions)
  return { certPem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

const signatures: Record<string, Uint8Array> = {
  ec: sequence(oid('1.2.840.10045.4.3.2')),
  rsa: sequence(oid('1.2.840.113549.1.1.11'), nothing()),
}

function certificate(
  signingKey: KeyObject,
  publicKey: KeyObject,
  issuer: Uint8Array,
  subject: Uint8Array,
  now: number,
  days: number,
  extensions: readonly Uint8Array[],
): string {
  const algorithm = signatures[signingKey.asymmetricKeyType ?? '']
  if (algorithm === undefined) throw new Error(`sign certificate: keys of type ${signingKey.asymmetricKeyType} are not supported`)
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    tagged(0, integer(Uint8Array.of(2))),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(now - day), time(now + days * day)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  )
  const base64 = sequence(body, algorithm, bitString(sign('sha256', body, signingKey))).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

const extension = (id: string, critical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value))

const attribute = (id: string, value: string) => set(sequence(oid(id), utf8(value)))

const distinguishedName = ({ commonName, organizations = [] }: Subject) =>
  sequence(...organizations.map((organization) => attribute('2.5.4.10', organization)), attribute('2.5.4.3', commonName))

/** The bytes of a certificate's name that is an IP address. `net.isIP` would compile regular expressions, which takes 7 ms of a start. */
export function addressIn(name: string): Uint8Array | undefined {
  const address = parseAddress(name)
  return address === undefined || address.leadingZeros ? undefined : Uint8Array.from(address.bytes)
}

function generalName(name: string): Uint8Array {
  const address = addressIn(name)
  return address === undefined ? implicit(2, Buffer.from(name, 'latin1')) : implicit(7, address)
}

/** RFC 5280 4.2.1.2, method 1. */
function keyIdentifier(publicKey: KeyObject): Uint8Array {
  const [, bits] = elements(publicKey.export({ type: 'spki', format: 'der' }))
  return createHash('sha1')
    .update((bits ?? new Uint8Array()).subarray(3))
    .digest()
}

/** The fields of TBSCertificate after the optional version. */
function fields(certificate: X509Certificate): Uint8Array[] {
  const [body] = elements(certificate.raw)
  const all = elements(body ?? new Uint8Array())
  return all[0]?.[0] === 0xa0 ? all.slice(1) : all
}

const subjectOf = (certificate: X509Certificate) => fields(certificate)[4] ?? sequence()

function subjectKeyIdentifier(certificate: X509Certificate): Uint8Array {
  const id = oid('2.5.29.14')
  const list = fields(certificate).find((field) => field[0] === 0xa3)
  for (const each of list === undefined ? [] : elements(elements(list)[0] ?? new Uint8Array())) {
    const [name, value] = elements(each)
    // An octet string in an octet string.
    if (name !== undefined && value !== undefined && id.equals(name)) return value.subarray(4)
  }
  return keyIdentifier(certificate.publicKey)
}
