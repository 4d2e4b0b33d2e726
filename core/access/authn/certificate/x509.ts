import type { Platform } from '../../../platform.ts'
import type { Clock } from '../../../ports.ts'
import type { User } from '../../../request/exchange.ts'
import { digestOfBytes } from '../../../schema/formats/digest.ts'
import type { Authentication, Authenticator } from '../authenticator.ts'
import type { Authorities } from './authorities.ts'
import type { Certificate } from './certificate.ts'
import { type CertificateObserver, clientCertificate } from './client-certificate.ts'

const commonName = '2.5.4.3'
const organization = '2.5.4.10'
/** Subject attribute that carries the user's UID (KEP-4617). */
const uniqueId = '1.3.6.1.4.1.57683.2'

export interface X509Options {
  readonly authorities: Authorities
  readonly platform: Platform
  readonly clock: Clock
  /** Whether the UID is read from the certificate (gate AllowParsingUserUIDFromCertAuth). Default true. */
  readonly readsUid?: boolean
  readonly observer?: CertificateObserver
}

interface Holder {
  readonly authentication: Authentication
}

/**
 * Authenticates client certificates (`--client-ca-file`): CommonName is the user name, Organization the groups. No opinion on a valid
 * certificate without a CommonName.
 */
export function x509Authenticator({ authorities, platform, clock, observer, readsUid = true }: X509Options): Authenticator {
  const credentialId = platform.name('authentication.<labels>/credential-id')
  const derive = async (leaf: Certificate): Promise<Holder> => {
    const name = commonNameOf(leaf)
    if (name === '') return { authentication: undefined }
    return { authentication: { user: userOf(leaf, name, readsUid ? uidOf(leaf) : undefined, credentialId, await digestOfBytes(leaf.raw)) } }
  }
  const holderOf = clientCertificate(authorities, clock, derive, observer)
  return {
    name: 'x509',
    authenticate: (_request, connection) => {
      const holder = holderOf(connection)
      return holder instanceof Promise ? holder.then(({ authentication }) => authentication) : holder?.authentication
    },
  }
}

const valuesOf = ({ attributes }: Certificate, wanted: string) => attributes.filter(([type]) => type === wanted).map(([, value]) => value)

/** The last CommonName of the subject; empty when there is none. */
export const commonNameOf = (leaf: Certificate): string => valuesOf(leaf, commonName).at(-1) ?? ''

function uidOf(leaf: Certificate): string | undefined {
  const uids = valuesOf(leaf, uniqueId)
  if (uids.length > 1) throw new Error(`expected 1 UID, but found multiple: ${uids.join(' ')}`)
  const [uid] = uids
  if (uids.length === 1 && uid === undefined) throw new Error('unable to parse UID into a string')
  if (uid === '') throw new Error('UID cannot be an empty string')
  return uid
}

function userOf(leaf: Certificate, name: string, uid: string | undefined, credentialId: string, digest: string): User {
  return {
    name,
    ...(uid !== undefined && { uid }),
    groups: valuesOf(leaf, organization).filter((group) => group !== undefined),
    extra: { [credentialId]: [`X509SHA256=${digest}`] },
  }
}
