import type { TokenAuthenticator } from '../access/authn/authenticator.ts'
import type { TokenIssuer } from '../access/authn/service-account/issuer.ts'
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { Admission } from '../admission/chain.ts'
import type { Alarms } from '../common/alarms.ts'
import type { Pauses } from '../common/slices.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import type { WatchMetrics } from '../objects/watch/metrics.ts'
import type { ForwardingMetrics } from '../outgoing/forwarding/metrics.ts'
import type { NodeAgents } from '../outgoing/forwarding/node-agents.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger, Outbound } from '../ports.ts'
import type { Release } from '../release.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Negotiated, Negotiator } from '../request/negotiate.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import type { BufferPool } from '../schema/bytes.ts'
import type { ClusterSettings, HookContext } from '../schema/model.ts'
import type { ProtobufEncoder } from '../schema/protobuf/protobuf.ts'
import type { RuleMetrics } from '../schema/rule-metrics.ts'
import type { ListBudget } from './list-body.ts'
import type { ResourceMetrics } from './metrics.ts'
import type { WatchEncoders } from './respond-watch.ts'
import type { SubresourceView } from './views.ts'

/** Who tokens stand for, and what issues them. */
export interface IdentityServices {
  /** Authenticator of bearer tokens, for TokenReviews. */
  readonly tokens: TokenAuthenticator
  /** This server's own audiences. */
  readonly audiences: readonly string[]
  /** Absent: no tokens are issued. */
  readonly serviceAccounts?: {
    readonly issuer: TokenIssuer
    readonly audiences: readonly string[]
    /** Maximum lifetime in seconds; absent: no limit. */
    readonly maxSeconds?: number
    /** Extended lifetime in seconds of projected tokens, whose late use is reported; absent: no extension. */
    readonly extendedSeconds?: number
  }
}

/** Dependencies of verbs; built once by `createApiServer`. */
export interface Services {
  readonly platform: Platform
  readonly settings: ClusterSettings
  readonly clock: Clock
  /** The alarms of watches. */
  readonly alarms: Alarms
  readonly watchEncoders: WatchEncoders
  /** Encodes objects in responses. */
  readonly protobuf: ProtobufEncoder
  /** Joins the bytes of an object that is read at once. */
  readonly joining: BufferPool
  readonly listBudget: ListBudget
  readonly logger: Logger
  /** Calls to node agents, pods and services. */
  readonly outbound: Outbound
  readonly table: ResourceTable
  /** Schedules long CEL evaluations. */
  readonly pauses: Pauses
  readonly admission: Admission
  /** Receives timings of validation rules of custom resources. */
  readonly rules: RuleMetrics
  readonly negotiator: Negotiator
  /** Whether CBOR is read and served (KEP-4222). */
  readonly cbor: boolean
  readonly metrics: ResourceMetrics
  /** Metrics of connections to node agents. */
  readonly forwarding: ForwardingMetrics
  /** Metrics of watches of one version of a resource. */
  watches(definition: ResourceDefinition): WatchMetrics
  /** Seconds: the timeout of a watch without `timeoutSeconds` is random between this and twice as much. */
  readonly minRequestTimeout: number
  readonly authorizer: Authorizer
  /** How node agents are called. */
  readonly nodeAgents: NodeAgents
  /** Maximum bytes per second of each direction of a connection to a node agent, pod or service that has switched protocols; 0: no limit. */
  readonly maxConnectionBytesPerSecond: number
  /** Preferred types of node addresses, in order. */
  readonly nodeAddressTypes: readonly string[]
  readonly identities: IdentityServices
  /** The release of this server. */
  readonly release: Release
  /** Whether watches may request initial events. */
  readonly watchList: boolean
  /** Concurrent deletions of a deletecollection request. */
  readonly deleteCollectionWorkers: number
}

/** One request to one resource. */
export interface Target {
  readonly exchange: Exchange
  readonly services: Services
  readonly resource: ServedResource
  /** The view of the object that is read and written: main resource or subresource. */
  readonly view: SubresourceView
  readonly namespace: string
  readonly name: string
  /** The representation of the response, which was negotiated before; absent: not yet. */
  readonly negotiated?: Negotiated | undefined
}

/** Handles a request to a resource; returns a plain value when no I/O is needed. Throws an ApiError for errors that the client gets. */
export type Verb = (target: Target) => Response | Promise<Response>

export function hookContext({ platform, settings, clock }: Services): HookContext {
  return { platform, settings, now: clock.now() }
}
