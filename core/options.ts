import type { AdmissionPlugin } from './admission/attributes.ts'
import type { PluginConfigurations } from './admission/configuration.ts'
import type { Authenticator, TokenAuthenticator } from './authn/authenticator.ts'
import type { Authorizer } from './authz/authorizer.ts'
import type { ClusterAuthentication } from './bootstrap/cluster-authentication.ts'
import type { ServiceAccountKeys } from './bootstrap/service-accounts.ts'
import type { AuthenticationSettings } from './config/authentication.ts'
import type { AuthorizationFiles } from './config/authorization.ts'
import type { EncryptionOptions } from './config/encryption.ts'
import { type FeatureGates, parseFeatureGates } from './config/feature-gates.ts'
import { versionInfo } from './config/version.ts'
import { controllerNames } from './controllers/index.ts'
import { createMetrics, type MetricsRegistry } from './meta/metrics.ts'
import type { VersionInfo } from './meta/version.ts'
import { createPlatform, type Platform } from './platform.ts'
import type { PortRange } from './registry/allocators/port-set.ts'
import type { ResourceDefinition } from './resources/definition.ts'

/** How a server behaves. Everything has a default that suits an embedded server; the daemon sets it from flags. */
export interface ServerOptions {
  readonly platform?: Platform
  readonly version?: VersionInfo
  /** Tells this server from its replicas, in metrics; default `apiserver`. */
  readonly identity?: string
  /** Where the server measures; default: a registry of its own. */
  readonly metrics?: MetricsRegistry
  /** Tried in this order, before anonymous. */
  readonly authenticators?: readonly Authenticator[]
  /** Bearer tokens that are known here, tried in this order, before those of service accounts. */
  readonly staticTokens?: readonly TokenAuthenticator[]
  /** Whether the tokens of nodes that join are accepted; default false. */
  readonly bootstrapTokens?: boolean
  /** Other bearer tokens, tried in this order, last. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[]
  /** Absent: no tokens of service accounts are issued or accepted. */
  readonly serviceAccounts?: ServiceAccountKeys
  /** Published for aggregated API servers; absent: nothing is. */
  readonly clusterAuthentication?: ClusterAuthentication
  /** Issuers of JWTs to believe; default: none. Their tokens come after those of service accounts. */
  readonly authentication?: AuthenticationSettings
  /** Whether a request without credentials is `system:anonymous` (default) or refused, unless a file of `authentication` says so. */
  readonly anonymous?: boolean
  /** Default: AlwaysAllow. */
  readonly authorizationModes?: readonly string[]
  /** Authorizers of the embedder, asked before those of the modes; default: none. */
  readonly authorizers?: readonly Authorizer[]
  /** What modes ABAC and Webhook need, or the file that takes the place of modes; read through the port `files`. */
  readonly authorizationFiles?: AuthorizationFiles
  /** What is encrypted in the store; default: nothing. */
  readonly encryption?: EncryptionOptions
  /** Which built-in resources are served; default: those served by default. */
  readonly serves?: (definition: ResourceDefinition) => boolean
  /** Prefix of all keys in the store; default `/registry`. */
  readonly prefix?: string
  /** Media type of stored objects: JSON (default) or protobuf. */
  readonly storageMediaType?: string
  readonly watchCache?: boolean
  /** Built-in resources that are read from the store itself even so; default: none. */
  readonly uncached?: readonly { readonly group: string; readonly resource: string }[]
  /** Whether deletions leave work to a garbage collector, and the built-in one does it; default true. */
  readonly garbageCollection?: boolean
  /** Seconds that events are kept; default one hour. */
  readonly eventTtl?: number
  /** Seconds that a lease is handed out to writes; default 60. */
  readonly leaseReuse?: number
  /** Milliseconds; default one minute. */
  readonly requestTimeout?: number
  /** Seconds; default 1800. */
  readonly minRequestTimeout?: number
  /** Requests at a time, 0: no limit; defaults 400 and 200. */
  readonly maxReadOnlyInFlight?: number
  readonly maxMutatingInFlight?: number
  readonly deleteCollectionWorkers?: number
  readonly corsAccepts?: (origin: string) => boolean
  readonly hstsDirectives?: readonly string[]
  /** Milliseconds that the store has to answer the checks of `/livez` and `/readyz`; defaults two seconds. */
  readonly storeHealthTimeout?: number
  readonly storeReadyTimeout?: number
  /** Share of requests over HTTP/2 that end their connection; default 0. */
  readonly goawayChance?: number
  /** Admission plugins to run besides the default ones, and default ones not to run. */
  readonly enabledPlugins?: readonly string[]
  readonly disabledPlugins?: readonly string[]
  /** Admission plugins of the embedder; they run after those of the server. */
  readonly extraPlugins?: readonly AdmissionPlugin[]
  /** What admission plugins are told beyond their defaults; default: nothing. */
  readonly pluginConfigurations?: PluginConfigurations
  /** Seconds that pods stay on a node that is not ready or can't be reached, when they don't say so themselves; default 300 each. */
  readonly tolerationSeconds?: { readonly notReady: number; readonly unreachable: number }
  /** Milliseconds; default 0. */
  readonly livezGracePeriod?: number
  /** True from the moment the process means to end: `/readyz` fails from then on. */
  readonly shuttingDown?: () => boolean
  /** Milliseconds between compactions of the store's history, 0: never; default five minutes. */
  readonly compactionInterval?: number
  /** Milliseconds between counts of stored objects for the metrics, 0 (default): never. */
  readonly countInterval?: number
  /** Milliseconds between reads of the size of the database for the metrics, 0 (default): never. */
  readonly sizeInterval?: number
  /** Containers may be privileged; default true, as test harnesses start their servers. */
  readonly allowPrivileged?: boolean
  /** Which feature gates are on; default: those that are on by default. */
  readonly gates?: Pick<FeatureGates, 'enabled'>
  /** Whether watches may ask for initial events (feature gate WatchList). */
  readonly watchList?: boolean
  /** Names of the built-in controllers that run; default: all. */
  readonly controllers?: readonly string[]
  /** PEM of the authority of the serving certificate, which pods find in a config map. */
  readonly rootCa?: string
  /** CIDRs of cluster IPs, one or one per family; default `10.0.0.0/24`. */
  readonly serviceClusterIpRanges?: readonly string[]
  /** Node ports, both ends included; default 30000 to 32767. */
  readonly serviceNodePortRange?: PortRange
  /** Node port of the cluster's own service; 0: it has none. */
  readonly clusterServiceNodePort?: number
  /** IP address at which members of the cluster reach this server; empty: the cluster's own service has no endpoints. */
  readonly advertiseAddress?: string
  /** Port of that address; default 6443. */
  readonly securePort?: number
  /** Host and port that discovery tells clients to use. */
  readonly serverAddress?: string
}

type Optional = 'clusterAuthentication' | 'serviceAccounts' | 'encryption' | 'corsAccepts' | 'shuttingDown'
export type CompleteOptions = Required<Omit<ServerOptions, Optional>> & Pick<ServerOptions, Optional>

export function withDefaults(options: ServerOptions): CompleteOptions {
  const platform = options.platform ?? createPlatform()
  return {
    platform,
    version: versionInfo(),
    identity: 'apiserver',
    metrics: createMetrics(),
    authenticators: [],
    staticTokens: [],
    bootstrapTokens: false,
    tokenAuthenticators: [],
    authentication: {},
    anonymous: true,
    authorizationModes: ['AlwaysAllow'],
    authorizers: [],
    authorizationFiles: {},
    serves: ({ servedByDefault }) => servedByDefault,
    prefix: '/registry',
    storageMediaType: 'application/json',
    watchCache: true,
    uncached: [],
    garbageCollection: true,
    eventTtl: 3600,
    leaseReuse: 60,
    requestTimeout: 60_000,
    minRequestTimeout: 1800,
    maxReadOnlyInFlight: 400,
    maxMutatingInFlight: 200,
    deleteCollectionWorkers: 1,
    hstsDirectives: [],
    goawayChance: 0,
    enabledPlugins: [],
    disabledPlugins: [],
    extraPlugins: [],
    pluginConfigurations: {},
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    storeHealthTimeout: 2_000,
    storeReadyTimeout: 2_000,
    livezGracePeriod: 0,
    compactionInterval: 300_000,
    countInterval: 0,
    sizeInterval: 0,
    allowPrivileged: true,
    gates: parseFeatureGates([], platform),
    watchList: true,
    controllers: controllerNames,
    rootCa: '',
    serviceClusterIpRanges: ['10.0.0.0/24'],
    serviceNodePortRange: { from: 30_000, to: 32_767 },
    clusterServiceNodePort: 0,
    advertiseAddress: '',
    securePort: 6443,
    serverAddress: '127.0.0.1:6443',
    ...options,
  }
}
