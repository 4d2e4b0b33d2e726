/** Trusted client CA certificates, as PEM bundles that may change while the server runs. */
import { followFile, readFileText } from '../../../config/follow-file.ts'
import type { Files, Logger } from '../../../ports.ts'
import { pemBlocks } from '../../../schema/formats/pem.ts'
import { type Certificate, parseCertificate } from './certificate.ts'

export interface Bundle {
  readonly pem: string
  readonly certificates: readonly Certificate[]
}

export interface Authorities {
  /** The same object until the bundle changes. */
  current(): Bundle
  /** Calls `changed` after each change until the returned function is called. */
  onChange(changed: () => void): () => void
  close(): void
}

/** Reads a PEM bundle. Throws an Error when it has no certificate, or a malformed one. */
export function readBundle(pem: string): Bundle {
  const certificates = pemBlocks(pem).filter(({ label }) => label === 'CERTIFICATE')
  if (certificates.length === 0) throw new Error('client CA bundle has no certificates')
  return { pem, certificates: certificates.map(({ bytes }) => parseCertificate(bytes)) }
}

/** Authorities that never change. Throws an Error as `readBundle` does. */
export function fixedAuthorities(pems: readonly string[]): Authorities {
  const bundle = readBundle(pems.join('\n'))
  return { current: () => bundle, onChange: () => () => {}, close() {} }
}

export interface FollowedFile {
  readonly path: string
  readonly files: Files
  readonly logger: Logger
  /** PEM that is trusted in addition to the file. */
  readonly besides?: string
}

/**
 * Authorities of a file that is reloaded when it changes. Unusable content is logged and the last good bundle stays. Rejects when the first
 * read is unusable.
 */
export async function followAuthorities({ path, files, logger, besides = '' }: FollowedFile): Promise<Authorities> {
  const listeners = new Set<() => void>()
  const load = (text: string) => {
    const own = readBundle(text)
    return besides === '' ? own : readBundle(`${besides.trimEnd()}\n${own.pem}`)
  }
  const text = await readFileText(files, path)
  let bundle = load(text)
  const stop = followFile({
    path,
    files,
    logger,
    text,
    load,
    what: 'client CA bundles',
    otherwise: 'the last valid ones stay in use',
    use(next) {
      bundle = next
      for (const listener of listeners) listener()
    },
  })
  return {
    current: () => bundle,
    onChange(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    close: stop,
  }
}
