/** The egress selector of `--egress-selector-config-file`. */
import { existsSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type EgressTls, egressSelectorConfiguration } from '../../../core/config/files/egress.ts'
import { ConfigurationFileError } from '../../../core/config/files/error.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Clock, Egress } from '../../../core/ports.ts'
import { FieldErrors } from '../../../core/schema/field-error.ts'
import { FieldPath } from '../../../core/schema/field-path.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { loadFlagFile } from '../start/flag-file.ts'
import { nodeFiles } from '../start/ports.ts'
import type { ProxyTls } from './dial.ts'
import { egressRows } from './metrics.ts'
import { type Dials, dialBy, wayOf } from './selector.ts'

const flag = 'egress-selector-config-file'
const at = FieldPath.of('service', 'connection', 'tlsConfig')

/** What is said of files that do not exist. */
const missing = {
  caBundle: 'TLS config ca bundle does not exist',
  clientCert: 'TLS client cert does not exist',
  clientKey: 'TLS client key does not exist',
} as const

/** Reads the files of TLS settings. Rejects with a ConfigurationFileError that names the field. */
async function readTls(config: EgressTls, path: string): Promise<ProxyTls> {
  const errors = new FieldErrors()
  for (const [name, detail] of Object.entries(missing) as [keyof typeof missing, string][]) {
    if (config[name] !== '' && !existsSync(config[name])) errors.invalid(at.child(name), config[name], detail)
  }
  if (errors.count > 0) throw new ConfigurationFileError(path, errors.list)
  const read = async (file: string) => new TextDecoder().decode(await nodeFiles.read(file))
  try {
    const [cert, key] = [await read(config.clientCert), await read(config.clientKey)]
    const ca = config.caBundle === '' ? undefined : await read(config.caBundle)
    if (ca !== undefined && !ca.includes('BEGIN CERTIFICATE'))
      throw new Error(`${config.caBundle}: failed to append CA cert to the cert pool`)
    createSecureContext({ cert, key })
    return { ca, cert, key, serverName: config.tlsServerName || undefined }
  } catch (error) {
    throw new ConfigurationFileError(path, [{ field: at.toString(), message: messageOf(error) }])
  }
}

/** The egress selections of a file. */
export interface EgressSelector {
  /** Traffic classes that the file names, direct ones included. */
  readonly classes: readonly Egress[]
  readonly dials: Dials
}

/** Reads the file; undefined: there are no egress selections. Rejects with an Error that names file and field. */
export async function egressOfFlags(flags: ParsedFlags, metrics: Metrics, clock: Clock): Promise<EgressSelector | undefined> {
  const path = String(flags.get(flag))
  const { egressSelections = [] } = loadFlagFile(flags, flag, egressSelectorConfiguration) ?? {}
  if (egressSelections.length === 0) return undefined
  const recorded = metrics.record(egressRows)
  const dials: { [name: string]: Dial } = {}
  for (const { name, connection } of egressSelections) {
    const tls = connection.transport?.tcp?.tlsConfig
    const way = wayOf(connection, tls && (await readTls(tls, path)))
    if (way !== undefined) dials[name] = dialBy(way, recorded, clock)
  }
  const named = new Set(egressSelections.map(({ name }) => name))
  return { classes: (['cluster', 'controlplane'] as const).filter((each) => named.has(each)), dials }
}
