import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { User } from '../request/exchange.ts'
import { type Authentication, AuthenticationError, type Authenticator } from './authenticator.ts'
import { type Certificate, parseCertificate } from './certificate.ts'
import { verifyChain } from './certificate-chain.ts'
import { digestOfBytes } from './digest.ts'
import { pemBlocks } from './pem.ts'

const commonName = '2.5.4.3'
const organization = '2.5.4.10'
/** Attribute for the user's uid (KEP-4617). */
const uniqueId = '1.3.6.1.4.1.57683.2'

/** A failure is remembered for so long, so that a client can't have signatures checked with every request. Milliseconds. */
const failureTtl = 10_000

export interface X509Options {
  /** PEM bundles of the authorities that sign client certificates. */
  readonly certificateAuthorities: readonly string[]
  readonly platform: Platform
  readonly clock: Clock
}

type Outcome = { readonly authentication: NonNullable<Authentication> } | { readonly error: AuthenticationError }
type Known = Outcome & { readonly until: number }

/**
 * Accepts client certificates (`--client-ca-file`): CommonName is the user name, Organization the groups. The outcome is kept
 * with the connection, for as long as the chain is valid. Throws an Error when a bundle has no certificate or a malformed one.
 */
export function x509Authenticator({ certificateAuthorities, platform, clock }: X509Options): Authenticator {
  const roots = certificateAuthorities.flatMap(readBundle)
  const known = new WeakMap<readonly Uint8Array[], Known | Promise<Known>>()
  const credentialId = platform.name('authentication.<labels>/credential-id')

  const authenticateNow = async (peer: readonly Uint8Array[]): Promise<Known> => {
    const now = clock.now()
    try {
      const [leaf, ...intermediates] = peer.map(parseCertificate)
      if (leaf === undefined) throw new Error('no certificate')
      const chain = await verifyChain(leaf, intermediates, roots, now)
      if (!chain.ok) throw new Error(chain.problem)
      const user = userOf(leaf, credentialId, await digestOfBytes(leaf.raw))
      return { authentication: { user }, until: chain.until }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { error: new AuthenticationError(`client certificate: ${problem}`), until: now + failureTtl }
    }
  }
  const start = (peer: readonly Uint8Array[]): Promise<NonNullable<Authentication>> => {
    const outcome = authenticateNow(peer).then((late) => {
      known.set(peer, late)
      return late
    })
    known.set(peer, outcome)
    return outcome.then(settle)
  }

  return {
    name: 'x509',
    authenticate: (_request, connection) => {
      const peer = connection.tls?.peerCertificates
      if (peer === undefined || peer.length === 0) return undefined
      const outcome = known.get(peer)
      if (outcome instanceof Promise) return outcome.then(settle)
      return outcome === undefined || clock.now() > outcome.until ? start(peer) : settle(outcome)
    },
  }
}

function settle(outcome: Outcome): NonNullable<Authentication> {
  if ('error' in outcome) throw outcome.error
  return outcome.authentication
}

function readBundle(pem: string): Certificate[] {
  const certificates = pemBlocks(pem).filter(({ label }) => label === 'CERTIFICATE')
  if (certificates.length === 0) throw new Error('client CA bundle has no certificates')
  return certificates.map(({ bytes }) => parseCertificate(bytes))
}

function userOf(leaf: Certificate, credentialId: string, digest: string): User {
  const values = (wanted: string) => leaf.attributes.filter(([type]) => type === wanted).map(([, value]) => value)
  const name = values(commonName).at(-1)
  if (name === undefined || name === '') throw new Error('subject has no CommonName')
  const uids = values(uniqueId)
  if (uids.length > 1) throw new Error(`expected 1 UID, but found multiple: ${uids.join(' ')}`)
  const [uid] = uids
  if (uids.length === 1 && uid === undefined) throw new Error('unable to parse UID into a string')
  if (uid === '') throw new Error('UID cannot be an empty string')
  return {
    name,
    ...(uid !== undefined && { uid }),
    groups: values(organization).filter((group) => group !== undefined),
    extra: { [credentialId]: [`X509SHA256=${digest}`] },
  }
}
