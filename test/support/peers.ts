/** Servers of one cluster that find each other by their host names. */
import { hostIdentity } from '../../runtimes/node/pki/identity.ts'
import { type Api, apiOf } from './api.ts'
import { bundle, type Command } from './daemon.ts'
import type { Fetch } from './tls-fetch.ts'

/** The daemon, on a host of this name: servers on one host have one identity. */
export function onHost(name: string): Command {
  const preload = [
    "import os from 'node:os'",
    "import { syncBuiltinESMExports } from 'node:module'",
    `os.hostname = () => ${JSON.stringify(name)}`,
    'syncBuiltinESMExports()',
  ].join(';')
  return [process.execPath, `--import=data:text/javascript,${encodeURIComponent(preload)}`, bundle]
}

/** Name of the identity lease of a server on this host. */
export const identityOnHost = (name: string) => hostIdentity('kube-apiserver', name)

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Accept headers of the aggregated discovery list: what all servers serve, and what this one serves. */
export const servedBy = { all: aggregated, alone: `${aggregated};profile=nopeer` } as const

interface List {
  readonly items: { metadata: { name: string }; versions: { version: string; resources?: { resource: string }[] }[] }[]
}

export interface Peer {
  readonly api: Api
  /** Resources by group version, in the order of the list, of all servers and of this one. */
  all(): Promise<ReadonlyMap<string, readonly string[]>>
  alone(): Promise<ReadonlyMap<string, readonly string[]>>
}

export function peersOf(fetch: Fetch): Peer {
  const api = apiOf(fetch)
  const list = async (accept: string) => {
    const { body } = await api.get<List>('/apis', { accept })
    return new Map(
      body.items.flatMap(({ metadata, versions }) =>
        versions.map(({ version, resources = [] }) => [`${metadata.name}/${version}`, resources.map(({ resource }) => resource)] as const),
      ),
    )
  }
  return { api, all: () => list(servedBy.all), alone: () => list(servedBy.alone) }
}
