import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { reasonOf, writeAtomically } from '../../atomic-file.ts'
import { readNamedFile } from '../../named-file.ts'
import { addressIn, issue, issueAuthority, newKey, type Pair, type Subject } from './issue.ts'

export type { Pair } from './issue.ts'

export interface PkiOptions {
  /** Directory of the serving and admin certificates; without `dataDir`, of everything. */
  readonly certDir: string
  /** Directory of the data. The CA and the service account key must live as long as the data, and are in `keyDirectory`. */
  readonly dataDir?: string
  /** Name of the API server's service in namespace `default`; the serving certificate holds its DNS names. */
  readonly service: string
  /** Additional host names and addresses of the serving certificate: advertised address, first service IP. */
  readonly hosts: readonly string[]
  readonly ips: readonly string[]
  /** The user's serving certificate (`--tls-cert-file`, `--tls-private-key-file`); both or none. */
  readonly certFile?: string
  readonly keyFile?: string
  /** Milliseconds since the epoch; default: now. */
  readonly now?: number
  /** Another running server with the same `certDir`, by process id. Its certificates are not replaced by those of another CA. */
  readonly neighbour?: number | undefined
}

export interface Pki {
  readonly ca: Pair
  readonly serving: Pair
  /** PEM that verifies the serving certificate: the generated CA, or the user's certificate itself. */
  readonly servingAuthorityPem: string
  /** PEM bundle of the CA that signs client certificates. */
  readonly clientCaPem: string
  readonly admin: Pair
  readonly serviceAccountKeyPem: string
}

/** Folder of the keys that must live as long as the data: the CA's, and that of service account tokens. */
export const keyDirectory = (dataDir: string) => join(dataDir, 'pki')

/** Files of the serving certificate. */
export const servingName = 'apiserver'
/** Common name of the generated CA. */
const authority = 'platform-ca'
const renewalMilliseconds = 30 * 86_400_000

/**
 * Reads the certificates and keys that the server needs to start. Creates those that are missing, and renews those that expire within 30
 * days or no longer match the names or the CA. Rejects with an error of one line that names the file when one is damaged.
 */
export async function ensurePki(options: PkiOptions): Promise<Pki> {
  const { certDir, dataDir, service, now = Date.now(), neighbour } = options
  const stableDir = dataDir === undefined ? certDir : keyDirectory(dataDir)
  const names = [
    ...[
      'localhost',
      hostname(),
      ...options.hosts,
      service,
      `${service}.default`,
      `${service}.default.svc`,
      `${service}.default.svc.cluster.local`,
    ],
    ...['127.0.0.1', '::1', ...options.ips],
  ]
  const ca = ensureAuthority(stableDir, authorityName(stableDir, dataDir === undefined), now)
  const { certFile, keyFile } = options
  const subject = { commonName: 'apiserver', names: [...new Set(names)].filter(Boolean) }
  if (certFile === undefined) checkComplete(certDir, servingName, ca)
  const isNamed = certFile !== undefined && keyFile !== undefined
  const serving = isNamed
    ? { pair: readPair(certFile, keyFile).pair, isBrought: true }
    : ensurePair(certDir, servingName, ca, subject, now, neighbour)
  const adminSubject = { commonName: 'platform-admin', organizations: ['system:masters'] }
  const admin = ensurePair(certDir, 'admin', ca, adminSubject, now, neighbour)
  return {
    ca: ca.pair,
    serving: serving.pair,
    servingAuthorityPem: (serving.isBrought ? serving : ca).pair.certPem,
    clientCaPem: ca.pair.certPem,
    // A pair of the user's under this name is not replaced; the generated one then stays in memory.
    admin: admin.isBrought ? issue(ca.pair, adminSubject, now) : admin.pair,
    serviceAccountKeyPem: ensureKey(join(stableDir, 'sa.key')),
  }
}

/** A pair with its parsed certificate. Parsing takes a tenth of a millisecond, and half of one for a key: each file is read once. */
interface Parsed {
  readonly pair: Pair
  readonly certificate: X509Certificate
}

function read(path: string): string {
  try {
    return readNamedFile(path).toString()
  } catch (error) {
    throw new Error(`read ${path}: ${reasonOf(error)}`)
  }
}

function parse<T>(path: string, what: string, make: (text: string) => T): T {
  const text = read(path)
  try {
    return make(text)
  } catch {
    throw new Error(`read ${path}: not ${what} in PEM format`)
  }
}

const checkCertificate = (path: string) => parse(path, 'a certificate', (text) => ({ text, certificate: new X509Certificate(text) }))
const checkKey = (path: string) => parse(path, 'a private key', (text) => ({ text, key: createPrivateKey(text) }))

const mismatch = (certPath: string, keyPath: string) => new Error(`read ${keyPath}: not the private key of ${certPath}`)

function readPair(certPath: string, keyPath: string): Parsed {
  const { text: certPem, certificate } = checkCertificate(certPath)
  const { text: keyPem, key } = checkKey(keyPath)
  if (!certificate.checkPrivateKey(key)) throw mismatch(certPath, keyPath)
  return { pair: { certPem, keyPem }, certificate }
}

/** File name of the CA. In a shared directory, a `ca.crt` without a key that this program did not create belongs to the user, and is kept. */
function authorityName(directory: string, shared: boolean): string {
  const [certPath, keyPath] = pairPaths(directory, 'ca')
  const isForeign = () => checkCertificate(certPath).certificate.subject !== `CN=${authority}`
  return shared && existsSync(certPath) && !existsSync(keyPath) && isForeign() ? authority : 'ca'
}

function ensureAuthority(directory: string, name: string, now: number): Parsed {
  const [certPath, keyPath] = pairPaths(directory, name)
  if (existsSync(certPath)) {
    const parsed = readPair(certPath, keyPath)
    const { validTo } = parsed.certificate
    if (Date.parse(validTo) <= now) throw new Error(`read ${certPath}: the certificate expired on ${validTo}`)
    return parsed
  }
  const pair = issueAuthority(authority, ensureKey(keyPath), now)
  writeAtomically(certPath, pair.certPem, 0o644)
  return { pair, certificate: new X509Certificate(pair.certPem) }
}

function ensureKey(path: string): string {
  if (existsSync(path)) return checkKey(path).text
  const text = newKey()
  writeAtomically(path, text, 0o600)
  return text
}

/** Files of a pair. */
export const pairPaths = (directory: string, name: string) => [join(directory, `${name}.crt`), join(directory, `${name}.key`)] as const

/**
 * Fails when one file of a pair is missing: creating a new pair would overwrite the other. A certificate of the generated CA without key was written
 * by a start that was killed before it wrote the key.
 */
function checkComplete(directory: string, name: string, ca: Parsed): void {
  const [certPath, keyPath] = pairPaths(directory, name)
  const [missing, ...others] = [certPath, keyPath].filter((path) => !existsSync(path))
  if (missing === undefined || others.length > 0) return
  if (missing === keyPath && isIssuedBy(checkCertificate(certPath).certificate, ca.certificate)) return
  throw new Error(`read ${missing}: no such file: certificate and key must be supplied as a pair`)
}

/** The pair of this name: the user's own (`isBrought`: its issuer is not the generated CA), or one issued by the generated CA, renewed if needed. */
function ensurePair(
  directory: string,
  name: string,
  ca: Parsed,
  subject: Subject,
  now: number,
  neighbour: number | undefined,
): { readonly pair: Pair; readonly isBrought: boolean } {
  const [certPath, keyPath] = pairPaths(directory, name)
  let wanted = subject
  if (existsSync(certPath) && existsSync(keyPath)) {
    const { text: certPem, certificate } = checkCertificate(certPath)
    const { text: keyPem, key } = checkKey(keyPath)
    const isBrought = certificate.issuer !== ca.certificate.subject
    const matches = certificate.checkPrivateKey(key)
    if (isBrought && !matches) throw mismatch(certPath, keyPath)
    if (isBrought || (matches && fits(certificate, ca, subject, now))) return { pair: { certPem, keyPem }, isBrought }
    if (neighbour !== undefined) {
      if (!isIssuedBy(certificate, ca.certificate)) {
        throw new Error(`${certPath} belongs to process ${neighbour}, a server with other data: each needs its own --cert-dir`)
      }
      wanted = { ...subject, names: [...new Set([...(subject.names ?? []), ...namesIn(certificate)])] }
    }
  }
  const pair = issue(ca.pair, wanted, now)
  // A key that has no certificate might be the user's.
  writeAtomically(certPath, pair.certPem, 0o644)
  writeAtomically(keyPath, pair.keyPem, 0o600)
  return { pair, isBrought: false }
}

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate) =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

/** The host names and addresses of a certificate, such as one that is shared with a server of other names. */
const namesIn = ({ subjectAltName = '' }: X509Certificate) =>
  subjectAltName.split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])

/**
 * The serving pair as it is on disk now: the user's, or one that the CA issued. Nothing is written.
 * @throws Error in one line when it is damaged, or was issued by the generated CA of other data.
 */
export function readServing({ certDir, certFile, keyFile }: PkiOptions, ca: Pair): Pair {
  if (certFile !== undefined && keyFile !== undefined) return readPair(certFile, keyFile).pair
  const [certPath, keyPath] = pairPaths(certDir, servingName)
  const { pair, certificate } = readPair(certPath, keyPath)
  const own = new X509Certificate(ca.certPem)
  if (certificate.issuer === own.subject && !isIssuedBy(certificate, own))
    throw new Error(`${certPath} was issued for a server with other data: each needs its own --cert-dir`)
  return pair
}

function fits(certificate: X509Certificate, { certificate: authority }: Parsed, { names = [] }: Subject, now: number): boolean {
  return (
    Date.parse(certificate.validTo) - now > renewalMilliseconds &&
    isIssuedBy(certificate, authority) &&
    names.every((name) => (addressIn(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined)
  )
}
