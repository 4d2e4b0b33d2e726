import type { Clock } from '../../core/ports.ts'

/** A lease and its expiry in milliseconds since the epoch, which only counts when a store is opened again, and without `seconds`. */
export interface Lease {
  readonly id: bigint
  readonly expires: number
  /**
   * Granted seconds of a lease that its owner keeps alive: it has all of them again when a store is opened, as in etcd, where leases are
   * extended when a leader is elected. Absent: the lease expires in any case.
   */
  readonly seconds?: number
}

interface Active {
  readonly lease: Lease
  readonly keys: Set<string>
  /** Monotonic time of its expiry in milliseconds. */
  expires: number
  cancel: () => void
}

/** Maximum delay of a timer (31 bits of milliseconds); longer waits are split. */
const maxWait = 2 ** 31 - 1

/** Active leases and their keys. */
export class Leases {
  readonly #clock: Clock
  readonly #expired: (id: bigint) => void
  readonly #active = new Map<bigint, Active>()
  readonly #leaseOf = new Map<string, bigint>()

  /** `expired` is called from a timer when a lease expires. */
  constructor(clock: Clock, expired: (id: bigint) => void) {
    this.#clock = clock
    this.#expired = expired
  }

  start(lease: Lease): void {
    const active = { lease, keys: new Set<string>(), expires: 0, cancel: () => {} }
    this.#active.set(lease.id, active)
    this.#arm(active, lease.seconds === undefined ? Math.max(0, lease.expires - this.#clock.now()) : lease.seconds * 1000)
  }

  has(id: bigint): boolean {
    return this.#active.has(id)
  }

  ids(): readonly bigint[] {
    return [...this.#active.keys()]
  }

  keys(id: bigint): readonly string[] {
    return [...(this.#active.get(id)?.keys ?? [])]
  }

  /** Granted and remaining seconds of a lease; undefined: there is none. */
  times(id: bigint): { readonly granted: number; readonly remaining: number } | undefined {
    const active = this.#active.get(id)
    if (active === undefined) return undefined
    const remaining = (active.expires - this.#clock.monotonic()) / 1000
    return { granted: active.lease.seconds ?? Math.ceil(remaining), remaining }
  }

  /** Gives a lease all of its seconds again. Returns them; undefined: there is no such lease, or it has no owner. */
  renew(id: bigint): number | undefined {
    const active = this.#active.get(id)
    const seconds = active?.lease.seconds
    if (active === undefined || seconds === undefined) return undefined
    active.cancel()
    this.#arm(active, seconds * 1000)
    return seconds
  }

  /** Attaches a key to a lease; 0n detaches it. */
  attach(key: string, id: bigint): void {
    const before = this.#leaseOf.get(key)
    if (before !== undefined) {
      this.#active.get(before)?.keys.delete(key)
      this.#leaseOf.delete(key)
    }
    if (id === 0n) return
    this.#active.get(id)?.keys.add(key)
    this.#leaseOf.set(key, id)
  }

  end(id: bigint): void {
    this.#active.get(id)?.cancel()
    this.#active.delete(id)
  }

  close(): void {
    for (const { cancel } of this.#active.values()) cancel()
  }

  /** From here on the lease follows timers: a wall clock that is set does not end it sooner or later. */
  #arm(active: Active, wait: number): void {
    active.expires = this.#clock.monotonic() + wait
    active.cancel = this.#clock.after(Math.min(wait, maxWait), () => {
      if (wait > maxWait) this.#arm(active, wait - maxWait)
      else this.#expired(active.lease.id)
    })
  }
}
