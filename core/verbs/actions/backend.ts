/** Where requests to nodes, pods and services are forwarded to. */
import type { ApiObject } from '../../resources/definition.ts'
import { ApiError, badRequest, notFound } from '../../respond/status.ts'
import { isGlobalUnicast, parseAddress } from '../../schema/ip.ts'
import type { Target } from '../services.ts'

export interface Backend {
  readonly url: URL
  /** True: a node agent, called with the client certificate and certificate authority for node agents. */
  readonly isNodeAgent: boolean
}

/** Port of node agents that report none. */
const agentPort = 10_250

interface NodeStatus {
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } }
}

/** Reads an object of the core group. Throws NotFound. */
export async function find({ services: { table } }: Target, plural: string, namespace: string, name: string): Promise<ApiObject> {
  const resource = table.lookup('', 'v1', plural)
  const entry = resource && (await resource.store.get(resource.store.keys.of(namespace, name)))
  if (entry === undefined) throw notFound({ group: '', resource: plural }, name)
  return entry.decode()
}

/** `https://HOST:PORT` of a node's agent, by the order of preferred address types. Throws NotFound, or InternalError for a node without address. */
export async function nodeAgent(target: Target, nodeName: string): Promise<URL> {
  const node = await find(target, 'nodes', '', nodeName)
  const { addresses = [], daemonEndpoints } = (node['status'] ?? {}) as NodeStatus
  const { nodeAddressTypes } = target.services
  const preferred = nodeAddressTypes.flatMap((type) => addresses.find((each) => each.type === type) ?? [])[0]
  if (preferred === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
    throw new ApiError('InternalError', `no preferred addresses found; known addresses: [${known}]`)
  }
  return origin('https', preferred.address, daemonEndpoints?.kubeletEndpoint?.Port || agentPort)
}

/** A URL without path. `port` 0: the scheme's default. Throws 400 for a host that is no host name or IP address. */
export function origin(scheme: string, host: string, port: number | string): URL {
  const authority = host.includes(':') ? `[${host}]` : host
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
