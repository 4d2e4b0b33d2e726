/** Serving certificates and CA bundles from flags and their files, which are reloaded on changes. */
import { join } from 'node:path'
import { followFile, readFileText } from '../../../core/config/follow-file.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { addressRange } from '../../../core/objects/registry/allocators/address-range.ts'
import type { Logger } from '../../../core/ports.ts'
import { reasonOf } from '../../atomic-file.ts'
import { type Claim, claimOf, ownerOf, takeOwnership } from '../../stores/log/owner.ts'
import type { Certificates, ListenOptions } from '../network/listener.ts'
import { advertisedAddress } from '../start/address.ts'
import { makeFlagDirectory, readFlagFile, readPath } from '../start/flag-file.ts'
import { nodeFiles } from '../start/ports.ts'
import { inMemory } from '../start/store.ts'
import { ensurePki, type Pki, type PkiOptions, readServing } from './pki.ts'

/** Role of a running server in its `--cert-dir`, which others may share. */
const role = 'certificates'
/** Role of the one that reads and writes there; milliseconds to wait for it, which takes 50 ms at most. */
const [writer, defaultTimeout] = ['writer', 30_000]

/** Makes this process known as a user of `--cert-dir`, until it is released. */
export async function claimCertificates(flags: ParsedFlags): Promise<Claim> {
  makeFlagDirectory('cert-dir', flags.get('cert-dir'))
  return claimOf(flags.get('cert-dir'), role)
}

/**
 * Reads the certificates and keys that the server needs, and creates or renews those that it generates: one process after the other, because two
 * that start at once would write the certificate of one beside the key of the other. Says when it waits. `timeout`: milliseconds to wait at most,
 * then it rejects with a FlagError; default 30,000.
 */
export async function preparePki(
  flags: ParsedFlags,
  claim: Claim,
  { logger, timeout = defaultTimeout }: { readonly logger?: Pick<Logger, 'info'>; readonly timeout?: number } = {},
): Promise<Pki> {
  const directory = flags.get('cert-dir')
  const waiting = (pid: number) =>
    logger?.info({ directory, process: pid, timeout }, 'another process is writing certificates; waiting for it to finish')
  const turn = await takeOwnership(directory, { role: writer, timeout, waiting }).catch((error: unknown) => {
    throw new FlagError(`${flags.spelling('cert-dir')}: ${directory}: ${reasonOf(error)}`)
  })
  try {
    const neighbour = await ownerOf(directory, claim.name, role)
    return await ensurePki({ ...pkiOptions(flags), neighbour })
  } finally {
    await turn.release()
  }
}

/**
 * Follows the files of the serving certificates: `use` is called with changed ones, also if they changed after `inUse` was read, while the server
 * waited for its store. The returned function ends it.
 */
export async function followCertificates(
  flags: ParsedFlags,
  pki: Pki,
  inUse: Certificates,
  logger: Logger,
  use: (changed: Certificates) => void,
): Promise<() => void> {
  const load = () => reloadedCertificates(flags, pki)
  const isInUse = () => {
    try {
      return JSON.stringify(load()) === JSON.stringify(inUse)
    } catch {
      return false
    }
  }
  const paths = certificateFiles(flags)
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
const reloadedCertificates = (flags: ParsedFlags, pki: Pki): Certificates =>
  servingCertificates(flags, { ...pki, serving: readServing(pkiOptions(flags), pki.ca) })

function pkiOptions(flags: ParsedFlags): PkiOptions {
  const directory = flags.get('data-dir')
  const external = flags.get('external-hostname')
  const certFile = flags.get('tls-cert-file')
  const keyFile = flags.get('tls-private-key-file')
  for (const flag of ['tls-cert-file', 'tls-private-key-file'] as const) readFlagFile(flags, flag)
  const keepsData = directory !== inMemory && flags.get('kvstore-servers').length === 0
  if (keepsData) makeFlagDirectory('data-dir', directory)
  const serviceAddresses = flags.get('service-cluster-ip-range').flatMap((range) => addressRange(range)?.first ?? [])
  return {
    certDir: flags.get('cert-dir'),
    ...(keepsData && { dataDir: directory }),
    service: flags.platform.service,
    hosts: external ? [external] : [],
    ips: [advertisedAddress(flags.get('advertise-address'), flags.get('bind-address')), ...serviceAddresses],
    ...(certFile && keyFile && { certFile, keyFile }),
  }
}

/** Serving certificates of the listener. */
export function servingCertificates(flags: ParsedFlags, pki: Pki): Certificates {
  return {
    cert: pki.serving.certPem,
    key: pki.serving.keyPem,
    sni: flags.get('tls-sni-cert-key').map(({ certificate, key, names }) => ({
      cert: readPath('tls-sni-cert-key', certificate),
      key: readPath('tls-sni-cert-key', key),
      ...(names.length > 0 && { names }),
    })),
  }
}

/** TLS and HTTP options of the listener. */
export function listenOptions(flags: ParsedFlags): Omit<ListenOptions, 'cert' | 'key'> {
  const minVersion = flags.get('tls-min-version')
  const cipherSuites = flags.get('tls-cipher-suites')
  const streams = flags.get('http2-max-streams-per-connection')
  return {
    address: flags.get('bind-address'),
    port: flags.get('secure-port'),
    http2: !flags.get('disable-http2-serving'),
    sharePort: flags.get('permit-port-sharing'),
    ...(minVersion && { minVersion }),
    ...(cipherSuites.length > 0 && { cipherSuites: cipherSuites as NonNullable<ListenOptions['cipherSuites']> }),
    ...(streams && { maxConcurrentStreams: streams }),
  }
}

/** Files that are watched for new certificates. */
function certificateFiles(flags: ParsedFlags): readonly string[] {
  const [certFile, keyFile, directory] = [flags.get('tls-cert-file'), flags.get('tls-private-key-file'), flags.get('cert-dir')]
  const own = certFile ? [certFile, keyFile] : [join(directory, 'apiserver.crt'), join(directory, 'apiserver.key')]
  const named = flags.get('tls-sni-cert-key').flatMap(({ certificate, key }) => [certificate, key])
  return [...own, ...named].filter((path): path is string => path !== undefined && path !== '')
}
