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
import type { Handler } from './filters/filter.ts'
import { createMetrics, type MetricsRegistry } from './meta/metrics/registry.ts'
import type { VersionInfo } from './meta/version.ts'
import { createPlatform, type Platform } from './platform.ts'
import type { PortRange } from './registry/allocators/port-set.ts'
import type { ResourceDefinition } from './resources/definition.ts'

/** Options of a server; all are optional. Defaults suit an embedded server; the daemon sets options from its flags. */
export interface ServerOptions {
  /** Product names and domain of API groups; default: those of `createPlatform()`. */
  readonly platform?: Platform
  /** Versions that `/version` reports; default: this release. */
  readonly version?: VersionInfo
  /** Name of this replica in metrics; default `apiserver`. */
  readonly identity?: string
  /** Registry of metrics; default: a new one. */
  readonly metrics?: MetricsRegistry
  /** Additional authenticators of requests, such as client certificates, tried in this order before bearer tokens; default: none. */
  readonly authenticators?: readonly Authenticator[]
  /** Additional authenticators of bearer tokens, tried in this order before service account tokens; default: none. */
  readonly staticTokens?: readonly TokenAuthenticator[]
  /** Accept bootstrap tokens, which are Secrets in the system namespace; default false. */
  readonly bootstrapTokens?: boolean
  /** Additional authenticators of bearer tokens, tried in this order after all others; default: none. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[]
  /** Keys and issuers of service account tokens. Absent: no such tokens are issued or accepted. */
  readonly serviceAccounts?: ServiceAccountKeys
  /** Authentication settings to publish for aggregated API servers (config map extension-apiserver-authentication). Absent: not published. */
  readonly clusterAuthentication?: ClusterAuthentication
  /** JWT authenticators, tried after service account and bootstrap tokens; default: none. */
  readonly authentication?: AuthenticationSettings
  /** Accept requests without credentials as `system:anonymous`; default true. The configuration file of `authentication` takes precedence. */
  readonly anonymous?: boolean
  /** Authorization modes in order; default AlwaysAllow. */
  readonly authorizationModes?: readonly string[]
  /** Additional authorizers, asked before those of the modes, about the server's own requests too; default: none. */
  readonly authorizers?: readonly Authorizer[]
  /** Files for modes ABAC and Webhook, or an AuthorizationConfiguration file that replaces the modes; read through the port `files`. */
  readonly authorizationFiles?: AuthorizationFiles
  /** Encryption at rest; default: none. */
  readonly encryption?: EncryptionOptions
  /** Selects the built-in resources to serve; default: those that are served without `--runtime-config`. */
  readonly serves?: (definition: ResourceDefinition) => boolean
  /**
   * Handlers of group versions that other servers serve (aggregation), by `GROUP/VERSION`. They run after all filters; entries may be added
   * and removed at any time. Default: none.
   */
  readonly delegates?: ReadonlyMap<string, Handler>
  /** Prefix of all keys in the store; default `/registry`. */
  readonly prefix?: string
  /** Media type of stored objects: `application/json` (default) or the protobuf type. */
  readonly storageMediaType?: string
  /** Serve reads and watches from memory; default true. */
  readonly watchCache?: boolean
  /** Built-in resources served without a watch cache; default: none. */
  readonly uncached?: readonly { readonly group: string; readonly resource: string }[]
  /** Support propagation policies Foreground and Orphan, and run the built-in garbage collector; default true. */
  readonly garbageCollection?: boolean
  /** Time-to-live of events in seconds; default 3600. */
  readonly eventTtl?: number
  /** Seconds during which new objects share one lease of the store; default 60. */
  readonly leaseReuse?: number
  /** Timeout in milliseconds of requests that are not long-running; default 60,000. */
  readonly requestTimeout?: number
  /** Minimum timeout of watches in seconds; default 1800. A watch without `timeoutSeconds` gets a random timeout between this and twice this. */
  readonly minRequestTimeout?: number
  /** Maximum non-mutating requests in flight; 0: no limit; default 400. */
  readonly maxReadOnlyInFlight?: number
  /** Maximum mutating requests in flight; 0: no limit; default 200. */
  readonly maxMutatingInFlight?: number
  /** Maximum concurrent deletions within one deletecollection request; default 1. */
  readonly deleteCollectionWorkers?: number
  /** Returns true for allowed CORS origins. Absent: no CORS. */
  readonly corsAccepts?: (origin: string) => boolean
  /** Directives of the Strict-Transport-Security header; default: no header. */
  readonly hstsDirectives?: readonly string[]
  /** Timeout in milliseconds of the store's health check; default 2,000. */
  readonly storeHealthTimeout?: number
  /** Timeout in milliseconds of the store's readiness check; default 2,000. */
  readonly storeReadyTimeout?: number
  /** Probability that a request over HTTP/2 closes its connection with GOAWAY, 0 to 0.02; default 0. */
  readonly goawayChance?: number
  /** Admission plugins to enable in addition to the default ones; default: none. */
  readonly enabledPlugins?: readonly string[]
  /** Default admission plugins to disable; default: none. */
  readonly disabledPlugins?: readonly string[]
  /** Additional admission plugins, which run after the built-in ones; default: none. */
  readonly extraPlugins?: readonly AdmissionPlugin[]
  /** Path of an AdmissionConfiguration file; default: none. For plugins that it configures, it takes precedence over `pluginConfigurations`. */
  readonly admissionFile?: string
  /** Configuration of admission plugins by name; default: each plugin's own defaults. */
  readonly pluginConfigurations?: PluginConfigurations
  /** `tolerationSeconds` of the default not-ready and unreachable tolerations of pods; default 300 each. */
  readonly tolerationSeconds?: { readonly notReady: number; readonly unreachable: number }
  /** Milliseconds after startup during which `/livez` ignores unfinished startup work; default 0. */
  readonly livezGracePeriod?: number
  /** Preferred types of node addresses for connections to node agents, in order; default Hostname, InternalDNS, InternalIP, ExternalDNS, ExternalIP. */
  readonly nodeAddressTypes?: readonly string[]
  /** Milliseconds for which a start waits for a store that does not answer; 0 (default): it fails at once. */
  readonly storageInitializationTimeout?: number
  /** Milliseconds between compactions of the store's history; 0: never; default 300,000. */
  readonly compactionInterval?: number
  /** Milliseconds between counts of stored objects for metrics; 0 (default): never. */
  readonly countInterval?: number
  /** Milliseconds between reads of the database size for metrics; 0 (default): never. */
  readonly sizeInterval?: number
  /** Allow privileged containers; default true, as in test clusters (envtest). */
  readonly allowPrivileged?: boolean
  /** Feature gates; default: their defaults in this release. */
  readonly gates?: Pick<FeatureGates, 'enabled'>
  /** Accept `sendInitialEvents` in watches (feature gate WatchList); default true. */
  readonly watchList?: boolean
  /** Names of the built-in controllers to run; default: all. */
  readonly controllers?: readonly string[]
  /** PEM of the serving certificate's authority, published in the root CA config map of each namespace; empty (default): not published. */
  readonly rootCa?: string
  /** CIDRs of service cluster IPs, at most one per address family; default `10.0.0.0/24`. */
  readonly serviceClusterIpRanges?: readonly string[]
  /** Range of node ports, both ends included; default 30000 to 32767. */
  readonly serviceNodePortRange?: PortRange
  /** Node port of the API server's service; 0 (default): none. */
  readonly clusterServiceNodePort?: number
  /** IP address of this server in the endpoints of the API server's service; empty (default): the service has no endpoints. */
  readonly advertiseAddress?: string
  /** Port that belongs to `advertiseAddress`; default 6443. */
  readonly securePort?: number
  /** Host and port in discovery documents; default `127.0.0.1:6443`. */
  readonly serverAddress?: string
}

export const defaultNodePorts: PortRange = { from: 30_000, to: 32_767 }

type Optional = 'clusterAuthentication' | 'serviceAccounts' | 'encryption' | 'corsAccepts'
export type CompleteOptions = Required<Omit<ServerOptions, Optional>> & Pick<ServerOptions, Optional>

/** Options that are undefined count as absent. */
const withoutUndefined = (options: ServerOptions): ServerOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

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
    delegates: new Map(),
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
    admissionFile: '',
    pluginConfigurations: {},
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    storeHealthTimeout: 2_000,
    storeReadyTimeout: 2_000,
    livezGracePeriod: 0,
    storageInitializationTimeout: 0,
    nodeAddressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    compactionInterval: 300_000,
    countInterval: 0,
    sizeInterval: 0,
    allowPrivileged: true,
    gates: parseFeatureGates([], platform),
    watchList: true,
    controllers: controllerNames,
    rootCa: '',
    serviceClusterIpRanges: ['10.0.0.0/24'],
    serviceNodePortRange: defaultNodePorts,
    clusterServiceNodePort: 0,
    advertiseAddress: '',
    securePort: 6443,
    serverAddress: '127.0.0.1:6443',
    ...withoutUndefined(options),
  }
}
