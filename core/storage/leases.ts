import type { Clock, KeyValueStore } from '../ports.ts'

export interface Leases {
  /** A lease with at least so many seconds left; shared by writes close in time, so that leases stay few. */
  grant(seconds: number): Promise<bigint>
}

interface Shared {
  readonly lease: Promise<bigint>
  /** Handed out until then, in milliseconds since the epoch. */
  readonly until: number
  uses: number
}

/** The share of its time for which a lease is handed out, at most: short-lived objects should not live much longer than they ask. */
const largestShare = 0.05
/** Objects on one lease: the store deletes them all at once when it ends. */
const largestUse = 1_000

/**
 * `reuse`: longest time in seconds that one lease is handed out (`--lease-reuse-duration-seconds`); it lives that much longer.
 * The limits are the reference server's.
 */
export function createLeases(store: KeyValueStore, clock: Clock, reuse: number): Leases {
  const current = new Map<number, Shared>()
  return {
    grant(seconds) {
      const now = clock.now()
      const known = current.get(seconds)
      if (known && known.until > now && known.uses < largestUse) {
        known.uses++
        return known.lease
      }
      const extra = Math.min(reuse, Math.floor(seconds * largestShare))
      const lease = store.grantLease(seconds + extra)
      const shared = { lease, until: now + extra * 1000, uses: 1 }
      current.set(seconds, shared)
      lease.catch(() => {
        if (current.get(seconds) === shared) current.delete(seconds)
      })
      return lease
    },
  }
}
