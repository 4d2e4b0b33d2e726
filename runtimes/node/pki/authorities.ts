/** CA bundles for client certificates and front proxies, from their files. */
import { type Authorities, type Bundle, fixedAuthorities, followAuthorities } from '../../../core/access/authn/certificate/authorities.ts'
import type { FrontProxies } from '../../../core/access/authn/request-header.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { Ports } from '../../../core/ports.ts'
import { sameBytes } from '../../../core/schema/bytes.ts'
import { reasonOf } from '../../atomic-file.ts'
import { readPath } from '../start/read-path.ts'
import type { Pki } from './pki.ts'

/** Paths are empty or absent without a bundle. */
export interface AuthorityOptions {
  readonly clientCaFile: string | undefined
  readonly frontProxyCaFile: string | undefined
  readonly frontProxies: Omit<FrontProxies, 'authorities'>
}

export interface ClientAuthorities {
  readonly client: Authorities
  /** CA bundle of front proxies. Absent: their headers are ignored. */
  readonly frontProxies?: FrontProxies
  /** Calls back after each reload. */
  onChange(changed: () => void): void
  close(): void
}

/** PEM bundles whose subjects the TLS handshake sends to clients as acceptable authorities. */
export function announced({ client, frontProxies }: ClientAuthorities): readonly string[] {
  return [client, frontProxies?.authorities].flatMap((each) => each?.current().pem ?? [])
}

/** True when both bundles contain the same authority. */
const overlap = (one: Bundle, other: Bundle) =>
  one.certificates.some(({ raw }) => other.certificates.some((each) => sameBytes(raw, each.raw)))

/** Reads the files and reloads them on changes until `close`. Rejects with a FlagError that names flag and file. */
export async function clientAuthorities(
  { clientCaFile, frontProxyCaFile, frontProxies }: AuthorityOptions,
  { clientCaPem }: Pki,
  { files, telemetry }: Pick<Ports, 'files' | 'telemetry'>,
): Promise<ClientAuthorities> {
  const follow = async (flag: string, path: string | undefined, besides?: string) => {
    if (!path) return undefined
    readPath(flag, path)
    try {
      return await followAuthorities({ path, files, logger: telemetry.logger, ...(besides && { besides }) })
    } catch (error) {
      throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
    }
  }
  const client = (await follow('client-ca-file', clientCaFile, clientCaPem)) ?? fixedAuthorities([clientCaPem])
  const proxies = await follow('requestheader-client-ca-file', frontProxyCaFile)
  if (proxies && frontProxies.allowedNames.length === 0 && overlap(client.current(), proxies.current())) {
    throw new FlagError(
      '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
    )
  }
  return {
    client,
    ...(proxies && { frontProxies: { ...frontProxies, authorities: proxies } }),
    onChange(changed) {
      client.onChange(changed)
      proxies?.onChange(changed)
    },
    close() {
      client.close()
      proxies?.close()
    },
  }
}
