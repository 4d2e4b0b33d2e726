/** Connect requests to nodes, pods and services: admission, the look-up of the target, then forwarding. */
import { attributesOf } from '../../access/authz/authorizer.ts'
import { negotiate } from '../../answers/rendering/respond.ts'
import { Reply } from '../../answers/reply.ts'
import { badRequest, forbidden } from '../../answers/status.ts'
import { ourWords } from '../../config/words.ts'
import { type AgentDestination, forwardTo, logOf, streamOf } from '../../outgoing/forwarding/agent-paths.ts'
import { at, type Destination } from '../../outgoing/forwarding/destination.ts'
import type { Options } from '../../outgoing/forwarding/located.ts'
import { relayLog } from '../../outgoing/forwarding/log.ts'
import { nodeAt, podAt, serviceAt } from '../../outgoing/forwarding/proxied.ts'
import { relayRequest, withSlash } from '../../outgoing/forwarding/relay.ts'
import { relayCommand, wantsTranslation } from '../../outgoing/forwarding/remote-command.ts'
import { relayTunnel, wantsTunnel } from '../../outgoing/forwarding/tunnel.ts'
import { relayUpgrade } from '../../outgoing/forwarding/upgrade.ts'
import { isWebSocket } from '../../outgoing/websocket/handshake.ts'
import { isUpgrade } from '../../request/connection-options.ts'
import type { Exchange } from '../../request/exchange.ts'
import { PodLogOptions } from '../../resources/core/pod-options.ts'
import type { Services, Target, Verb, WriteServices } from '../services.ts'
import { submitConnect } from '../submission.ts'
import type { Connections, VerbHandlers } from './action.ts'
import { connectOptions, optionsOf } from './connect-options.ts'

type Agents = Services['agents']
type Locate<Found = Destination> = (agents: Agents, target: Target, options: Options) => Promise<Found>

/** The options of the request, after admission. */
async function admitted(writes: WriteServices, target: Target): Promise<Options> {
  const { resource, view } = target
  const { group, version, subresources } = resource.definition
  const subresource = subresources.find(({ name }) => name === view.name)
  if (!subresource?.connects) return {}
  const options = connectOptions(target, subresource, group, version)
  const { kind, schema } = subresource
  const submission = submitConnect(writes, { ...target, view: { ...view, body: { group, version, kind, schema } } })
  const mutated = await submission.mutate(options, undefined)
  await submission.validate(mutated, undefined)
  return mutated
}

/** Commands and streams change something, whatever the method: a GET needs the right to create too (issue 133515 of the reference). */
async function authorizeCreate({ authorizer, settings }: WriteServices, { exchange }: Target): Promise<void> {
  const { info, user } = exchange
  if (info.verb === 'create' || !settings.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return
  const { verdict, reason } = await authorizer.authorize({ ...attributesOf(user, info), verb: 'create' }, exchange)
  if (verdict !== 'allow') throw forbidden(info, info.name, reason)
}

/** Whether a WebSocket goes to the node agent as it is, because the agent can serve it. */
const servedByAgent = ({ platform, settings }: Agents, { features }: AgentDestination) =>
  settings.enabled(agentWebSockets) && features.some((each) => ourWords(each, platform) === agentWebSockets)

const agentWebSockets = 'ExtendWebSocketsToNodeagent'

const flagOf = (options: Options, name: string) => options[name] === true

const rootMethods = new Set(['GET', 'HEAD'])

/** The handlers of what nodes, pods and services answer. */
export const connections: Connections = ({ agents, writes, answers }) => {
  const { platform, settings, forwarding } = agents

  /** Answers a request to switch protocols: `unpack` in the server's own way, others by passing them on. */
  function upgraded(
    locate: Locate<AgentDestination>,
    gate: string,
    unpack: (exchange: Exchange, destination: Destination, options: Options) => Promise<Response> | undefined,
  ): VerbHandlers {
    const verb: Verb = async (target) => {
      const { exchange } = target
      const options = await admitted(writes, target)
      await authorizeCreate(writes, target)
      const agent = await locate(agents, target, options)
      if (!isUpgrade(exchange.request)) throw badRequest('Upgrade request required')
      const isStream = isWebSocket(exchange.request) && settings.enabled(gate)
      const direct = isStream && servedByAgent(agents, agent)
      if (isStream) {
        const server = direct ? `proxied_to_${platform.agent}` : 'translated_at_apiserver'
        forwarding.streamed.add([exchange.info.subresource, server])
      }
      return (isStream && !direct ? unpack(exchange, agent, options) : undefined) ?? relayUpgrade(exchange, agent, agents)
    }
    return { verbs: { get: verb, create: verb } }
  }

  function proxied(locate: Locate): VerbHandlers {
    const verb: Verb = async (target) => {
      const { exchange } = target
      const found = await locate(agents, target, await admitted(writes, target))
      const below = found.options.target
      const destination = at(found, below || '/')
      if (isUpgrade(exchange.request)) return relayUpgrade(exchange, destination, agents)
      if (below === '' && rootMethods.has(exchange.request.method)) return withSlash(exchange.request)
      return relayRequest(exchange, destination, agents)
    }
    // The empty verb is OPTIONS.
    return { verbs: { get: verb, create: verb, update: verb, patch: verb, delete: verb, '': verb } }
  }

  const readLog: Verb = async (target) => {
    const { exchange, name } = target
    negotiate(answers, target)
    const options = optionsOf(exchange.query, PodLogOptions)
    const unverified = flagOf(options, 'insecureSkipTLSVerifyBackend')
    forwarding.logs.add([unverified ? 'skip_tls_allowed' : 'enforce_tls'])
    const destination = await logOf(agents, target, options, unverified)
    if (destination === undefined) return new Reply(null, { status: 204 })
    return relayLog(exchange, { destination, pod: name, follows: flagOf(options, 'follow') }, agents)
  }

  const tunnel = (exchange: Exchange, destination: Destination) =>
    wantsTunnel(exchange.request, platform) ? relayTunnel(exchange, destination, agents) : undefined

  function command(exchange: Exchange, destination: Destination, options: Options) {
    if (!wantsTranslation(exchange.request, platform)) return undefined
    const wanted = (name: string) => flagOf(options, name)
    const streams = { stdin: wanted('stdin'), stdout: wanted('stdout'), stderr: wanted('stderr'), tty: wanted('tty') }
    return relayCommand(exchange, destination, streams, agents)
  }

  return {
    nodeProxy: proxied(nodeAt),
    podForward: upgraded(forwardTo, 'PortForwardWebsockets', tunnel),
    podLog: { verbs: { get: readLog }, tables: false } as const,
    podProxy: proxied(podAt),
    podStream: upgraded(streamOf, 'TranslateStreamCloseWebsocketRequests', command),
    serviceProxy: proxied(serviceAt),
  }
}
