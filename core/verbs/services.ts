import type { Admission } from '../admission/chain.ts'
import type { TokenAuthenticator } from '../authn/authenticator.ts'
import type { TokenIssuer } from '../authn/service-account/issuer.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { SubjectRules } from '../authz/rbac.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ResourceTable, ServedResource } from '../registry/served.ts'
import type { Exchange, User } from '../request/exchange.ts'
import type { Negotiator } from '../request/negotiate.ts'
import type { ClusterSettings, HookContext, RuleObserver } from '../schema/model.ts'
import type { Pauses } from '../slices.ts'
import type { SubresourceView } from './views.ts'

/** What verbs work with; built once by `createApiServer`. */
export interface Services {
  readonly platform: Platform
  readonly settings: ClusterSettings
  readonly clock: Clock
  readonly logger: Logger
  readonly table: ResourceTable
  /** In which expressions that take long go on. */
  readonly pauses: Pauses
  readonly admission: Admission
  /** Measures rules of custom resources. */
  readonly rules: RuleObserver
  readonly negotiator: Negotiator
  /** Notes requests to deprecated versions, by the labels of that metric. */
  readonly deprecated: { set(labels: readonly string[], value: number): void }
  /** Seconds: a watch without `timeoutSeconds` ends by itself after this time or up to twice of it. */
  readonly minRequestTimeout: number
  readonly authorizer: Authorizer
  /** What a SelfSubjectRulesReview answers. */
  rulesFor(user: User, namespace: string): SubjectRules
  /** Who bearer tokens stand for. */
  readonly tokens: TokenAuthenticator
  /** Audiences that this server is one of. */
  readonly audiences: readonly string[]
  /** Absent: this server issues no tokens. */
  readonly serviceAccounts?: {
    readonly issuer: TokenIssuer
    readonly audiences: readonly string[]
    /** Longest validity in seconds; absent: no limit. */
    readonly maxSeconds?: number
    /** Validity in seconds of tokens that pods get by themselves, whose late use is noted; absent: as they ask. */
    readonly extendedSeconds?: number
  }
  /** The release of this server. */
  readonly version: { readonly major: string; readonly minor: string }
  /** Whether watches may ask for initial events. */
  readonly watchList: boolean
  /** Objects that a deletecollection deletes at a time. */
  readonly deleteCollectionWorkers: number
}

/** One request to one resource. */
export interface Target {
  readonly exchange: Exchange
  readonly services: Services
  readonly resource: ServedResource
  /** Which side of the object is read and written. */
  readonly view: SubresourceView
  readonly namespace: string
  readonly name: string
}

/** A verb turns a request to a resource into a response, at once where nothing has to be waited for; it throws an ApiError for what the client gets as a Status. */
export type Verb = (target: Target) => Response | Promise<Response>

export function hookContext({ platform, settings, clock }: Services): HookContext {
  return { platform, settings, now: clock.now() }
}
