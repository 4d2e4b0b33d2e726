/** Serving certificates from their files, which are reloaded on changes. */
import { followFile, readFileText } from '../../../core/config/follow-file.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { Logger } from '../../../core/ports.ts'
import { reasonOf } from '../../atomic-file.ts'
import { type Claim, claimOf, ownerOf, takeOwnership } from '../../stores/log/owner.ts'
import type { Certificates } from '../network/listener.ts'
import { makeFlagDirectory } from '../start/flag-file.ts'
import { nodeFiles } from '../start/ports.ts'
import { readPath } from '../start/read-path.ts'
import { ensurePki, type Pki, type PkiOptions, pairPaths, readServing, servingName } from './pki.ts'

export interface CertificateOptions extends Omit<PkiOptions, 'now' | 'neighbour'> {
  /** Files of further certificates (`--tls-sni-cert-key`); without names each is for the names in it. */
  readonly named: readonly { readonly certificate: string; readonly key: string; readonly names: readonly string[] }[]
}

/** Role of a running server in its `--cert-dir`, which others may share. */
const role = 'certificates'
/** Role of the one that reads and writes there; milliseconds to wait for it, which takes 50 ms at most. */
const [writer, defaultTimeout] = ['writer', 30_000]

/** Makes this process known as a user of `--cert-dir`, until it is released. */
export async function claimCertificates({ certDir }: CertificateOptions): Promise<Claim> {
  makeFlagDirectory('cert-dir', certDir)
  return claimOf(certDir, role)
}

interface PrepareOptions {
  readonly logger?: Pick<Logger, 'info'>
  readonly timeout?: number
  readonly ending?: AbortSignal
}

/**
 * Reads the certificates and keys that the server needs, and creates or renews those that it generates: one process after the other, because two
 * that start at once would write the certificate of one beside the key of the other. Says when it waits. `timeout`: milliseconds to wait at most,
 * then it rejects with a FlagError; default 30,000. After `ending` aborts it rejects with its reason.
 */
export async function preparePki(
  options: CertificateOptions,
  claim: Claim,
  { logger, timeout = defaultTimeout, ending }: PrepareOptions = {},
): Promise<Pki> {
  const { certDir: directory, dataDir } = options
  const waiting = (pid: number) =>
    logger?.info({ directory, process: pid, timeout }, 'another process is writing certificates; waiting for it to finish')
  const turn = await takeOwnership(directory, { role: writer, timeout, waiting, signal: ending }).catch((error: unknown) => {
    ending?.throwIfAborted()
    throw new FlagError(`--cert-dir: ${directory}: ${reasonOf(error)}`)
  })
  try {
    const neighbour = await ownerOf(directory, claim.name, role)
    checkFiles(options)
    if (dataDir !== undefined) makeFlagDirectory('data-dir', dataDir)
    return await ensurePki({ ...options, neighbour })
  } finally {
    await turn.release()
  }
}

/**
 * Follows the files of the serving certificates: `use` is called with changed ones, also if they changed after `inUse` was read, while the server
 * waited for its store. The returned function ends it.
 */
export async function followCertificates(
  options: CertificateOptions,
  pki: Pki,
  inUse: Certificates,
  logger: Logger,
  use: (changed: Certificates) => void,
): Promise<() => void> {
  const load = () => reloadedCertificates(options, pki)
  const isInUse = () => {
    try {
      return JSON.stringify(load()) === JSON.stringify(inUse)
    } catch {
      return false
    }
  }
  const paths = certificateFiles(options)
  // One that is gone by now is loaded when it is there again.
  const texts = await Promise.all(paths.map((path) => readFileText(nodeFiles, path).catch(() => '')))
  const isCurrent = isInUse()
  const stops = paths.map((path, index) =>
    followFile({
      path,
      files: nodeFiles,
      logger,
      what: 'certificates',
      otherwise: 'the previous ones stay in use',
      text: isCurrent ? (texts[index] ?? '') : '',
      load,
      use,
    }),
  )
  return () => stops.forEach((stop) => void stop())
}

/** The serving certificates as they are on disk now. Nothing is written: of two servers with one `--cert-dir`, none undoes what the other does. */
function reloadedCertificates(options: CertificateOptions, pki: Pki): Certificates {
  checkFiles(options)
  return servingCertificates(options, { ...pki, serving: readServing(options, pki.ca) })
}

/** Throws a FlagError when the user's serving certificate can't be read. */
function checkFiles({ certFile, keyFile }: CertificateOptions): void {
  if (certFile !== undefined) readPath('tls-cert-file', certFile)
  if (keyFile !== undefined) readPath('tls-private-key-file', keyFile)
}

/** Serving certificates of the listener. */
export function servingCertificates({ named }: CertificateOptions, { serving }: Pki): Certificates {
  return {
    cert: serving.certPem,
    key: serving.keyPem,
    sni: named.map(({ certificate, key, names }) => ({
      cert: readPath('tls-sni-cert-key', certificate),
      key: readPath('tls-sni-cert-key', key),
      ...(names.length > 0 && { names }),
    })),
  }
}

/** Files that are watched for new certificates. */
function certificateFiles({ certDir, certFile, keyFile, named }: CertificateOptions): readonly string[] {
  const own = certFile !== undefined && keyFile !== undefined ? [certFile, keyFile] : pairPaths(certDir, servingName)
  return [...own, ...named.flatMap(({ certificate, key }) => [certificate, key])]
}
