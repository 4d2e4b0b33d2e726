/** Reservations of services: cluster IPs and node ports. */

import { ApiError, invalid } from '../../../answers/status.ts'
import type { Platform } from '../../../platform.ts'
import type { Clock, KeyValueStore, Logger } from '../../../ports.ts'
import type { Family, ServiceSpec } from '../../../resources/core/service-defaults.ts'
import { dropTypeDependent, keepAllocated, pairClusterIPs } from '../../../resources/core/service-defaults.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { messageOf } from '../../../schema/message-of.ts'
import type { ClusterSettings, HookContext } from '../../../schema/model.ts'
import { deleteObject } from '../delete.ts'
import type { Reservation, Reservations, ReservingWrite } from '../reservations.ts'
import type { ServedResource } from '../served.ts'
import { addressRange } from './address-range.ts'
import { createAddresses } from './addresses.ts'
import { surplusAddresses, takeAddresses } from './cluster-ips.ts'
import { dryRunPorts } from './dry-run-ports.ts'
import { chooseFamilies } from './ip-families.ts'
import type { AllocationMetrics } from './metrics.ts'
import { lacksPorts, PortRefused, takePorts } from './node-ports.ts'
import type { PortRange, PortSource } from './port-set.ts'
import { createPorts } from './ports.ts'
import { noLeaks, repair } from './repair.ts'
import { clusterIpsOf, heldPorts, specOf } from './service.ts'
import { ensureServiceRanges } from './service-ranges.ts'

/** Milliseconds between repair rounds. */
const repairInterval = 180_000

export interface ServiceAddressesOptions {
  readonly platform: Platform
  readonly settings: ClusterSettings
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: AllocationMetrics
  readonly prefix: string
  /** CIDRs, one per family, the default family first. */
  readonly serviceClusterIpRanges: readonly string[]
  readonly serviceNodePortRange: PortRange
  readonly services: ServedResource
  readonly endpoints: ServedResource
  readonly ipAddresses: ServedResource
  readonly serviceCidrs: ServedResource
}

/** Throws an Error when a range is invalid. */
export function createServiceAddresses(options: ServiceAddressesOptions): Reservations {
  const { platform, settings, store, clock, logger, metrics, prefix, services, endpoints } = options
  const { definition } = services
  const addresses = createAddresses({ platform, clock, metrics }, options.ipAddresses, options.serviceCidrs)
  const ports = createPorts(store, prefix, options.serviceNodePortRange, metrics)
  const ranges = options.serviceClusterIpRanges.map((text) => {
    const range = addressRange(text)
    if (range === undefined) throw new Error(`service range ${text} is not a CIDR`)
    return range
  })
  const [family, ...others] = ranges.map((range) => range.family)
  if (family === undefined) throw new Error('a service range is required')
  const configured: readonly [Family, ...Family[]] = [family, ...others]

  const context = (): HookContext => ({ platform, settings, now: clock.now() })
  const nameOf = ({ metadata: { namespace = '', name = '' } }: ApiObject) => ({ namespace, name })

  async function quietly(what: string, service: ApiObject, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.warn({ service: nameOf(service), error: messageOf(error) }, `${what} failed`)
    }
  }

  async function giveBack(service: ApiObject, ips: readonly string[], portNumbers: readonly number[], write: ReservingWrite) {
    if (write.dryRun) return
    for (const address of ips) await quietly('giving back an address', service, () => addresses.release(address, nameOf(service), write))
    if (portNumbers.length === 0) return
    await quietly('giving back node ports', service, () =>
      ports.change((set) => {
        for (const port of portNumbers) set.release(port)
      }),
    )
  }

  /** Returns the allocated ports. */
  async function takeNodePorts(service: ApiObject, spec: ServiceSpec, old: ServiceSpec | undefined, dryRun: boolean) {
    if (!lacksPorts(spec, old)) return []
    try {
      const take = (set: PortSource) => {
        const copy = structuredClone(spec)
        takePorts(copy, old, set)
        return copy
      }
      Object.assign(spec, dryRun ? take(dryRunPorts(await ports.taken())) : await ports.allocate(take))
    } catch (error) {
      if (error instanceof PortRefused) throw invalid(definition, service.metadata.name ?? '', error.errors.list)
      throw error
    }
    const before = new Set(old ? heldPorts(old) : [])
    return heldPorts(spec).filter((port) => !before.has(port))
  }

  async function reserve(service: ApiObject, spec: ServiceSpec, old: ServiceSpec | undefined, write: ReservingWrite): Promise<Reservation> {
    const { list } = chooseFamilies(spec, old, configured)
    if (list.length > 0) throw invalid(definition, service.metadata.name ?? '', list)
    const ips: string[] = []
    let portNumbers: readonly number[] = []
    const rollback = () => giveBack(service, ips, portNumbers, write)
    try {
      await takeAddresses(addresses, definition, nameOf(service), spec, old, ips, write)
      portNumbers = await takeNodePorts(service, spec, old, write.dryRun)
    } catch (error) {
      await rollback()
      throw error
    }
    const surplus = old ? surplusAddresses(spec, old) : []
    if (old) dropTypeDependent(spec, old)
    const held = new Set(heldPorts(spec))
    const surplusPorts = old ? heldPorts(old).filter((port) => !held.has(port)) : []
    return { commit: () => giveBack(service, surplus, surplusPorts, write), rollback }
  }

  return {
    async create(service, write) {
      const spec = specOf(service)
      pairClusterIPs(spec)
      return reserve(service, spec, undefined, write)
    },

    async update(service, before, write) {
      const spec = specOf(service)
      const old = specOf(structuredClone(before))
      pairClusterIPs(old)
      keepAllocated(spec, old)
      pairClusterIPs(spec, old)
      const reservation = await reserve(service, spec, old, write)
      if (spec.type !== 'LoadBalancer' && service['status'] !== undefined) service['status'] = { ...service['status'], loadBalancer: {} }
      return reservation
    },

    async release(service, write) {
      const spec = specOf(service)
      await giveBack(service, clusterIpsOf(spec), heldPorts(spec), write)
      const { namespace, name } = nameOf(service)
      await quietly('deleting the endpoints', service, async () => {
        try {
          await deleteObject(endpoints, namespace, name, {}, { ...write, validateAdmission: async () => {}, warn: () => {} })
        } catch (error) {
          if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error
        }
      })
    },

    async start() {
      try {
        await ensureServiceRanges(options.serviceCidrs, options.serviceClusterIpRanges, platform, context())
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'ServiceCIDR not created or updated from --service-cluster-ip-range')
      }
      let leaks = noLeaks
      let cancel = () => {}
      let stopped = false
      async function round(): Promise<void> {
        try {
          leaks = await repair({ services, addresses, ports, logger }, leaks, { context: context(), dryRun: false })
        } catch (error) {
          logger.warn({ error: messageOf(error) }, 'repair of service IP allocations failed')
        }
        if (!stopped) cancel = clock.after(repairInterval, () => void round())
      }
      await round()
      return () => {
        stopped = true
        cancel()
      }
    },
  }
}
