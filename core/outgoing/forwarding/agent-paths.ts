/** Paths of node agents for the containers of pods: commands, port-forwards and logs. */

import { badRequest, invalid } from '../../answers/status.ts'
import type { Pod as PodSchema } from '../../resources/core/pod.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { Destination } from './destination.ts'
import { agentOfNode, find, type LocatedRequest, type LocatingServices, type Options } from './located.ts'
import { escapePath } from './paths.ts'

type Pod = Infer<typeof PodSchema>

const podOf = (services: LocatingServices, request: LocatedRequest) => find(services, request, 'pods', request.namespace, request.name)

/** The named container, or the only one. Throws 400. */
function containerOf(request: LocatedRequest, pod: Pod, { container }: Options): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {}
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  if (typeof container === 'string' && container !== '') {
    if (names.includes(container)) return container
    throw badRequest(`container ${container} is not valid for pod ${request.name}`)
  }
  const [only, ...further] = containers
  if (only !== undefined && further.length === 0) return only.name
  throw badRequest(`a container name must be specified for pod ${request.name}, choose one of: [${names.join(' ')}]`)
}

/** Another server that is a node agent, with the names of the features that its node declares. */
export interface AgentDestination extends Destination {
  readonly features: readonly string[]
}

/** A path of the agent on the pod's node; `unverified`: whatever the agent's certificate. Throws 400 for a pod without a node. */
async function agentOf(
  services: LocatingServices,
  request: LocatedRequest,
  pod: Pod,
  path: readonly string[],
  query: URLSearchParams,
  unverified = false,
): Promise<AgentDestination> {
  const nodeName = pod.spec?.nodeName
  if (!nodeName) throw badRequest(`pod ${request.name} does not have a host assigned`)
  const { origin, features } = await agentOfNode(services, request, nodeName)
  // As Go encodes a query: sorted by name.
  query.sort()
  const search = query.size === 0 ? '' : `?${query}`
  const target = escapePath(path.map((element) => `/${element}`).join('')) + search
  return { origin, features, options: { ...services.nodeAgents.options(unverified), target } }
}

/** Query parameters of node agents for the streams of `exec` and `attach`. */
const streams: { readonly [option: string]: string } = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' }

/** `pods/exec` and `pods/attach`. */
export async function streamOf(services: LocatingServices, request: LocatedRequest, options: Options): Promise<AgentDestination> {
  const pod = await podOf(services, request)
  const container = containerOf(request, pod, options)
  const query = new URLSearchParams()
  for (const [option, parameter] of Object.entries(streams)) if (options[option] === true) query.set(parameter, '1')
  for (const argument of (options['command'] ?? []) as readonly string[]) query.append('command', argument)
  return agentOf(services, request, pod, [request.view.name, request.namespace, request.name, container], query)
}

/** `pods/portforward`. */
export async function forwardTo(services: LocatingServices, request: LocatedRequest, { ports }: Options): Promise<AgentDestination> {
  const query = new URLSearchParams()
  if (Array.isArray(ports) && ports.length > 0) query.set('port', ports.join(','))
  return agentOf(services, request, await podOf(services, request), ['portForward', request.namespace, request.name], query)
}

const logStreams = ['All', 'Stderr', 'Stdout']

/** `bySource`: the gate PodLogsQuerySplitStreams, with which a log can be that of one stream. */
function validateLogOptions({ name }: LocatedRequest, options: Options, bySource: boolean): void {
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
export async function logOf(
  services: LocatingServices,
  request: LocatedRequest,
  given: Options,
  unverified: boolean,
): Promise<Destination | undefined> {
  const bySource = services.settings.enabled('PodLogsQuerySplitStreams')
  const options = bySource ? { stream: 'All', ...given } : given
  validateLogOptions(request, options, bySource)
  const pod = await podOf(services, request)
  const container = containerOf(request, pod, options)
  if (!pod.spec?.nodeName) return undefined
  const query = new URLSearchParams()
  for (const name of logOptions) if (options[name] !== undefined) query.set(name, String(options[name]))
  return agentOf(services, request, pod, ['containerLogs', request.namespace, request.name, container], query, unverified)
}
