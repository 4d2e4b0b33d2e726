/**
 * Allocates service IPs: an address is taken if an IPAddress object of its name exists (KEP-1880). Ranges come from all
 * ServiceCIDR objects that are ready.
 */

import { ApiError } from '../../../answers/status.ts'
import type { Platform } from '../../../platform.ts'
import type { Clock } from '../../../ports.ts'
import { type Family, familyOf } from '../../../resources/core/service-defaults.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { parseAddress } from '../../../schema/formats/ip.ts'
import { createObject } from '../create.ts'
import { deleteObject } from '../delete.ts'
import { ownRequest } from '../request.ts'
import type { ReservingWrite } from '../reservations.ts'
import type { ServedResource } from '../served.ts'
import { type AddressRange, addressRange, canonicalAddress } from './address-range.ts'
import { AllocationError } from './allocation-error.ts'
import type { AllocationMetrics, AllocationScope } from './metrics.ts'
import { UsedAddresses } from './used-addresses.ts'

/** Collisions after which all taken names are listed. */
const maxCollisions = 4

export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

interface Parent extends ServiceName {
  readonly group?: string
  readonly resource: string
}

export interface TakenAddress {
  readonly address: string
  readonly parent: ServiceName
}

export interface Addresses {
  /** Allocates the address for a service. Throws AllocationError when it is taken, or in no range; dry runs only for the latter. */
  take(address: string, service: ServiceName, write: ReservingWrite): Promise<void>
  /** Allocates any address of a family; dry runs get the network address of a range. Throws AllocationError when none is left. */
  takeAny(family: Family, service: ServiceName, write: ReservingWrite): Promise<string>
  /** Allocates the address even outside of ranges; false when another service has it. */
  claim(address: string, service: ServiceName, write: ReservingWrite): Promise<boolean>
  /** Releases the address if the service holds it. */
  release(address: string, service: ServiceName, write: ReservingWrite): Promise<void>
  /** All addresses allocated to services. */
  taken(): Promise<readonly TakenAddress[]>
}

interface RangeObject {
  readonly spec?: { readonly cidrs?: readonly string[] }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const hasReason = (error: unknown, reason: string) => error instanceof ApiError && error.status.reason === reason

const parentOf = (object: ApiObject) => (object as { spec?: { parentRef?: Parent } }).spec?.parentRef

/** A range is ready unless its condition says otherwise. */
function isReady(object: ApiObject): boolean {
  const { status } = object as RangeObject
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return object.metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === 'True')
}

interface AddressesContext {
  readonly platform: Platform
  readonly clock: Pick<Clock, 'monotonic'>
  readonly metrics: AllocationMetrics
}

export function createAddresses(
  { platform, clock, metrics }: AddressesContext,
  addresses: ServedResource,
  serviceCidrs: ServedResource,
): Addresses {
  const { store } = addresses
  const used = new UsedAddresses(metrics)
  const managedBy = { key: platform.name('ipaddress.<labels>/managed-by'), value: platform.name('ipallocator.<domain>') }
  const familyLabel = platform.name('ipaddress.<labels>/ip-family')

  async function ranges(): Promise<AddressRange[]> {
    const { entries } = await serviceCidrs.store.list({ namespace: '' })
    const ready = entries.map((entry) => entry.copy()).filter(isReady)
    const found = ready.flatMap((object) => (object as RangeObject).spec?.cidrs ?? []).flatMap((text) => addressRange(text) ?? [])
    used.of(found)
    return found
  }

  const requestOf = ({ context, dryRun }: ReservingWrite) => ({ ...ownRequest(context), dryRun })

  /** False when the address is taken. */
  async function put(address: string, { namespace, name }: ServiceName, write: ReservingWrite): Promise<boolean> {
    const family = familyOf(address)
    const object = {
      kind: 'IPAddress',
      apiVersion: platform.name('networking.<domain>/v1'),
      metadata: { name: address, labels: { [familyLabel]: family, [managedBy.key]: managedBy.value } },
      spec: { parentRef: { group: '', resource: 'services', namespace, name } },
    }
    try {
      await createObject(addresses, object, requestOf(write))
      used.take(address)
      return true
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return false
      throw error
    }
  }

  async function takenNames(): Promise<ReadonlySet<string>> {
    const { entries } = await store.list({ namespace: '' })
    return new Set(entries.map(({ name }) => name))
  }

  async function takeFrom(range: AddressRange, service: ServiceName, write: ReservingWrite): Promise<string | undefined> {
    let collisions = 0
    let taken: ReadonlySet<string> | undefined
    for (const address of range.candidates()) {
      if (taken?.has(address)) continue
      if (await put(address, service, write)) return address
      if (++collisions === maxCollisions) taken = await takenNames()
    }
    return undefined
  }

  /** Counts what `take` does; it returns false when nothing was allocated. */
  async function counted<T>(range: AddressRange, scope: AllocationScope, take: () => Promise<T | false>): Promise<T | false> {
    const began = clock.monotonic()
    const taken = await take().catch((error: unknown) => {
      metrics.addressErrors.add([range.text, scope])
      throw error
    })
    if (taken === false) metrics.addressErrors.add([range.text, scope])
    else {
      metrics.addresses.add([range.text, scope])
      metrics.durations.observe([range.text], (clock.monotonic() - began) / 1000)
    }
    return taken
  }

  return {
    async take(text, service, write) {
      const address = parseAddress(text)
      const ready = await ranges()
      // Dry runs ask any range of the family.
      const range =
        address &&
        (ready.find((each) => each.contains(address)) ?? (write.dryRun ? ready.find(({ family }) => family === familyOf(text)) : undefined))
      if (range === undefined) throw new AllocationError('the provided network does not match the current range')
      if (!range.isUsable(address!)) {
        if (!write.dryRun) metrics.addressErrors.add([range.text, 'static'])
        throw new AllocationError(
          `the provided IP (${canonicalAddress(text)}) is not in the valid range. The range of valid IPs is ${range.text}`,
        )
      }
      // A dry run doesn't say whether the address is free: by the time of the write, that may have changed.
      if (write.dryRun) return
      if (!(await counted(range, 'static', () => put(canonicalAddress(text), service, write))))
        throw new AllocationError('provided IP is already allocated')
    },

    async takeAny(family, service, write) {
      for (const range of (await ranges()).filter((each) => each.family === family)) {
        if (write.dryRun) return range.network
        const address = await counted(range, 'dynamic', async () => (await takeFrom(range, service, write)) ?? false)
        if (address !== false) return address
      }
      throw new AllocationError('range is full')
    },

    claim: (address, service, write) => put(canonicalAddress(address), service, write),

    async release(text, { namespace, name }, write) {
      const address = canonicalAddress(text)
      const found = (await store.get({ namespace: '', name: address }))?.copy()
      const parent = found && parentOf(found)
      if (parent?.resource !== 'services' || parent.namespace !== namespace || parent.name !== name) return
      const { uid = '' } = found?.metadata ?? {}
      try {
        await deleteObject(addresses, '', address, { preconditions: { uid } }, requestOf(write))
        used.release(address)
      } catch (error) {
        if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error
      }
    },

    async taken() {
      const { entries } = await store.list({ namespace: '', matches: ({ labels }) => labels[managedBy.key] === managedBy.value })
      const found = entries.flatMap((entry) => {
        const parent = parentOf(entry.copy())
        return parent ? { address: entry.name, parent } : []
      })
      await ranges()
      used.count(found.map(({ address }) => address))
      return found
    },
  }
}
