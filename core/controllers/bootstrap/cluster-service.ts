/** The cluster's own service, through which members of the cluster reach this server; it has the first address of the service range. */

import { settled } from '../../common/abort.ts'
import { addressRange } from '../../objects/registry/allocators/address-range.ts'
import { createServerLeases } from '../../objects/storage/server-leases.ts'
import type { Platform } from '../../platform.ts'
import type { KeyValueStore } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { HookContext } from '../../schema/model.ts'
import type { ControllerContext } from '../controller.ts'
import { repeatEvery } from '../repeat.ts'
import { type EndpointReconciler, type EndpointReconcilerType, endpointReconcilers } from './endpoint-reconcilers.ts'
import { ensure } from './objects.ts'
import { createServiceEndpoints, type EndpointPort } from './service-endpoints.ts'

export interface ClusterServiceOptions {
  readonly serviceClusterIpRanges: readonly string[]
  readonly clusterServiceNodePort: number
  /** Empty: the service has no endpoints. */
  readonly advertiseAddress: string
  readonly securePort: number
  readonly endpointReconciler: EndpointReconcilerType
  readonly serverCount: number
  /** The store for the addresses of servers that are alive. */
  readonly store: KeyValueStore
  readonly storageMediaType: string
  /** For objects that are written now. */
  hookContext(): HookContext
}

export interface ClusterService {
  /** Removes this server's address from the endpoints, for at most 20 s, and stops keeping the service. */
  leave(): Promise<void>
}

const namespace = 'default'
const port = 443
const portName = 'https'
/** Milliseconds between reviews of service and endpoints. */
const interval = 10_000
/** Seconds until the address of a server that is gone is removed. */
const timeToLive = 15

type ServiceOptions = Pick<ClusterServiceOptions, 'serviceClusterIpRanges' | 'clusterServiceNodePort' | 'securePort'>

function serviceOf(platform: Platform, options: ServiceOptions): ApiObject {
  const { securePort, clusterServiceNodePort: nodePort, serviceClusterIpRanges } = options
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

function reconcilerOf(context: ControllerContext, options: ClusterServiceOptions): EndpointReconciler | undefined {
  const { table, prefix } = context
  const endpoints = createServiceEndpoints(context)
  const definition = table.lookup('', 'v1', 'endpoints')?.definition
  if (options.advertiseAddress === '' || endpoints === undefined || definition === undefined) return undefined
  const ports: readonly EndpointPort[] = [{ name: portName, port: options.securePort, protocol: 'TCP' }]
  const { store, storageMediaType: mediaType } = options
  const leases = createServerLeases({ store, definition, prefix, folder: 'masterleases', mediaType, seconds: timeToLive })
  const address = options.advertiseAddress
  return endpointReconcilers[options.endpointReconciler]({ address, ports, endpoints, leases, count: options.serverCount })
}

/**
 * Creates the service if it is missing, and adds this server to its endpoints; repeats both every 10 s if it has an address. Resolves after
 * the first time. Failures are logged; the server works without the service.
 */
export async function keepClusterService(context: ControllerContext, options: ClusterServiceOptions): Promise<ClusterService> {
  const { clock, logger, platform, table } = context
  const services = table.lookup('', 'v1', 'services')
  const reconciler = reconcilerOf(context, options)

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.warn({ error: messageOf(error) }, `the API server's service: ${what}`)
    }
  }

  let isFirst = true
  async function review(): Promise<void> {
    await attempt('it could not be created', async () => {
      if (services) await ensure(services, serviceOf(platform, options), options.hookContext())
    })
    await attempt('its endpoints could not be written', async () => reconciler?.reconcile(isFirst))
    isFirst = false
  }

  if (reconciler === undefined) {
    await review()
    return { leave: async () => {} }
  }
  const repetition = repeatEvery(clock, interval, review)
  await repetition.first
  return {
    async leave() {
      const ended = repetition.stop()
      const removal = ended.then(() => attempt('this server could not be removed from its endpoints', () => reconciler.remove()))
      await settled(removal, clock, 2 * interval)
    },
  }
}
