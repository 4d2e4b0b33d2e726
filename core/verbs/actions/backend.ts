/** Where requests to nodes, pods and services are forwarded to. */

import { lookupError } from '../../outgoing/webhook/dial-error.ts'
import { addressOf, hostOf, portOf } from '../../outgoing/webhook/url-parts.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { badRequest, notFound, unreasoned } from '../../respond/status.ts'
import { isGlobalUnicast, parseAddress } from '../../schema/ip.ts'
import type { Target } from '../services.ts'

export interface Backend {
  readonly origin: URL
  /** Path and query, as they are sent. Empty: a proxy request without a path. */
  readonly target: string
  /** `HOST:PORT` to connect to, which has been checked; absent: those of the origin. */
  readonly address?: string
  /** True: a node agent, called with the client certificate and certificate authority for node agents. */
  readonly isNodeAgent: boolean
}

/** A node agent, with the names of the features that its node declares. */
export interface AgentOrigin {
  readonly origin: URL
  readonly features: readonly string[]
}

/** Port of node agents that report none. */
const agentPort = 10_250

interface NodeStatus {
  readonly declaredFeatures?: readonly string[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } }
}

/** Reads an object of the core group. Throws NotFound, which names the resource of the request, as in the reference. */
export async function find(
  { services: { table }, resource: { groupResource } }: Target,
  plural: string,
  namespace: string,
  name: string,
): Promise<ApiObject> {
  const resource = table.lookup('', 'v1', plural)
  const entry = resource && (await resource.store.get(resource.store.keys.of(namespace, name)))
  if (entry === undefined) throw notFound(groupResource, name)
  return entry.decode()
}

/** `https://HOST:PORT` of a node's agent, by the order of preferred address types. Throws NotFound, or 500 for a node without address. */
export async function nodeAgent(target: Target, nodeName: string): Promise<AgentOrigin> {
  const node = await find(target, 'nodes', '', nodeName)
  const { addresses = [], daemonEndpoints, declaredFeatures = [] } = (node['status'] ?? {}) as NodeStatus
  const { nodeAddressTypes } = target.services
  const preferred = nodeAddressTypes.flatMap((type) => addresses.find((each) => each.type === type) ?? [])[0]
  if (preferred === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
    throw unreasoned(`no preferred addresses found; known addresses: [${known}]`)
  }
  return { origin: originOf('https', preferred.address, daemonEndpoints?.kubeletEndpoint?.Port || agentPort), features: declaredFeatures }
}

/** A URL without path. `port` 0: the scheme's default. Throws 400 for a host that is no host name or IP address, and for what is no port. */
export function originOf(scheme: string, host: string, port: number | string): URL {
  const authority = host.includes(':') ? `[${host}]` : host
  // The URL parser decodes escapes, maps characters to others, and ignores what follows some of them.
  if (!/^[\w.:-]*$/.test(host) || !/^\d*$/.test(String(port))) throw badRequest('address not allowed')
  try {
    const url = new URL(`${scheme}://${authority}${port === 0 || port === '' ? '' : `:${port}`}`)
    if (url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '') return url
  } catch {
    // Reported below.
  }
  throw badRequest('address not allowed')
}

/** Throws 400 for IP addresses that requests are never forwarded to, such as loopback and link-local ones. */
export function checkAddress(ip: string | undefined): void {
  const address = ip === undefined ? undefined : parseAddress(ip)
  if (address === undefined || !isGlobalUnicast(address)) throw badRequest('address not allowed')
}

/**
 * The address to connect to for a host: requests go to one that has been checked, whatever a second look-up would answer. Throws 400 for hosts
 * with an address that requests are never forwarded to.
 */
export async function checkedAddress({ services: { outbound } }: Target, origin: URL): Promise<string> {
  const host = hostOf(origin)
  if (parseAddress(host) !== undefined) {
    checkAddress(host)
    return addressOf(origin)
  }
  if (outbound.resolve === undefined) throw badRequest(`lookup ${host}: this runtime can't look up host names`)
  const addresses = await outbound.resolve(host).catch((error: unknown) => {
    throw badRequest(lookupError(error, host))
  })
  const [first = ''] = addresses
  if (first === '') throw badRequest('no addresses for hostname')
  for (const address of addresses) checkAddress(address)
  return addressOf(new URL(`${origin.protocol}//${first.includes(':') ? `[${first}]` : first}:${portOf(origin)}`))
}
