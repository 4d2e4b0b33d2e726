/** Target look-up of requests to nodes, pods and services: the checks that precede forwarding, and the URL to forward to. */
import { queryOf } from '../../outgoing/forwarding/destination.ts'
import { cleanPath, escapePath } from '../../outgoing/forwarding/paths.ts'
import { rotated } from '../../outgoing/webhook/service-address.ts'
import { hostOf, portOf } from '../../outgoing/webhook/url-parts.ts'
import { parsedInt64 } from '../../request/query.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { badRequest, invalid, serviceUnavailable } from '../../respond/status.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Target } from '../services.ts'
import { type Backend, checkAddress, checkedAddress, find, nodeAgent, originOf } from './backend.ts'
import { specOf, statusOf } from './pod.ts'

/** Options of a request, after admission. */
export type Options = { readonly [name: string]: unknown }

const podOf = (target: Target) => find(target, 'pods', target.namespace, target.name)

/** The named container, or the only one. Throws 400. */
function containerOf(target: Target, pod: ApiObject, { container }: Options): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = specOf(pod)
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  if (typeof container === 'string' && container !== '') {
    if (names.includes(container)) return container
    throw badRequest(`container ${container} is not valid for pod ${target.name}`)
  }
  const [only, ...further] = containers
  if (only !== undefined && further.length === 0) return only.name
  throw badRequest(`a container name must be specified for pod ${target.name}, choose one of: [${names.join(' ')}]`)
}

/** A backend that is the agent of a pod's node, with the names of the features that the node declares. */
export interface AgentBackend extends Backend {
  readonly features: readonly string[]
}

/** A path of the agent on the pod's node. Throws 400 for a pod without a node. */
async function agentOf(target: Target, pod: ApiObject, path: readonly string[], query: URLSearchParams): Promise<AgentBackend> {
  const { nodeName } = specOf(pod)
  if (!nodeName) throw badRequest(`pod ${target.name} does not have a host assigned`)
  const agent = await nodeAgent(target, nodeName)
  // As Go encodes a query: sorted by name.
  query.sort()
  const search = query.size === 0 ? '' : `?${query}`
  return { ...agent, target: escapePath(path.map((element) => `/${element}`).join('')) + search, isNodeAgent: true }
}

/** Query parameters of node agents for the streams of `exec` and `attach`. */
const streams: { readonly [option: string]: string } = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' }

/** `pods/exec` and `pods/attach`. */
export async function streamOf(target: Target, options: Options): Promise<AgentBackend> {
  const pod = await podOf(target)
  const container = containerOf(target, pod, options)
  const query = new URLSearchParams()
  for (const [option, parameter] of Object.entries(streams)) if (options[option] === true) query.set(parameter, '1')
  for (const argument of (options['command'] ?? []) as readonly string[]) query.append('command', argument)
  return agentOf(target, pod, [target.view.name, target.namespace, target.name, container], query)
}

/** `pods/portforward`. */
export async function forwardTo(target: Target, { ports }: Options): Promise<AgentBackend> {
  const query = new URLSearchParams()
  if (Array.isArray(ports) && ports.length > 0) query.set('port', ports.join(','))
  return agentOf(target, await podOf(target), ['portForward', target.namespace, target.name], query)
}

const logStreams = ['All', 'Stderr', 'Stdout']

/** `bySource`: the gate PodLogsQuerySplitStreams, with which a log can be that of one stream. */
function validateLogOptions({ name }: Target, options: Options, bySource: boolean): void {
  const errors = new FieldErrors()
  const atLeast = (key: string, min: 0 | 1) => {
    const value = options[key]
    if (typeof value === 'number' && value < min)
      errors.invalid(FieldPath.of(key), value, min === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0')
  }
  atLeast('tailLines', 0)
  atLeast('limitBytes', 1)
  if (options['sinceSeconds'] !== undefined && options['sinceTime'] !== undefined)
    errors.forbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified')
  else atLeast('sinceSeconds', 1)
  const { stream } = options
  if (stream !== undefined && !bySource) errors.forbidden(FieldPath.of('stream'), 'may not be specified')
  else if (stream !== undefined) {
    if (!logStreams.includes(String(stream))) errors.notSupported(FieldPath.of('stream'), String(stream), logStreams)
    if (stream !== 'All' && options['tailLines'] !== undefined)
      errors.forbidden(FieldPath.of(''), '`tailLines` and specific `stream` are mutually exclusive for now')
  }
  if (errors.list.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors.list)
}

/** Log options that node agents get as they are. */
const logOptions = ['follow', 'previous', 'timestamps', 'sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream']

/** `pods/log`: undefined when the pod has no node and therefore no log. */
export async function logOf(target: Target, given: Options): Promise<Backend | undefined> {
  const bySource = target.services.settings.enabled('PodLogsQuerySplitStreams')
  const options = bySource ? { stream: 'All', ...given } : given
  validateLogOptions(target, options, bySource)
  const pod = await podOf(target)
  const container = containerOf(target, pod, options)
  if (!specOf(pod).nodeName) return undefined
  const query = new URLSearchParams()
  for (const name of logOptions) if (options[name] !== undefined) query.set(name, String(options[name]))
  return agentOf(target, pod, ['containerLogs', target.namespace, target.name, container], query)
}

interface SchemeNamePort {
  readonly scheme: string
  readonly name: string
  readonly port: string
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Throws 400. */
function splitPort(target: Target, kind: string): SchemeNamePort {
  const parts = target.name.split(':')
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${kind} request ${JSON.stringify(target.name)}`)
  return { scheme: scheme === '' ? 'http' : scheme, name, port }
}

/** Adds the path and the query of the request. The path is decoded and clean, as in the reference: an encoded slash becomes a slash. */
function proxiedTo({ exchange: { request } }: Target, { path }: Options, origin: URL): Backend {
  const clean = escapePath(cleanPath(String(path ?? '')))
  return { origin, target: clean === '' ? '' : clean + queryOf(request), isNodeAgent: false }
}

/** `pods/proxy`: without a port, the first container port of the pod. */
export async function podAt(target: Target, options: Options): Promise<Backend> {
  const { scheme, name, port } = splitPort(target, 'pod')
  const pod = await find(target, 'pods', target.namespace, name)
  const { podIP } = statusOf(pod)
  checkAddress(podIP)
  const first = specOf(pod).containers.flatMap(({ ports = [] }) => ports)[0]
  return proxiedTo(target, options, originOf(scheme, podIP ?? '', port === '' ? (first?.containerPort ?? 0) : port))
}

/** `nodes/proxy`: the node agent, or another port of the node. */
export async function nodeAt(target: Target, options: Options): Promise<Backend> {
  const { scheme, name, port } = splitPort(target, 'node')
  const { origin } = await nodeAgent(target, name)
  const isNodeAgent = port === '' || port === portOf(origin)
  const asked = isNodeAgent ? origin : originOf(scheme, hostOf(origin), port)
  return { ...proxiedTo(target, options, asked), address: await checkedAddress(target, asked), isNodeAgent }
}

interface ServicePort {
  readonly name?: string
  readonly port: number
}

interface EndpointAddress {
  readonly ip: string
  readonly targetRef?: { readonly namespace?: string; readonly name?: string }
}

interface Subset {
  readonly addresses?: readonly EndpointAddress[]
  readonly ports?: readonly ServicePort[]
}

/** Whether an address is that of a pod in the namespace of the service. */
async function isPod(target: Target, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  if (targetRef?.name === undefined || targetRef.namespace !== target.namespace) return false
  const pod = await find(target, 'pods', target.namespace, targetRef.name).catch(() => undefined)
  return pod !== undefined && (statusOf(pod).podIPs ?? []).some((each) => each.ip === ip)
}

/** `services/proxy`: a random pod among the endpoints that have the port. */
export async function serviceAt(target: Target, options: Options): Promise<Backend> {
  const { scheme, name, port } = splitPort(target, 'service')
  let portName = port
  const number = parsedInt64(port)
  if (number !== undefined) {
    const service = await find(target, 'services', target.namespace, name)
    const { ports = [] } = (service['spec'] ?? {}) as { ports?: readonly ServicePort[] }
    const found = ports.find((each) => BigInt(each.port) === number)
    if (found === undefined) throw serviceUnavailable(`no service port ${number} found for service ${JSON.stringify(name)}`)
    portName = found.name ?? ''
  }
  const endpoints = await find(target, 'endpoints', target.namespace, name)
  const { subsets = [] } = endpoints as { subsets?: readonly Subset[] }
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  for (const { addresses = [], ports = [] } of rotated(subsets)) {
    const offered = ports.find((each) => (each.name ?? '') === portName)
    if (offered === undefined) continue
    for (const address of rotated(addresses))
      if (await isPod(target, address)) return proxiedTo(target, options, originOf(scheme, address.ip, offered.port))
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(target.name)}`)
}
