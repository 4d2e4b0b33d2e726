import type { Authenticator, TokenAuthenticator } from './authn/authenticator.ts'
import type { ServiceAccountKeys } from './bootstrap/service-accounts.ts'
import type { AuthorizationFiles } from './config/authorization.ts'
import { versionInfo } from './config/version.ts'
import { controllerNames } from './controllers/index.ts'
import type { VersionInfo } from './meta/version.ts'
import { createPlatform, type Platform } from './platform.ts'
import type { PortRange } from './registry/allocators/port-set.ts'
import type { ResourceDefinition } from './resources/definition.ts'

/** How a server behaves. Everything has a default that suits an embedded server; the daemon sets it from flags. */
export interface ServerOptions {
  readonly platform?: Platform
  readonly version?: VersionInfo
  /** Tried in this order, before anonymous. */
  readonly authenticators?: readonly Authenticator[]
  /** Bearer tokens, tried in this order; service account tokens come first. */
  readonly tokens?: readonly TokenAuthenticator[]
  /** Absent: no tokens of service accounts are issued or accepted. */
  readonly serviceAccounts?: ServiceAccountKeys
  /** Whether a request without credentials is `system:anonymous` (default) or refused. */
  readonly anonymous?: boolean
  /** Default: AlwaysAllow. */
  readonly authorizationModes?: readonly string[]
  /** What modes ABAC and Webhook need, or the file that takes the place of modes; read through the port `files`. */
  readonly authorizationFiles?: AuthorizationFiles
  /** Which built-in resources are served; default: those served by default. */
  readonly serves?: (definition: ResourceDefinition) => boolean
  /** Prefix of all keys in the store; default `/registry`. */
  readonly prefix?: string
  /** Media type of stored objects: JSON (default) or protobuf. */
  readonly storageMediaType?: string
  readonly watchCache?: boolean
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
  /** Milliseconds; default 0. */
  readonly livezGracePeriod?: number
  /** True from the moment the process means to end: `/readyz` fails from then on. */
  readonly shuttingDown?: () => boolean
  /** Milliseconds between compactions of the store's history, 0: never; default five minutes. */
  readonly compactionInterval?: number
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

type Optional = 'serviceAccounts' | 'corsAccepts' | 'shuttingDown'
export type CompleteOptions = Required<Omit<ServerOptions, Optional>> & Pick<ServerOptions, Optional>

export function withDefaults(options: ServerOptions): CompleteOptions {
  const platform = options.platform ?? createPlatform()
  return {
    platform,
    version: versionInfo(),
    authenticators: [],
    tokens: [],
    anonymous: true,
    authorizationModes: ['AlwaysAllow'],
    authorizationFiles: {},
    serves: ({ servedByDefault }) => servedByDefault,
    prefix: '/registry',
    storageMediaType: 'application/json',
    watchCache: true,
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
    storeHealthTimeout: 2_000,
    storeReadyTimeout: 2_000,
    livezGracePeriod: 0,
    compactionInterval: 300_000,
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
