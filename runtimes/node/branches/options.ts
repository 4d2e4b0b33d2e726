/** The options of a branch: those of its live server that say what is stored, and who may do what. All others have their defaults, which reach nobody. */
import type { Authorizer } from '../../../core/access/authz/authorizer.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { createSecrets } from '../../testing/secrets.ts'
import type { HandedOn } from './handed-on.ts'

const taken = [
  'platform',
  'version',
  'featureGates',
  'runtimeConfig',
  'emulationForwardCompatible',
  'runtimeConfigEmulationForwardCompatible',
  'watchList',
  'identity',
  'serverAddress',
  'rootCa',
  'serviceClusterIpRanges',
  'serviceNodePortRange',
  'authorizationModes',
  'authorizationFiles',
  'admissionPlugins',
  'extraPlugins',
  'admissionFile',
  'pluginConfigurations',
  'tolerationSeconds',
  'allowPrivileged',
  'prefix',
  'storageMediaType',
  'encryption',
  'watchCache',
  'uncached',
  'eventTtl',
  'garbageCollection',
  'requestTimeout',
  'minRequestTimeout',
  'maxReadOnlyInFlight',
  'maxMutatingInFlight',
  'deleteCollectionWorkers',
  'priorityAndFairness',
] as const satisfies readonly (keyof ServerOptions)[]

const passedOn = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

/** Refuses requests that would be passed on to node agents, pods and services. */
const refusesToPassOn: Authorizer = {
  name: 'branch',
  authorize: ({ isResource, subresource }) =>
    isResource && passedOn.has(subresource)
      ? { verdict: 'deny', reason: 'a branch does not reach node agents, pods and services' }
      : { verdict: 'no-opinion', reason: '' },
}

/** Service account tokens are signed with a key of the branch alone: no other server accepts them. */
export async function branchOptions(live: ServerOptions, handedOn: HandedOn): Promise<ServerOptions> {
  const { serviceAccounts } = live
  const { signingKey } = await createSecrets()
  return {
    ...Object.fromEntries(taken.flatMap((name) => (live[name] === undefined ? [] : [[name, live[name]]]))),
    authenticators: [handedOn.authenticator],
    authorizers: [refusesToPassOn, ...(live.authorizers ?? [])],
    ...(serviceAccounts && {
      serviceAccounts: {
        signingKey,
        verificationKeys: [signingKey],
        issuers: serviceAccounts.issuers,
        audiences: serviceAccounts.audiences,
        ...(serviceAccounts.maxSeconds !== undefined && { maxSeconds: serviceAccounts.maxSeconds }),
      },
    }),
    anonymous: false,
    profiling: false,
    aggregation: false,
    dryRunWebhooks: true,
    endpointReconciler: 'none',
    // The branch lives from its base, and not for long.
    compactionInterval: 0,
  }
}
