/** Requests to nodes, pods and services, and the stored objects that say where those are. */

import { type GroupResource, notFound, unreasoned } from '../../answers/status.ts'
import type { ResourceTable } from '../../objects/registry/served.ts'
import type { Outbound } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { Endpoints } from '../../resources/core/endpoints.ts'
import type { Node } from '../../resources/core/node.ts'
import type { Pod } from '../../resources/core/pod.ts'
import type { Service } from '../../resources/core/service.ts'
import type { ClusterSettings, Infer } from '../../schema/model.ts'
import { originOf } from './addresses.ts'
import type { NodeAgents } from './node-agents.ts'

/** A request to a node, pod or service of this name. */
export interface LocatedRequest {
  readonly exchange: Exchange
  readonly namespace: string
  readonly name: string
  readonly resource: { readonly groupResource: GroupResource }
  /** The subresource. */
  readonly view: { readonly name: string }
}

/** For finding nodes, pods and services. */
export interface LocatingServices {
  readonly table: ResourceTable
  readonly settings: Pick<ClusterSettings, 'enabled'>
  readonly outbound: Outbound
  readonly nodeAgents: NodeAgents
  /** Preferred types of node addresses, in order. */
  readonly nodeAddressTypes: readonly string[]
}

/** Options of a request, after admission. */
export type Options = { readonly [name: string]: unknown }

/** Resources of the core group. */
interface Objects {
  readonly endpoints: Infer<typeof Endpoints>
  readonly nodes: Infer<typeof Node>
  readonly pods: Infer<typeof Pod>
  readonly services: Infer<typeof Service>
}

/** Reads an object. Throws NotFound, which names the resource of the request, as in the reference. */
export async function find<Plural extends keyof Objects>(
  { table }: LocatingServices,
  { resource: { groupResource } }: LocatedRequest,
  plural: Plural,
  namespace: string,
  name: string,
): Promise<Objects[Plural]> {
  const resource = table.lookup('', 'v1', plural)
  const entry = resource && (await resource.store.get({ namespace, name }))
  if (entry === undefined) throw notFound(groupResource, name)
  return entry.copy() as unknown as Objects[Plural]
}

/** Port of node agents that report none. */
const agentPort = 10_250

/** A node's agent, with the names of the features that the node declares. */
export interface NodeAgent {
  readonly origin: URL
  readonly features: readonly string[]
}

/** The agent of a node, by the order of preferred address types. Throws NotFound, or 500 for a node without address. */
export async function agentOfNode(services: LocatingServices, request: LocatedRequest, nodeName: string): Promise<NodeAgent> {
  const { status } = await find(services, request, 'nodes', '', nodeName)
  const addresses = status?.addresses ?? []
  const preferred = services.nodeAddressTypes.flatMap((type) => addresses.find((each) => each.type === type) ?? [])[0]
  if (preferred === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
    throw unreasoned(`no preferred addresses found; known addresses: [${known}]`)
  }
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port || agentPort
  return { origin: originOf('https', preferred.address, port), features: status?.declaredFeatures ?? [] }
}
