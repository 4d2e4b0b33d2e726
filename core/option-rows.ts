/** The types of all ports and options of a server, with the bounds of the flags that set them. */
import type { AdmissionPlugin } from './admission/attributes.ts'
import type { PluginConfigurations } from './admission/configuration.ts'
import type { ServiceAccountKeys } from './bootstrap/service-accounts.ts'
import {
  bool,
  callable,
  clockType,
  having,
  integer,
  limited,
  list,
  loggerType,
  methods,
  number,
  type OptionProblem,
  object,
  oneOf,
  type RowsOf,
  refined,
  shape,
  simple,
  text,
} from './config/option-types.ts'
import { controllerNames } from './controllers/index.ts'
import { asFlag } from './flags/flag-option.ts'
import { defaultNodePorts, type ServerOptions } from './options.ts'
import { createPlatform } from './platform.ts'
import type { Ports } from './ports.ts'

const seconds = 1000
const texts = list(text)
const groupResources = list(shape({ group: text, resource: text }, ['group', 'resource']))
const storeType = methods(
  ...['get', 'list', 'count', 'size', 'put', 'delete', 'watch', 'currentRevision', 'compact', 'grantLease', 'close'],
)

export const portRows = {
  store: storeType,
  overrides: list(shape({ store: storeType, resources: groupResources }, ['store', 'resources'])),
  clock: clockType,
  files: methods('read', 'watch'),
  outbound: methods('fetch', 'call'),
  telemetry: having({ logger: loggerType, audit: callable, tracer: object }, ['logger']),
} satisfies RowsOf<Ports>

const tokenAuthenticators = list(having({ name: text, authenticateToken: callable }))
const plugins = asFlag('enable-admission-plugins', texts)

const pluginConfigurations = shape({
  MutatingAdmissionWebhook: object,
  ValidatingAdmissionWebhook: object,
  PodSecurity: object,
  ResourceQuota: object,
  EventRateLimit: object,
  PodNodeSelector: object,
  PodTolerationRestriction: object,
  ImagePolicyWebhook: object,
} satisfies RowsOf<PluginConfigurations>)

const extraPlugin = refined(
  having(
    {
      name: text,
      operations: list(oneOf(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'])),
      resources: groupResources,
      mutate: callable,
      validate: callable,
      close: callable,
    },
    ['name', 'operations'],
  ),
  ({ mutate, validate }: AdmissionPlugin) => (mutate || validate ? undefined : 'must have mutate or validate'),
)

const accountKeys = shape(
  {
    signingKey: text,
    verificationKeys: texts,
    externalSigner: object,
    issuers: texts,
    audiences: texts,
    maxSeconds: asFlag('service-account-max-token-expiration', number, seconds),
    extend: bool,
    lookup: bool,
    keySetUri: text,
  },
  ['issuers', 'audiences'],
)

const serviceAccounts = refined(accountKeys, (keys: Partial<ServiceAccountKeys & Record<'signingKey' | 'verificationKeys', unknown>>) => {
  if (keys.issuers?.length === 0) return 'must have an issuer'
  const complete = 'externalSigner' in keys || (keys.signingKey !== undefined && keys.verificationKeys !== undefined)
  return complete ? undefined : 'must have signingKey and verificationKeys, or externalSigner'
})

const authorizationWebhook = shape(
  {
    connection: text,
    version: asFlag('authorization-webhook-version', text),
    authorizedTtl: asFlag('authorization-webhook-cache-authorized-ttl', number),
    unauthorizedTtl: asFlag('authorization-webhook-cache-unauthorized-ttl', number),
  },
  ['connection', 'version', 'authorizedTtl', 'unauthorizedTtl'],
)

/** Options that depend on each other. */
type Combined = Pick<ServerOptions, 'authorizationModes' | 'authorizationFiles' | 'clusterServiceNodePort' | 'serviceNodePortRange'>

/** Modes without the file that they need. A configuration file replaces the modes. */
function modesWithoutFile({ authorizationModes = [], authorizationFiles = {} }: Combined): readonly OptionProblem[] {
  if (authorizationFiles.configuration !== undefined) return []
  const needed = [
    ['ABAC', 'policy'],
    ['Webhook', 'webhook'],
  ] as const
  return needed
    .filter(([mode, file]) => authorizationModes.includes(mode) && authorizationFiles[file] === undefined)
    .map(([mode, file]) => ({ at: 'authorizationModes', message: `${mode} needs authorizationFiles.${file}` }))
}

function nodePortOutside({ clusterServiceNodePort: port = 0, serviceNodePortRange }: Combined): readonly OptionProblem[] {
  const { from, to } = serviceNodePortRange ?? defaultNodePorts
  if (port === 0 || (port >= from && port <= to)) return []
  return [{ at: 'clusterServiceNodePort', message: `${port} is outside of serviceNodePortRange, ${from} to ${to}` }]
}

/** Problems of combinations; each option is valid by itself. */
export const serverOptionConflicts = (options: Combined): readonly OptionProblem[] => [
  ...modesWithoutFile(options),
  ...nodePortOutside(options),
]

const prefixProblem = (prefix: string) =>
  /^(\/[^/]+)*$/.test(prefix) ? undefined : 'must be segments that start with a slash, such as /registry'

/** Any platform's protobuf types are accepted. */
const mediaTypes = ['application/json', 'application/yaml', ...createPlatform().protobufTypes]

export const serverOptionRows = {
  platform: having({ name: callable, domain: text, namespaces: object }),
  version: having({ major: text, minor: text, gitVersion: text }),
  identity: text,
  metrics: methods('counter', 'gauge', 'histogram', 'summary', 'info', 'collect', 'text'),
  authenticators: list(having({ name: text, authenticate: callable })),
  staticTokens: tokenAuthenticators,
  bootstrapTokens: bool,
  tokenAuthenticators,
  serviceAccounts,
  clusterAuthentication: having({ client: object, frontProxies: object }, []),
  authentication: shape({ configuration: text, conflicts: callable, egress: bool, oidc: object }),
  anonymous: bool,
  authorizationModes: asFlag('authorization-mode', texts),
  authorizers: list(having({ name: text, authorize: callable, rulesFor: callable }, ['name', 'authorize'])),
  authorizationFiles: shape({ configuration: text, policy: text, webhook: authorizationWebhook, clusterServer: text }),
  encryption: shape({ file: text, automaticReload: bool }, ['file', 'automaticReload']),
  serves: callable,
  delegates: simple('a Map', (value) => value instanceof Map),
  prefix: limited(text, prefixProblem),
  storageMediaType: oneOf(mediaTypes),
  watchCache: bool,
  uncached: groupResources,
  garbageCollection: bool,
  eventTtl: asFlag('event-ttl', number, seconds),
  leaseReuse: asFlag('lease-reuse-duration-seconds', integer),
  requestTimeout: asFlag('request-timeout', number),
  minRequestTimeout: asFlag('min-request-timeout', integer),
  maxReadOnlyInFlight: asFlag('max-requests-inflight', integer),
  maxMutatingInFlight: asFlag('max-mutating-requests-inflight', integer),
  // The flag accepts less than 1 as 1, as the reference does.
  deleteCollectionWorkers: limited(integer, (count: number) => (count < 1 ? 'must be at least 1' : undefined)),
  corsAccepts: callable,
  hstsDirectives: asFlag('strict-transport-security-directives', texts),
  storeHealthTimeout: asFlag('kvstore-healthcheck-timeout', number),
  storeReadyTimeout: asFlag('kvstore-readycheck-timeout', number),
  goawayChance: asFlag('goaway-chance', number),
  enabledPlugins: plugins,
  disabledPlugins: plugins,
  extraPlugins: list(extraPlugin),
  admissionFile: text,
  pluginConfigurations,
  tolerationSeconds: shape(
    {
      notReady: asFlag('default-not-ready-toleration-seconds', integer),
      unreachable: asFlag('default-unreachable-toleration-seconds', integer),
    },
    ['notReady', 'unreachable'],
  ),
  livezGracePeriod: asFlag('livez-grace-period', number),
  storageInitializationTimeout: asFlag('storage-initialization-timeout', number),
  nodeAddressTypes: texts,
  compactionInterval: asFlag('kvstore-compaction-interval', number),
  countInterval: asFlag('kvstore-count-metric-poll-period', number),
  sizeInterval: asFlag('kvstore-db-metric-poll-interval', number),
  allowPrivileged: bool,
  gates: methods('enabled'),
  watchList: bool,
  controllers: list(oneOf(controllerNames)),
  rootCa: text,
  serviceClusterIpRanges: asFlag('service-cluster-ip-range', texts),
  serviceNodePortRange: asFlag('service-node-port-range', shape({ from: integer, to: integer }, ['from', 'to'])),
  clusterServiceNodePort: asFlag('platform-service-node-port', integer),
  advertiseAddress: asFlag('advertise-address', text),
  securePort: asFlag('secure-port', integer),
  serverAddress: text,
} satisfies RowsOf<ServerOptions>
