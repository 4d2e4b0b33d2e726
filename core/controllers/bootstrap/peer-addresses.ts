/** Addresses at which the servers of a cluster reach each other, as keys that expire (apiserver/pkg/reconcilers/peer_endpoint_lease.go). */

import { settled } from '../../common/abort.ts'
import { createServerLeases } from '../../objects/storage/server-leases.ts'
import { hostPort } from '../../outgoing/url-parts.ts'
import type { Clock, KeyValueStore, Logger } from '../../ports.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import { messageOf } from '../../schema/message-of.ts'
import { repeatEvery } from '../repeat.ts'
import type { EndpointPort, Subset } from './service-endpoints.ts'

export interface PeerAddress {
  readonly ip: string
  readonly port: number
}

export interface PeerAddresses {
  /** `HOST:PORT` of a server; undefined: it is not alive. Rejects with a StoreError. */
  find(identity: string): Promise<string | undefined>
  /** Writes the address of a server for 15 s. Rejects with a StoreError. */
  publish(identity: string, address: PeerAddress): Promise<void>
  remove(identity: string): Promise<void>
}

export interface PeerAddressesOptions {
  readonly store: KeyValueStore
  /** The definition of Endpoints: the kind of the stored objects. */
  readonly definition: ResourceDefinition
  /** Prefix of all keys in the store. */
  readonly prefix: string
  readonly storageMediaType: string
}

/** Milliseconds between writes, and seconds until the address of a server that is gone is removed. */
const [interval, timeToLive] = [10_000, 15]
const identityLabel = 'apiserverIdentity'

export function createPeerAddresses({ storageMediaType: mediaType, ...options }: PeerAddressesOptions): PeerAddresses {
  const leases = createServerLeases({ ...options, folder: 'peerserverleases', mediaType, seconds: timeToLive })
  return {
    async find(identity) {
      const [subset] = ((await leases.get(identity))?.['subsets'] ?? []) as readonly Subset[]
      const [ip, port] = [subset?.addresses?.[0]?.ip ?? '', subset?.ports?.[0]?.port ?? 0]
      return parseAddress(ip) === undefined || port <= 0 ? undefined : hostPort(ip, port)
    },
    publish(identity, { ip, port }) {
      const ports: readonly EndpointPort[] = [{ name: 'https', port, protocol: 'TCP' }]
      return leases.renew(identity, { metadata: { labels: { [identityLabel]: identity } }, subsets: [{ addresses: [{ ip }], ports }] })
    },
    async remove(identity) {
      await leases.remove(identity)
    },
  }
}

export interface OwnAddress {
  /** Name of this server's key. */
  readonly identity: string
  readonly address: PeerAddress
  readonly addresses: PeerAddresses
  readonly clock: Clock
  readonly logger: Logger
}

/** Publishes the address of this server now and every 10 s. Resolves after the first time; failures are logged. */
export async function keepPeerAddress({ identity, address, addresses, clock, logger }: OwnAddress): Promise<{ leave(): Promise<void> }> {
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.warn({ error: messageOf(error) }, `the address for other API servers could not be ${what}`)
    }
  }
  const repetition = repeatEvery(clock, interval, () => attempt('written', () => addresses.publish(identity, address)))
  await repetition.first
  return {
    /** Removes the address, for at most 20 s. */
    async leave() {
      const removal = repetition.stop().then(() => attempt('removed', () => addresses.remove(identity)))
      await settled(removal, clock, 2 * interval)
    },
  }
}
