/** Converts flags to options of the core. */

import { defaultAdmissionPlugins } from '../../core/admission/plugins/index.ts'
import type { AuthorizationFiles } from '../../core/config/authorization.ts'
import { reportedVersion, versionInfo } from '../../core/config/version.ts'
import { controllerNames } from '../../core/controllers/index.ts'
import { createCorsTest } from '../../core/flags/cors.ts'
import { effectiveVersion } from '../../core/flags/emulation.ts'
import { apisOfFlags, gatesOfFlags } from '../../core/flags/gates.ts'
import type { ParsedFlags } from '../../core/flags/parse.ts'
import { selectNames } from '../../core/flags/selection.ts'
import { uncachedResources } from '../../core/flags/watch-cache-sizes.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import type { ServerOptions } from '../../core/server.ts'
import { hostPort } from './address.ts'
import { buildInfo } from './build-info.ts'

/** Cleans `--kvstore-prefix` as kube-apiserver does: exactly one slash before each segment. */
const keyPrefix = (text: string) =>
  text
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => `/${part}`)
    .join('')

/** The embedded store has no other readers: unless the flag is set it holds JSON, which is served without decoding. */
const storageMediaType = (flags: ParsedFlags) =>
  flags.isSet('storage-media-type') || flags.get('kvstore-servers').length > 0 ? flags.get('storage-media-type') : 'application/json'

/** Files of authorizers, and the API server's URL from the environment that pods get (in-cluster configuration). */
function authorizationFiles(flags: ParsedFlags): AuthorizationFiles {
  const [configuration, policy] = [flags.get('authorization-config'), flags.get('authorization-policy-file')]
  const connection = flags.get('authorization-webhook-config-file')
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  return {
    ...(configuration && { configuration }),
    ...(policy && { policy }),
    ...(connection && {
      webhook: {
        connection,
        version: flags.get('authorization-webhook-version'),
        authorizedTtl: flags.get('authorization-webhook-cache-authorized-ttl'),
        unauthorizedTtl: flags.get('authorization-webhook-cache-unauthorized-ttl'),
      },
    }),
    ...(host && port && { clusterServer: `https://${hostPort(host, Number(port))}` }),
  }
}

/** Encryption at rest, when a file configures it. */
function encryption(flags: ParsedFlags): Pick<ServerOptions, 'encryption'> {
  const file = flags.get('encryption-provider-config')
  if (!file) return {}
  return { encryption: { file, automaticReload: flags.get('encryption-provider-config-automatic-reload') ?? false } }
}

/** The deprecated `--admission-control` lists all plugins to run; the two newer flags change the default set. */
function pluginChoice(flags: ParsedFlags): Pick<ServerOptions, 'enabledPlugins' | 'disabledPlugins'> {
  const only = flags.get('admission-control')
  if (only.length > 0) return { enabledPlugins: only, disabledPlugins: defaultAdmissionPlugins.filter((name) => !only.includes(name)) }
  return { enabledPlugins: flags.get('enable-admission-plugins'), disabledPlugins: flags.get('disable-admission-plugins') }
}

/** Options of the core. @throws FlagError */
export function serverOptions(flags: ParsedFlags): ServerOptions {
  const { platform } = flags
  const gates = gatesOfFlags(flags)
  const { emulated, minCompatibility } = effectiveVersion(flags)
  const served = apisOfFlags(flags, builtInResources)
  const modes = flags.get('authorization-mode')
  const origins = flags.get('cors-allowed-origins')
  return {
    platform,
    version: versionInfo(buildInfo(), reportedVersion(flags.get('version')), emulated, minCompatibility),
    ...(modes.length > 0 && { authorizationModes: modes }),
    authorizationFiles: authorizationFiles(flags),
    ...encryption(flags),
    serves: served.servesVersion,
    prefix: keyPrefix(flags.get('kvstore-prefix')),
    storageMediaType: storageMediaType(flags),
    watchCache: flags.get('watch-cache'),
    uncached: uncachedResources(flags.get('watch-cache-sizes')),
    garbageCollection: flags.get('enable-garbage-collector'),
    eventTtl: flags.get('event-ttl') / 1000,
    leaseReuse: flags.get('lease-reuse-duration-seconds'),
    requestTimeout: flags.get('request-timeout'),
    minRequestTimeout: flags.get('min-request-timeout'),
    maxReadOnlyInFlight: flags.get('max-requests-inflight'),
    maxMutatingInFlight: flags.get('max-mutating-requests-inflight'),
    deleteCollectionWorkers: Math.max(1, flags.get('delete-collection-workers')),
    ...(origins.length > 0 && { corsAccepts: createCorsTest(origins) }),
    hstsDirectives: flags.get('strict-transport-security-directives'),
    storeHealthTimeout: flags.get('kvstore-healthcheck-timeout'),
    storeReadyTimeout: flags.get('kvstore-readycheck-timeout'),
    goawayChance: flags.get('goaway-chance'),
    ...pluginChoice(flags),
    admissionFile: flags.get('admission-control-config-file') ?? '',
    tolerationSeconds: {
      notReady: flags.get('default-not-ready-toleration-seconds'),
      unreachable: flags.get('default-unreachable-toleration-seconds'),
    },
    livezGracePeriod: flags.get('livez-grace-period'),
    storageInitializationTimeout: flags.get('storage-initialization-timeout'),
    nodeAddressTypes: flags.get('nodeagent-preferred-address-types'),
    compactionInterval: flags.get('kvstore-compaction-interval'),
    countInterval: flags.get('kvstore-count-metric-poll-period'),
    sizeInterval: flags.get('kvstore-db-metric-poll-interval'),
    controllers: selectNames('controllers', flags.get('controllers'), controllerNames),
    serviceClusterIpRanges: flags.get('service-cluster-ip-range'),
    serviceNodePortRange: flags.get('service-node-port-range'),
    clusterServiceNodePort: flags.get('platform-service-node-port') ?? 0,
    allowPrivileged: flags.get('allow-privileged'),
    gates,
    watchList: gates.enabled('WatchList'),
  }
}
