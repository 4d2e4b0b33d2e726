/**
 * Other servers of the cluster (KEP-4020): requests for resources that this one does not serve are sent on to one that does, and the aggregated
 * discovery list has what all of them serve.
 */
import { checkPath, createPassOn, type PassOnServices } from '../aggregation/pass-on.ts'
import { PlainError } from '../answers/plain-error.ts'
import { ApiError } from '../answers/status.ts'
import { createQueue } from '../controllers/queue.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import type { OptionalHandler } from '../filters/router.ts'
import type { DiscoveredGroup } from '../meta/aggregated-discovery.ts'
import type { PeerLists } from '../meta/discovery.ts'
import { perRevision } from '../meta/group-source.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { Destination } from '../outgoing/forwarding/destination.ts'
import type { Logger } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { createAsking, type Peer } from './asking.ts'
import { createPeerConnect, type PeerConnectOptions } from './connection.ts'
import { createExclusions, type GroupVersionSource } from './exclusions.ts'
import { followIdentities } from './identities.ts'
import type { PeerMetrics } from './metrics.ts'

export interface PeersOptions extends Omit<PassOnServices, 'rejectRedirects' | 'headers' | 'sendsUid'>, PeerConnectOptions {
  /** Name of this server. */
  readonly identity: string
  /** The identity leases are among them. */
  readonly leases: ServedResource
  /** Definitions of group versions that all servers follow. */
  readonly shared: readonly GroupVersionSource[]
  readonly logger: Logger
  readonly queues: QueueMetrics
  readonly metrics: PeerMetrics
}

export interface Peers {
  /** Answers requests for resources that another server serves. */
  readonly answer: OptionalHandler
  readonly lists: PeerLists
  close(): void
}

/** Says that a server of the cluster has sent the request on: it is not sent on again. */
const header = 'x-kubernetes-peer-proxied'
const ownOnly = { [header]: 'true' }

const isSentOn = ({ headers }: Request) => (headers.get(header) ?? '').split(',').some((value) => value.trim() === 'true')

const noAddress = () => new ApiError('ServiceUnavailable', 'Error getting ip and port info of the remote server while proxying')

const isPresent = <T>(value: T | undefined): value is T => value !== undefined

/** Resolves when the other servers are known; what they serve is asked from then on. */
export async function createPeers(options: PeersOptions): Promise<Peers> {
  const { clock, identity, metrics, shared } = options
  const connect = createPeerConnect(options)
  const askPeer = createAsking({ ...options, connect, ownOnly })
  const passOn = createPassOn({ ...options, rejectRedirects: false, headers: ownOnly, sendsUid: () => true })
  /** The other servers with an identity lease; undefined: it has not answered yet. */
  const peers = new Map<string, Peer | undefined>()
  const closing = new AbortController()
  let revision = 0

  const queue = createQueue({
    ...options,
    name: 'peer-discovery-cache-sync',
    async work(name) {
      if (!peers.has(name)) return
      const peer = await askPeer(name, closing.signal)
      if (!peers.has(name)) return
      peers.set(name, peer)
      revision++
    },
  })
  const exclusions = createExclusions(shared, clock)
  const following = await followIdentities({
    ...options,
    came(name) {
      peers.set(name, peers.get(name))
      queue.add(name)
    },
    went(name) {
      peers.delete(name)
      revision++
    },
  })

  function withoutExcluded(groups: readonly DiscoveredGroup[]): readonly DiscoveredGroup[] {
    return groups.flatMap((group) => {
      const versions = (group.versions ?? []).filter(({ version }) => !exclusions.has(`${group.metadata?.name}/${version}`))
      return versions.length > 0 ? [{ ...group, versions }] : []
    })
  }

  const lists: PeerLists = {
    identity,
    get revision() {
      return revision + exclusions.revision
    },
    others: perRevision(
      [
        {
          get revision() {
            return revision
          },
        },
        exclusions,
      ],
      () => new Map([...peers].flatMap(([name, peer]) => (peer ? [[name, withoutExcluded(peer.groups)]] : []))),
    ),
  }

  /** The servers that serve a resource, by what they said last. */
  function serving({ group, version, resource }: Exchange['info']): readonly string[] {
    const groupVersion = `${group}/${version}`
    if (exclusions.has(groupVersion)) return []
    return [...peers].flatMap(([name, peer]) => (peer?.resources.get(groupVersion)?.has(resource) ? [name] : []))
  }

  /** One of the servers that have an address. */
  async function oneOf(names: readonly string[], exchange: Exchange): Promise<Destination> {
    const found = await Promise.all(names.map((name) => connect(name, exchange).catch(() => undefined)))
    const servers = found.filter(isPresent)
    const server = servers[Math.floor(Math.random() * servers.length)]
    if (server !== undefined) return server
    const { group, version, resource } = exchange.info
    metrics.failed.add(['endpoint_resolution', group, version, resource])
    throw noAddress()
  }

  async function sendOn(exchange: Exchange, names: readonly string[]): Promise<Response> {
    const { info, seat } = exchange
    exchange.delegated = true
    checkPath(info)
    // The other server has seats for it.
    seat?.leave()
    const server = await oneOf(names, exchange)
    const count = (code: number) => metrics.rerouted.add([String(code), info.group, info.version, info.resource])
    try {
      const response = await passOn(exchange, server)
      count(response.status)
      return response
    } catch (error) {
      if (error instanceof PlainError) count(error.code)
      throw error
    }
  }

  return {
    lists,
    answer(exchange) {
      if (peers.size === 0 || !exchange.info.isResource || isSentOn(exchange.request)) return undefined
      const names = serving(exchange.info)
      return names.length === 0 ? undefined : sendOn(exchange, names)
    },
    close() {
      closing.abort(new Error('the server is closing'))
      following.close()
      queue.close()
      exclusions.close()
    },
  }
}
