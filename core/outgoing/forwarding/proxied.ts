/** Proxies to nodes, pods and services: the checks that precede forwarding, and where requests go. */

import { badRequest, serviceUnavailable } from '../../answers/status.ts'
import type { OutboundOptions } from '../../ports.ts'
import type { EndpointAddress } from '../../resources/core/endpoints.ts'
import { parsedInt64 } from '../../schema/go/parse-int.ts'
import type { Infer } from '../../schema/model.ts'
import { rotated } from '../service-address.ts'
import { hostOf, portOf } from '../url-parts.ts'
import { checkAddress, checkedAddress, originOf } from './addresses.ts'
import { at, connectTimeout, type Destination, queryOf } from './destination.ts'
import { agentOfNode, find, type LocatedRequest, type LocatingServices, type Options } from './located.ts'
import { cleanPath, escapePath } from './paths.ts'

interface SchemeNamePort {
  readonly scheme: string
  readonly name: string
  readonly port: string
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Throws 400. */
function splitPort(request: LocatedRequest, kind: string): SchemeNamePort {
  const parts = request.name.split(':')
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${kind} request ${JSON.stringify(request.name)}`)
  return { scheme: scheme === '' ? 'http' : scheme, name, port }
}

/** Adds the path and the query of the request. The path is decoded and clean, as in the reference: an encoded slash becomes a slash. */
function proxiedTo({ exchange: { request } }: LocatedRequest, { path }: Options, origin: URL, options: OutboundOptions = unverified) {
  const clean = escapePath(cleanPath(String(path ?? '')))
  return at({ origin, options }, clean === '' ? '' : clean + queryOf(request))
}

/** Certificates of pods and services are not verified: they are called by IP address, as in the reference. */
const unverified: OutboundOptions = { egress: 'cluster', insecure: true, connectTimeout }

/** `pods/proxy`: without a port, the first container port of the pod. */
export async function podAt(services: LocatingServices, request: LocatedRequest, options: Options): Promise<Destination> {
  const { scheme, name, port } = splitPort(request, 'pod')
  const pod = await find(services, request, 'pods', request.namespace, name)
  const podIP = pod.status?.podIP
  checkAddress(podIP)
  const first = pod.spec?.containers.flatMap(({ ports = [] }) => ports)[0]
  return proxiedTo(request, options, originOf(scheme, podIP ?? '', port === '' ? (first?.containerPort ?? 0) : port))
}

/** `nodes/proxy`: the node agent, or another port of the node. */
export async function nodeAt(services: LocatingServices, request: LocatedRequest, options: Options): Promise<Destination> {
  const { scheme, name, port } = splitPort(request, 'node')
  const { origin } = await agentOfNode(services, request, name)
  const isNodeAgent = port === '' || port === portOf(origin)
  const asked = isNodeAgent ? origin : originOf(scheme, hostOf(origin), port)
  const { nodeAgents, outbound } = services
  const address = await checkedAddress(outbound, asked)
  return proxiedTo(request, options, asked, { ...(isNodeAgent ? nodeAgents.options() : unverified), address })
}

/** Whether an address is that of a pod in the namespace of the service. */
async function isPod(services: LocatingServices, request: LocatedRequest, { ip, targetRef }: Infer<typeof EndpointAddress>) {
  if (targetRef?.name === undefined || targetRef.namespace !== request.namespace) return false
  const pod = await find(services, request, 'pods', request.namespace, targetRef.name).catch(() => undefined)
  return pod !== undefined && (pod.status?.podIPs ?? []).some((each) => each.ip === ip)
}

/** `services/proxy`: a random pod among the endpoints that have the port. */
export async function serviceAt(services: LocatingServices, request: LocatedRequest, options: Options): Promise<Destination> {
  const { scheme, name, port } = splitPort(request, 'service')
  let portName = port
  const number = parsedInt64(port)
  if (number !== undefined) {
    const service = await find(services, request, 'services', request.namespace, name)
    const found = service.spec?.ports?.find((each) => BigInt(each.port) === number)
    if (found === undefined) throw serviceUnavailable(`no service port ${number} found for service ${JSON.stringify(name)}`)
    portName = found.name ?? ''
  }
  const { subsets = [] } = await find(services, request, 'endpoints', request.namespace, name)
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  for (const { addresses = [], ports = [] } of rotated(subsets)) {
    const offered = ports.find((each) => (each.name ?? '') === portName)
    if (offered === undefined) continue
    for (const address of rotated(addresses))
      if (await isPod(services, request, address)) return proxiedTo(request, options, originOf(scheme, address.ip, offered.port))
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(request.name)}`)
}
