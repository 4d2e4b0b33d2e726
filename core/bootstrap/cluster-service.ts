/** The cluster's own service, through which members of the cluster reach this server; it has the first address of the service range. */
import type { Platform } from '../platform.ts'
import type { Logger } from '../ports.ts'
import { addressRange } from '../registry/allocators/address-range.ts'
import type { ResourceTable, ServedResource } from '../registry/served.ts'
import type { ApiObject } from '../resources/definition.ts'
import { applyDefaults } from '../schema/defaults.ts'
import { equal } from '../schema/equal.ts'
import { messageOf } from '../schema/message-of.ts'
import type { HookContext, Json } from '../schema/model.ts'
import type { Entry } from '../storage/entry.ts'
import { ensure, overwrite } from './objects.ts'

const namespace = 'default'
const port = 443
const portName = 'https'

export interface ClusterServiceOptions {
  readonly platform: Platform
  readonly logger: Logger
  readonly serviceClusterIpRanges: readonly string[]
  readonly clusterServiceNodePort: number
  /** Empty: the service has no endpoints. */
  readonly advertiseAddress: string
  readonly securePort: number
}

function service({ platform, securePort, clusterServiceNodePort: nodePort, serviceClusterIpRanges }: ClusterServiceOptions): ApiObject {
  const clusterIP = addressRange(serviceClusterIpRanges[0] ?? '')?.first
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { namespace, name: platform.service, labels: { component: 'apiserver', provider: platform.service } },
    spec: {
      type: nodePort > 0 ? 'NodePort' : 'ClusterIP',
      clusterIP,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: portName, protocol: 'TCP', port, targetPort: securePort, ...(nodePort > 0 && { nodePort }) }],
    },
  }
}

/** Excluded from mirroring to EndpointSlices: the server writes both. */
function endpoints({ platform, advertiseAddress, securePort }: ClusterServiceOptions): ApiObject {
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { namespace, name: platform.service, labels: { [platform.name('endpointslice.<labels>/skip-mirror')]: 'true' } },
    subsets: [{ addresses: [{ ip: advertiseAddress }], ports: [{ name: portName, port: securePort, protocol: 'TCP' }] }],
  }
}

function endpointSlice({ platform, advertiseAddress, securePort }: ClusterServiceOptions): ApiObject {
  return {
    kind: 'EndpointSlice',
    apiVersion: platform.name('discovery.<domain>/v1'),
    metadata: { namespace, name: platform.service, labels: { [platform.name('<labels>/service-name')]: platform.service } },
    addressType: advertiseAddress.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [advertiseAddress], conditions: { ready: true } }],
    ports: [{ name: portName, port: securePort, protocol: 'TCP' }],
  }
}

/** Whether an overwrite would not change the stored object. */
function isCurrent(stored: Entry, object: ApiObject, { store }: ServedResource, context: HookContext): boolean {
  const { metadata: known, ...rest } = stored.decode()
  const { metadata, ...wanted } = structuredClone(object)
  applyDefaults(store.definition.schema, wanted as Json, context)
  return !stored.stale && equal(rest as Json, wanted as Json) && equal(known.labels as Json, metadata.labels as Json)
}

/** Creates the service if it is missing, and updates its endpoints. Failures are logged; the server works without it. */
export async function ensureClusterService(table: ResourceTable, options: ClusterServiceOptions, context: HookContext): Promise<void> {
  const { platform, logger } = options
  const attempt = async (group: string, plural: string, object: ApiObject, keep: boolean) => {
    const resource = table.lookup(platform.name(group), 'v1', plural)
    if (resource === undefined) return
    try {
      const known = await resource.store.get(resource.store.keys.of(namespace, platform.service))
      if (known === undefined) await ensure(resource, object, context)
      else if (!keep && !isCurrent(known, object, resource, context)) await overwrite(resource, object, context)
    } catch (error) {
      logger.warn({ resource: plural, error: messageOf(error) }, "the API server's service or its endpoints could not be written")
    }
  }
  await attempt('', 'services', service(options), true)
  if (options.advertiseAddress === '') return
  await attempt('', 'endpoints', endpoints(options), false)
  await attempt('discovery.<domain>', 'endpointslices', endpointSlice(options), false)
}
