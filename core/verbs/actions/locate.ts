/** Target look-up of requests to nodes, pods and services, with the checks that precede forwarding. */
import type { ApiObject } from '../../resources/definition.ts'
import { ApiError, badRequest, invalid, notFound, serviceUnavailable } from '../../respond/status.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Target } from '../services.ts'
import { specOf, statusOf } from './pod.ts'

async function find({ services: { table } }: Target, plural: string, namespace: string, name: string): Promise<ApiObject> {
  const resource = table.lookup('', 'v1', plural)
  const entry = resource && (await resource.store.get(resource.store.keys.of(namespace, name)))
  if (entry === undefined) throw notFound({ group: '', resource: plural }, name)
  return entry.decode()
}

/** Throws unless the node has an address. */
async function nodeAgent(target: Target, name: string): Promise<void> {
  const node = await find(target, 'nodes', '', name)
  const { addresses = [] } = (node['status'] ?? {}) as { addresses?: readonly object[] }
  if (addresses.length === 0) throw new ApiError('InternalError', 'no preferred addresses found; known addresses: []')
}

/** Validates the named container, or requires that there is only one. Throws 400. */
function validateContainer(target: Target, pod: ApiObject): void {
  const { containers, initContainers = [], ephemeralContainers = [] } = specOf(pod)
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  const wanted = target.exchange.query.get('container') ?? ''
  if (wanted === '' && containers.length > 1)
    throw badRequest(`a container name must be specified for pod ${target.name}, choose one of: [${names.join(' ')}]`)
  if (wanted !== '' && !names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${target.name}`)
}

async function podHost(target: Target, pod: ApiObject): Promise<void> {
  const { nodeName } = specOf(pod)
  if (!nodeName) throw badRequest(`pod ${target.name} does not have a host assigned`)
  await nodeAgent(target, nodeName)
}

const podOf = (target: Target) => find(target, 'pods', target.namespace, target.name)

/** `pods/exec` and `pods/attach`. */
export async function streamOf(target: Target): Promise<void> {
  const pod = await podOf(target)
  validateContainer(target, pod)
  await podHost(target, pod)
}

/** `pods/portforward`. */
export async function forwardTo(target: Target): Promise<void> {
  await podHost(target, await podOf(target))
}

function validateLogOptions({ exchange: { query }, name }: Target): void {
  const errors = new FieldErrors()
  const number = (key: string) => (query.has(key) ? Number(query.get(key)) : undefined)
  const atLeast = (key: string, least: 0 | 1) => {
    const value = number(key)
    if (value !== undefined && value < least)
      errors.invalid(FieldPath.of(key), value, least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0')
  }
  atLeast('tailLines', 0)
  atLeast('limitBytes', 1)
  if (query.has('sinceSeconds') && query.has('sinceTime'))
    errors.forbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified')
  else atLeast('sinceSeconds', 1)
  if (errors.list.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors.list)
}

/** `pods/log`: false when the pod has no node and therefore no log. */
export async function logOf(target: Target): Promise<boolean> {
  validateLogOptions(target)
  const pod = await podOf(target)
  validateContainer(target, pod)
  if (!specOf(pod).nodeName) return false
  await podHost(target, pod)
  return true
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Throws 400. */
function splitPort(target: Target, kind: string): { name: string; port: string } {
  const parts = target.name.split(':')
  const [scheme, name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme ?? ''))
    throw badRequest(`invalid ${kind} request ${JSON.stringify(target.name)}`)
  return { name, port }
}

/** `pods/proxy`. */
export async function podAt(target: Target): Promise<void> {
  const pod = await find(target, 'pods', target.namespace, splitPort(target, 'pod').name)
  if (!statusOf(pod).podIP) throw badRequest('address not allowed')
}

/** `nodes/proxy`. */
export const nodeAt = (target: Target) => nodeAgent(target, splitPort(target, 'node').name)

interface ServicePort {
  readonly name?: string
  readonly port: number
}

interface Subset {
  readonly addresses?: readonly object[]
  readonly ports?: readonly ServicePort[]
}

/** `services/proxy`: an endpoint of the service must have the port. */
export async function serviceAt(target: Target): Promise<void> {
  const { name, port } = splitPort(target, 'service')
  let portName = port
  if (/^\d+$/.test(port)) {
    const service = await find(target, 'services', target.namespace, name)
    const { ports = [] } = (service['spec'] ?? {}) as { ports?: readonly ServicePort[] }
    const found = ports.find((each) => each.port === Number(port))
    if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
    portName = found.name ?? ''
  }
  const endpoints = await find(target, 'endpoints', target.namespace, name)
  const { subsets = [] } = endpoints as { subsets?: readonly Subset[] }
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  const offers = ({ addresses = [], ports = [] }: Subset) => addresses.length > 0 && ports.some((each) => (each.name ?? '') === portName)
  if (!subsets.some(offers)) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(target.name)}`)
}
