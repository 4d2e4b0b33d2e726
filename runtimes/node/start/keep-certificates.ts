/** What keeps the certificates of a listener of the daemon as they should be. */
import type { Logger } from '../../../core/ports.ts'
import { reasonOf } from '../../atomic-file.ts'
import type { Certificates, Listener } from '../network/listener.ts'
import { announced, type ClientAuthorities } from '../pki/authorities.ts'
import { type CertificateOptions, followCertificates } from '../pki/certificates.ts'
import type { Pki } from '../pki/pki.ts'
import type { Opened } from './opened.ts'

/**
 * Milliseconds from serving until the CertificateRequest names the client CAs; before, it names none, which allows any. The first CA that
 * Node is given makes it parse all public CAs too: 20 ms, a tenth of a start.
 */
const announcementDelay = 250

interface Followed {
  readonly files: CertificateOptions
  readonly pki: Pki
  readonly certificates: Certificates
  readonly authorities: ClientAuthorities
  readonly logger: Logger
}

/** The listener's certificates follow their files, and its client CAs are announced, until `opened` is closed. */
export async function keepCertificates(listener: Listener, followed: Followed, opened: Opened): Promise<void> {
  const { files, pki, certificates, authorities, logger } = followed
  opened.add(await followCertificates(files, pki, certificates, logger, (changed) => listener.reload(changed)))
  const announce = () => {
    try {
      listener.reload({ clientAuthorities: announced(authorities) })
    } catch (error) {
      logger.error({ error: reasonOf(error) }, 'client CA names could not be added to TLS handshakes')
    }
  }
  authorities.onChange(announce)
  const announcement = setTimeout(announce, announcementDelay)
  opened.add(() => clearTimeout(announcement))
}
