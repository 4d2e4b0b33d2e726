/**
 * How the addresses of the cluster's own service are kept (`--endpoint-reconciler-type`, pkg/controlplane/reconcilers). Ports follow this server
 * only where `resetsPorts` says so, and when the stored endpoints have another form: all servers should use one port.
 */

import type { ServerLeases } from '../../objects/storage/server-leases.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { EndpointPort, ServiceEndpoints, Subset } from './service-endpoints.ts'

export interface EndpointReconcilerOptions {
  /** Address of this server. */
  readonly address: string
  readonly ports: readonly EndpointPort[]
  readonly endpoints: ServiceEndpoints
  /** Addresses of all servers that are alive. */
  readonly leases: ServerLeases
  /** Number of servers of the cluster, for `master-count`. */
  readonly count: number
}

export interface EndpointReconciler {
  /** Adds this server's address, and removes those of servers that are gone. Rejects with an Error. */
  reconcile(resetsPorts: boolean): Promise<void>
  /** Removes this server's address. */
  remove(): Promise<void>
}

/** In the order in which the reference sorts addresses. */
const sorted = (ips: Iterable<string>) => [...new Set(ips)].sort((one, other) => (one < other ? -1 : 1)).map((ip) => ({ ip }))

const same = (one: unknown, other: unknown) => equal(one as Json | undefined, other as Json | undefined)

/** Each server renews a key with a time-to-live; the addresses are those of the keys that exist. */
function byLeases({ address, ports, endpoints, leases }: EndpointReconcilerOptions): EndpointReconciler {
  async function settle(resetsPorts: boolean, mayBeEmpty: boolean): Promise<void> {
    await endpoints.update(await nextOf(resetsPorts, mayBeEmpty))
  }
  async function nextOf(resetsPorts: boolean, mayBeEmpty: boolean): Promise<(stored: Subset | undefined) => Subset> {
    const alive = await leases.list()
    const ips = alive.flatMap((lease) => (lease['subsets'] as readonly Subset[] | undefined)?.[0]?.addresses?.[0]?.ip || [])
    if (ips.length === 0 && !mayBeEmpty) throw new Error('the store has no address of a server, not even the one that was just written')
    const wanted = sorted(ips)
    return (stored) => {
      const isCurrent = stored !== undefined && same(sorted((stored.addresses ?? []).map(({ ip }) => ip)), wanted)
      const keepsPorts = stored !== undefined && (!resetsPorts || same(stored.ports, ports))
      if (isCurrent && keepsPorts) return stored
      return { addresses: isCurrent ? (stored.addresses ?? []) : wanted, ports: keepsPorts ? (stored.ports ?? []) : ports }
    }
  }
  return {
    async reconcile(resetsPorts) {
      await leases.renew(address, { subsets: [{ addresses: [{ ip: address }] }] })
      await settle(resetsPorts, false)
    },
    async remove() {
      if (await leases.remove(address)) await settle(true, true)
    },
  }
}

/** Each server adds its own address; when there are more than `count`, it removes those that follow its own. */
function byCount({ address, ports, endpoints, count }: EndpointReconcilerOptions): EndpointReconciler {
  function withOwn(addresses: Subset['addresses'] = []): NonNullable<Subset['addresses']> {
    if (addresses.length <= count && addresses.some(({ ip }) => ip === address)) return addresses
    const all = sorted([...addresses.map(({ ip }) => ip), address])
    const own = all.findIndex(({ ip }) => ip === address)
    // The order is circular.
    const following = [...all.slice(own + 1), ...all.slice(0, own)]
    const dropped = new Set(following.slice(0, Math.max(0, all.length - count)))
    return all.filter((each) => !dropped.has(each))
  }
  return {
    reconcile: (resetsPorts) =>
      endpoints.update((stored) => {
        if (stored === undefined) return { addresses: [{ ip: address }], ports }
        const addresses = withOwn(stored.addresses)
        const keepsPorts = !resetsPorts || same(stored.ports, ports)
        if (addresses === stored.addresses && keepsPorts) return stored
        return { addresses, ports: keepsPorts ? (stored.ports ?? []) : ports }
      }),
    remove: () =>
      endpoints.update((stored) => {
        const addresses = (stored?.addresses ?? []).filter(({ ip }) => ip !== address)
        return stored?.addresses?.length === addresses.length ? stored : { ...stored, addresses }
      }),
  }
}

/** Endpoints are managed elsewhere. */
const unmanaged = (): EndpointReconciler => ({ reconcile: async () => {}, remove: async () => {} })

export const endpointReconcilers = { lease: byLeases, 'master-count': byCount, none: unmanaged } as const

export type EndpointReconcilerType = keyof typeof endpointReconcilers
