/**
 * Compares allocations with services. What a service holds without allocation is allocated at once; a leaked allocation is released when
 * seen twice, because a service that is being created looks the same.
 */
import type { Logger } from '../../../ports.ts'
import type { ReservingWrite } from '../reservations.ts'
import type { ServedResource } from '../served.ts'
import { canonicalAddress } from './address-range.ts'
import type { Addresses, ServiceName } from './addresses.ts'
import type { Ports } from './ports.ts'
import { clusterIpsOf, heldPorts, specOf } from './service.ts'

export interface Leaks {
  readonly addresses: ReadonlySet<string>
  readonly ports: ReadonlySet<number>
}

export const noLeaks: Leaks = { addresses: new Set(), ports: new Set() }

export interface RepairOptions {
  readonly services: ServedResource
  readonly addresses: Addresses
  readonly ports: Ports
  readonly logger: Logger
}

const tagged = ({ namespace, name }: ServiceName, address: string) => `${namespace}/${name} ${address}`

async function repairAddresses(
  { addresses, logger }: RepairOptions,
  held: ReadonlyMap<string, ServiceName>,
  seen: Leaks,
  write: ReservingWrite,
): Promise<Set<string>> {
  const leaks = new Set<string>()
  const taken = await addresses.taken()
  for (const { address, parent } of taken) {
    const leak = tagged(parent, address)
    if (held.has(leak)) continue
    if (seen.addresses.has(leak)) {
      await addresses.release(address, parent, write)
      logger.info({ address, service: parent }, 'released a cluster IP that no service uses')
    } else leaks.add(leak)
  }
  const known = new Set(taken.map(({ address, parent }) => tagged(parent, address)))
  for (const [tag, service] of held) {
    if (known.has(tag)) continue
    const address = tag.slice(tag.indexOf(' ') + 1)
    const claimed = await addresses.claim(address, service, write)
    if (claimed) logger.info({ address, service }, 'allocated a cluster IP again that a service uses')
    else logger.warn({ address, service }, 'two services hold the same cluster IP')
  }
  return leaks
}

async function repairPorts({ ports, logger }: RepairOptions, held: ReadonlySet<number>, seen: Leaks): Promise<Set<number>> {
  return ports.change((set) => {
    const leaks = new Set<number>()
    for (const port of [...set.taken]) {
      if (held.has(port)) continue
      if (seen.ports.has(port)) {
        set.release(port)
        logger.info({ port }, 'released a node port that no service uses')
      } else leaks.add(port)
    }
    for (const port of held) if (set.holds(port) && !set.taken.has(port)) set.take(port)
    return leaks
  })
}

/** One round. `seen`: leaks of the previous round; returns the leaks of this one. */
export async function repair(options: RepairOptions, seen: Leaks, write: ReservingWrite): Promise<Leaks> {
  const { entries } = await options.services.store.list({ namespace: '' })
  const held = new Map<string, ServiceName>()
  const heldByPort = new Set<number>()
  for (const entry of entries) {
    const service = entry.copy()
    const { namespace = '', name = '' } = service.metadata
    const spec = specOf(service)
    for (const address of clusterIpsOf(spec)) held.set(tagged({ namespace, name }, canonicalAddress(address)), { namespace, name })
    for (const port of heldPorts(spec)) heldByPort.add(port)
  }
  return {
    addresses: await repairAddresses(options, held, seen, write),
    ports: await repairPorts(options, heldByPort, seen),
  }
}
