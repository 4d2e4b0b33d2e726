import type { Clock } from '../../core/ports.ts'

/** A lease and its expiry in milliseconds since the epoch, which only counts when a store is opened again. */
export interface Lease {
  readonly id: bigint
  readonly expires: number
}

/** Maximum delay of a timer (31 bits of milliseconds); longer waits are split. */
const maxWait = 2 ** 31 - 1

/** Active leases and their keys. */
export class Leases {
  readonly #clock: Clock
  readonly #expired: (id: bigint) => void
  readonly #keys = new Map<bigint, Set<string>>()
  readonly #leaseOf = new Map<string, bigint>()
  readonly #cancels = new Map<bigint, () => void>()

  /** `expired` is called from a timer when a lease expires. */
  constructor(clock: Clock, expired: (id: bigint) => void) {
    this.#clock = clock
    this.#expired = expired
  }

  start(lease: Lease): void {
    this.#keys.set(lease.id, new Set())
    this.#arm(lease.id, Math.max(0, lease.expires - this.#clock.now()))
  }

  has(id: bigint): boolean {
    return this.#keys.has(id)
  }

  keys(id: bigint): readonly string[] {
    return [...(this.#keys.get(id) ?? [])]
  }

  /** Attaches a key to a lease; 0n detaches it. */
  attach(key: string, id: bigint): void {
    const before = this.#leaseOf.get(key)
    if (before !== undefined) {
      this.#keys.get(before)?.delete(key)
      this.#leaseOf.delete(key)
    }
    if (id === 0n) return
    this.#keys.get(id)?.add(key)
    this.#leaseOf.set(key, id)
  }

  end(id: bigint): void {
    this.#cancels.get(id)?.()
    this.#cancels.delete(id)
    this.#keys.delete(id)
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
  }

  /** From here on the lease follows timers: a wall clock that is set does not end it sooner or later. */
  #arm(id: bigint, wait: number): void {
    const cancel = this.#clock.after(Math.min(wait, maxWait), () => {
      if (wait > maxWait) this.#arm(id, wait - maxWait)
      else this.#expired(id)
    })
    this.#cancels.set(id, cancel)
  }
}
