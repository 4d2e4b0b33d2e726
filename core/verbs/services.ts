import type { TokenAuthenticator } from '../access/authn/authenticator.ts'
import type { TokenIssuer } from '../access/authn/service-account/issuer.ts'
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { Admission } from '../admission/chain.ts'
import type { Answered, AnswerServices } from '../answers/rendering/services.ts'
import type { Alarms } from '../common/alarms.ts'
import type { Pauses } from '../common/slices.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import type { WatchMetrics } from '../objects/watch/metrics.ts'
import type { LocatingServices } from '../outgoing/forwarding/located.ts'
import type { AgentServices } from '../outgoing/forwarding/metrics.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Release } from '../release.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import type { Produces } from '../resources/routes.ts'
import type { Cluster } from '../schema/cluster.ts'
import type { ClusterSettings } from '../schema/model.ts'
import type { RuleMetrics } from '../schema/rule-metrics.ts'
import type { Connections } from './actions/action.ts'
import type { Layout } from './layout.ts'
import type { ResourceMetrics } from './metrics.ts'
import type { EquivalentVersions } from './object-versions.ts'
import type { SubresourceView } from './views.ts'

/** For finding the verb of a request. */
export interface DispatchServices {
  readonly platform: Platform
  readonly table: ResourceTable
  /** Whether CBOR is read and served (KEP-4222). */
  readonly cbor: boolean
  readonly metrics: Pick<ResourceMetrics, 'deprecated'>
  /** The release of this server. */
  readonly release: Release
  /** The layout of a definition; servers with the same options may share it. */
  layoutOf(definition: ResourceDefinition): Layout
  /** Throws 406 unless the Accept header has a media type of the path; see `createRouteMedia`. */
  checkAccept(accept: string | null, produces: Produces): void
}

/** For reading bodies. */
export interface BodyServices extends Cluster {
  readonly cbor: boolean
  readonly metrics: Pick<ResourceMetrics, 'bodySizes'>
}

/** For selecting objects of a collection. */
export interface ListServices {
  readonly platform: Platform
  readonly settings: Pick<ClusterSettings, 'enabled'>
  readonly pauses: Pauses
  /** Whether watches may request initial events. */
  readonly watchList: boolean
}

export interface WatchServices {
  readonly clock: Clock
  readonly alarms: Alarms
  /** Metrics of watches of one version of a resource. */
  metricsOf(definition: ResourceDefinition): WatchMetrics
  /** Seconds: the timeout of a watch without `timeoutSeconds` is random between this and twice as much. */
  readonly minRequestTimeout: number
  /** Send bookmarks also when nothing has changed. */
  readonly repeatBookmarks: boolean
}

/** For what is written: ownership, admission, validation. */
export interface WriteServices extends Cluster {
  readonly table: ResourceTable
  readonly equivalents: EquivalentVersions
  /** Schedules long CEL evaluations. */
  readonly pauses: Pauses
  readonly admission: Admission
  /** Writes that need another permission than that of their verb. */
  readonly authorizer: Authorizer
  /** Receives timings of validation rules of custom resources. */
  readonly rules: RuleMetrics
  readonly logger: Logger
  /** Concurrent deletions of a deletecollection request. */
  readonly deleteCollectionWorkers: number
}

/** How tokens of service accounts are issued. */
interface AccountTokens {
  readonly issuer: TokenIssuer
  readonly audiences: readonly string[]
  /** Maximum lifetime in seconds; absent: no limit. */
  readonly maxSeconds?: number
  /** Extended lifetime in seconds of projected tokens, whose late use is reported; absent: no extension. */
  readonly extendedSeconds?: number
}

/** Who tokens stand for, and what issues them. */
export interface IdentityServices {
  /** Authenticator of bearer tokens, for TokenReviews. */
  readonly tokens: TokenAuthenticator
  /** This server's own audiences. */
  readonly audiences: readonly string[]
  /** Undefined: no tokens are issued. */
  serviceAccounts(): AccountTokens | undefined
}

/** For reviews of tokens and permissions, and for issuing tokens. */
export interface AccessServices {
  readonly authorizer: Authorizer
  readonly identities: IdentityServices
}

/** What verbs are made with, by what it is for; built once. */
export interface Services {
  readonly dispatch: DispatchServices
  readonly bodies: BodyServices
  readonly answers: AnswerServices
  readonly lists: ListServices
  readonly watches: WatchServices
  readonly writes: WriteServices
  readonly access: AccessServices
  /** Calls to node agents, pods and services. */
  readonly agents: AgentServices & LocatingServices
  /** Absent: such requests are refused. */
  readonly connections: Connections | undefined
}

/** What one request to a resource aims at. */
export interface Target extends Answered {
  readonly resource: ServedResource
  /** The view of the object that is read and written: main resource or subresource. */
  readonly view: SubresourceView
  readonly namespace: string
  readonly name: string
}

/** Handles a request to a resource; returns a plain value when no I/O is needed. Throws an ApiError for errors that the client gets. */
export type Verb = (target: Target) => Response | Promise<Response>
