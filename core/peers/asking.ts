/** What another server says that it serves (apiserver/pkg/util/peerproxy/peer_discovery.go). */
import { AskFailed, type AskServices, ask } from '../aggregation/ask.ts'
import { eachInSlices, type Pauses } from '../common/slices.ts'
import { aggregatedType, type DiscoveredGroup } from '../meta/aggregated-discovery.ts'
import { NoAddress } from '../outgoing/service-address.ts'
import type { Platform } from '../platform.ts'
import { APIGroupDiscovery } from '../resources/apidiscovery/apigroupdiscovery.ts'
import { decode } from '../schema/decode.ts'
import { shortJson } from '../schema/go/shorten.ts'
import { type DocumentBounds, parseInSlices } from '../schema/json/in-slices.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { PeerMetrics } from './metrics.ts'

export interface Peer {
  /** Its groups below `/apis`, in its order. */
  readonly groups: readonly DiscoveredGroup[]
  /** Names of its resources by `GROUP/VERSION`; the core group has no name. */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>
}

export interface AskingOptions extends AskServices<string> {
  readonly platform: Platform
  readonly metrics: PeerMetrics
  readonly pauses: Pauses
  /** Header fields that make the other server answer for itself. */
  readonly ownOnly: { readonly [name: string]: string }
}

/** Milliseconds for a document, and its bytes at most. */
const timeout = 5_000
const maxBytes = 16 * 1024 * 1024
/** The list of all built-in resources has some 6,000 values; each resource of a definition adds some 20. */
const bounds: DocumentBounds = { depth: 100, values: 300_000, rowValues: 50_000 }
/** Maximum groups of a list: their order is merged with those of other servers without a pause. */
const maxGroups = 10_000
/** Maximum characters of another kind, in the error that names it. */
const maxKind = 256

/** As these servers know each other. */
const user = { name: 'system:apiserver', uid: 'system:apiserver', groups: ['system:authenticated'] }

const nameOf = ({ metadata }: DiscoveredGroup) => metadata?.name ?? ''

/** `signal` aborts it. */
export type Asking = (identity: string, signal: AbortSignal) => Promise<Peer>

/** Asks a server by its name. Rejects with an Error when it has no address, when there is no answer, or when that is no aggregated list. */
export function createAsking({ platform, metrics, pauses, ownOnly, ...services }: AskingOptions): Asking {
  const { kind, parameters } = aggregatedType('v2', platform)
  const type = `application/json;${parameters}`

  async function list(identity: string, path: string, signal: AbortSignal): Promise<readonly DiscoveredGroup[]> {
    const headers = { ...ownOnly, accept: `${type};profile=nopeer,${type}` }
    const told = await ask(identity, { path, user, headers, timeout, maxBytes: maxBytes, signal }, services).catch((error: unknown) => {
      if (error instanceof AskFailed) metrics.rerouted.add(['503', '', '', ''])
      throw error
    })
    metrics.rerouted.add([String(told.status), '', '', ''])
    if (told.status !== 200) throw new Error(`${told.url} answered ${told.status}`)
    const slices = pauses.slices(() => signal)
    const value = await parseInSlices(told.text, bounds, slices)
    const given = isObject(value) ? value : {}
    if (given['kind'] !== kind) throw new Error(`${told.url} answered with ${shortJson(given['kind'] ?? null, maxKind)} instead of ${kind}`)
    const items = Array.isArray(given['items']) ? given['items'] : []
    if (items.length > maxGroups) throw new Error(`${told.url} answered with more than ${maxGroups} groups`)
    const groups: DiscoveredGroup[] = []
    await eachInSlices(items, slices, (item) => void groups.push(decode(APIGroupDiscovery, item).value as unknown as DiscoveredGroup))
    return groups
  }

  async function lists(identity: string, signal: AbortSignal): Promise<readonly DiscoveredGroup[]> {
    try {
      return [...(await list(identity, '/api', signal)), ...(await list(identity, '/apis', signal))]
    } catch (error) {
      metrics.askingFailed.add([error instanceof NoAddress ? 'hostport_resolution' : 'fetch_discovery'])
      throw error
    }
  }

  return async (identity, signal) => {
    const all = await lists(identity, signal)
    const resources = new Map<string, ReadonlySet<string>>()
    for (const group of all) {
      for (const { version, resources: found = [] } of group.versions ?? [])
        resources.set(`${nameOf(group)}/${version}`, new Set(found.map(({ resource }) => resource)))
    }
    return { groups: all.filter((group) => nameOf(group) !== ''), resources }
  }
}
