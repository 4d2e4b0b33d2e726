/** Other servers of the cluster: how the parts of a server find them, and are found. */
import type { Aggregation } from '../aggregation/index.ts'
import { groupVersionOf } from '../aggregation/registration.ts'
import { createPeerAddresses, type PeerAddress, type PeerAddresses } from '../controllers/bootstrap/peer-addresses.ts'
import { builtInRows } from '../objects/registry/built-in.ts'
import type { CompleteOptions } from '../options/index.ts'
import { followPemFiles } from '../outgoing/forwarding/pem-files.ts'
import { hostPort } from '../outgoing/url-parts.ts'
import type { GroupVersionSource } from '../peers/exclusions.ts'
import { createPeers, type Peers } from '../peers/index.ts'
import { peerRows } from '../peers/metrics.ts'
import type { Platform } from '../platform.ts'
import type { KeyValueStore } from '../ports.ts'
import { builtInResources } from '../resources/group-versions.ts'
import type { AssemblyContext } from './context.ts'
import type { Parts } from './parts.ts'

type Serving = Pick<CompleteOptions['serving'], 'advertiseAddress' | 'securePort' | 'peerAdvertiseIp' | 'peerAdvertisePort'>

/** Whether this server has an identity lease, by which other servers know it. */
export const hasIdentityLease = ({ options: { general, apis } }: AssemblyContext) =>
  general.hostname !== '' && apis.gates.enabled('APIServerIdentity')

const isEnabled = (context: AssemblyContext) =>
  hasIdentityLease(context) && context.options.apis.gates.enabled('UnknownVersionInteroperabilityProxy')

/** Where other servers reach this one. */
export const peerAddressOf = ({ advertiseAddress, securePort, peerAdvertiseIp, peerAdvertisePort }: Serving): PeerAddress =>
  peerAdvertiseIp !== '' && peerAdvertisePort > 0
    ? { ip: peerAdvertiseIp, port: peerAdvertisePort }
    : { ip: advertiseAddress, port: securePort }

export const hasPeerAddress = (context: AssemblyContext) => isEnabled(context) && peerAddressOf(context.options.serving).ip !== ''

/** The address as annotation of the identity lease. */
export function peerAnnotation(serving: Serving, platform: Platform): { readonly [name: string]: string } {
  const { ip, port } = peerAddressOf(serving)
  return { [platform.name('<labels>/peer-advertise-address')]: hostPort(ip, port) }
}

export const asksPeers = (context: AssemblyContext) => isEnabled(context) && context.options.network.peerCaFile !== ''

export function createAddresses(store: KeyValueStore, { options: { general, storage } }: AssemblyContext): PeerAddresses {
  const row = builtInResources.filter(({ group, names }) => group === '' && names.plural === 'endpoints')
  const [endpoints] = builtInRows(row, general.platform)
  if (endpoints === undefined) throw new Error('there is no kind for the addresses of API servers')
  return createPeerAddresses({ ...storage, store, definition: endpoints })
}

const registered =
  ({ registrations }: Aggregation): GroupVersionSource =>
  (changed) => {
    const look = (name: string) => {
      const registration = registrations.all.get(name)
      changed(name, registration?.spec.service ? [groupVersionOf(registration)] : [])
    }
    for (const name of registrations.all.keys()) look(name)
    return registrations.follow(look)
  }

type Needed = Pick<Parts, 'table' | 'proxyClient' | 'aggregation' | 'customResources' | 'peerAddresses' | 'pauses'>

/** Rejects with an Error that names the file when the authorities of the other servers can't be read. */
export async function startPeers(needed: Needed, { options, ports, queues }: AssemblyContext): Promise<Peers> {
  const { table, proxyClient, aggregation, customResources, peerAddresses, pauses } = needed
  const { platform, identity, metrics } = options.general
  const { logger } = ports.telemetry
  const leases = table.lookup(platform.name('coordination.<domain>'), 'v1', 'leases')
  if (leases === undefined) throw new Error('leases are not served, by which API servers find each other')
  const authority = await followPemFiles({
    paths: { certificates: options.network.peerCaFile },
    contents: { certificates: 'CERTIFICATE' },
    what: 'CA bundle of other API servers',
    files: ports.files,
    logger,
  })
  const peers = await createPeers({
    ...ports,
    platform,
    logger,
    queues,
    pauses,
    identity,
    leases,
    shared: [customResources.follow, ...(aggregation ? [registered(aggregation)] : [])],
    addresses: peerAddresses,
    certificateAuthority: () => authority.texts.certificates ?? '',
    credentials: () => proxyClient?.texts ?? {},
    metrics: metrics.record(peerRows),
  })
  return {
    ...peers,
    close() {
      peers.close()
      authority.close()
    },
  }
}
