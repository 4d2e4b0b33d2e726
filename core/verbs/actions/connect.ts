/** Connect requests to nodes, pods and services: admission, the look-up of the target, then forwarding. */
import { attributesOf } from '../../access/authz/authorizer.ts'
import { Reply } from '../../answers/reply.ts'
import { badRequest, forbidden } from '../../answers/status.ts'
import { ourWords } from '../../config/words.ts'
import { type AgentDestination, forwardTo, logOf, streamOf } from '../../outgoing/forwarding/agent-paths.ts'
import { at, type Destination } from '../../outgoing/forwarding/destination.ts'
import { isUpgrade } from '../../outgoing/forwarding/headers.ts'
import type { Options } from '../../outgoing/forwarding/located.ts'
import { relayLog } from '../../outgoing/forwarding/log.ts'
import { nodeAt, podAt, serviceAt } from '../../outgoing/forwarding/proxied.ts'
import { relayRequest, withSlash } from '../../outgoing/forwarding/relay.ts'
import { relayCommand, wantsTranslation } from '../../outgoing/forwarding/remote-command.ts'
import { relayTunnel, wantsTunnel } from '../../outgoing/forwarding/tunnel.ts'
import { relayUpgrade } from '../../outgoing/forwarding/upgrade.ts'
import { isWebSocket } from '../../outgoing/websocket/handshake.ts'
import { PodLogOptions } from '../../resources/core/pod-options.ts'
import { negotiate } from '../respond.ts'
import type { Target, Verb } from '../services.ts'
import { submitConnect } from '../submission.ts'
import type { VerbHandlers } from './action.ts'
import { connectOptions, optionsOf } from './connect-options.ts'

type Locate<Found = Destination> = (target: Target, options: Options) => Promise<Found>

/** The options of the request, after admission. */
async function admitted(target: Target): Promise<Options> {
  const { resource, view } = target
  const { group, version, subresources } = resource.definition
  const subresource = subresources.find(({ name }) => name === view.name)
  if (!subresource?.connects) return {}
  const options = connectOptions(target, subresource, group, version)
  const { kind, schema } = subresource
  const submission = submitConnect({ ...target, view: { ...view, body: { group, version, kind, schema } } })
  const mutated = await submission.mutate(options, undefined)
  await submission.validate(mutated, undefined)
  return mutated
}

/** Commands and streams change something, whatever the method: a GET needs the right to create too (issue 133515 of the reference). */
async function authorizeCreate({ exchange, services: { authorizer, settings } }: Target): Promise<void> {
  const { info, user } = exchange
  if (info.verb === 'create' || !settings.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return
  const { verdict, reason } = await authorizer.authorize({ ...attributesOf(user, info), verb: 'create' }, exchange)
  if (verdict !== 'allow') throw forbidden(info, info.name, reason)
}

/** Whether a WebSocket goes to the node agent as it is, because the agent can serve it. */
const servedByAgent = ({ services: { platform, settings } }: Target, { features }: AgentDestination) =>
  settings.enabled(agentWebSockets) && features.some((each) => ourWords(each, platform) === agentWebSockets)

const agentWebSockets = 'ExtendWebSocketsToNodeagent'

/** Answers a request to switch protocols: `unpack` in the server's own way, others by passing them on. */
function upgraded(
  locate: Locate<AgentDestination>,
  gate: string,
  unpack: (target: Target, destination: Destination, options: Options) => Promise<Response> | undefined,
): VerbHandlers {
  const verb: Verb = async (target) => {
    const { exchange, services } = target
    const options = await admitted(target)
    await authorizeCreate(target)
    const agent = await locate(target, options)
    if (!isUpgrade(exchange.request)) throw badRequest('Upgrade request required')
    const isStream = isWebSocket(exchange.request) && services.settings.enabled(gate)
    const direct = isStream && servedByAgent(target, agent)
    if (isStream) {
      const server = direct ? `proxied_to_${services.platform.agent}` : 'translated_at_apiserver'
      services.forwarding.streamed.add([exchange.info.subresource, server])
    }
    return (isStream && !direct ? unpack(target, agent, options) : undefined) ?? relayUpgrade(exchange, agent, services)
  }
  return { verbs: { get: verb, create: verb } }
}

const flagOf = (options: Options, name: string) => options[name] === true

const rootMethods = new Set(['GET', 'HEAD'])

function proxied(locate: Locate): VerbHandlers {
  const verb: Verb = async (target) => {
    const { exchange, services } = target
    const found = await locate(target, await admitted(target))
    const below = found.options.target
    const destination = at(found, below || '/')
    if (isUpgrade(exchange.request)) return relayUpgrade(exchange, destination, services)
    if (below === '' && rootMethods.has(exchange.request.method)) return withSlash(exchange.request)
    return relayRequest(exchange, destination, services)
  }
  // The empty verb is OPTIONS.
  return { verbs: { get: verb, create: verb, update: verb, patch: verb, delete: verb, '': verb } }
}

const readLog: Verb = async (target) => {
  const { exchange, name, services } = target
  negotiate(target)
  const options = optionsOf(exchange.query, PodLogOptions)
  const unverified = flagOf(options, 'insecureSkipTLSVerifyBackend')
  services.forwarding.logs.add([unverified ? 'skip_tls_allowed' : 'enforce_tls'])
  const destination = await logOf(target, options, unverified)
  if (destination === undefined) return new Reply(null, { status: 204 })
  return relayLog(exchange, { destination, pod: name, follows: flagOf(options, 'follow') }, services)
}

export const podForward = upgraded(forwardTo, 'PortForwardWebsockets', ({ exchange, services }, destination) =>
  wantsTunnel(exchange.request, services.platform) ? relayTunnel(exchange, destination, services) : undefined,
)
export const podLog: VerbHandlers = { verbs: { get: readLog }, tables: false }
export const podProxy = proxied(podAt)
export const podStream = upgraded(streamOf, 'TranslateStreamCloseWebsocketRequests', ({ exchange, services }, destination, options) => {
  if (!wantsTranslation(exchange.request, services.platform)) return undefined
  const [stdin, stdout, stderr, tty] = ['stdin', 'stdout', 'stderr', 'tty'].map((name) => flagOf(options, name)) as [
    boolean,
    boolean,
    boolean,
    boolean,
  ]
  return relayCommand(exchange, destination, { stdin, stdout, stderr, tty }, services)
})
export const nodeProxy = proxied(nodeAt)
export const serviceProxy = proxied(serviceAt)
