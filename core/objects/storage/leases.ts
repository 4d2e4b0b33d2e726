import { untilAbortedLate } from '../../common/abort.ts'
import type { Clock, Context, KeyValueStore } from '../../ports.ts'

export interface Leases {
  /**
   * A lease with at least this many seconds left. Writes close in time share a lease, which keeps the number of leases small: a write that is
   * given up stops waiting, and the next ones use the lease.
   */
  grant(seconds: number, context: Context | undefined): Promise<bigint>
}

interface Shared {
  readonly lease: Promise<bigint>
  /** End of reuse, in milliseconds of the monotonic clock. */
  readonly until: number
  uses: number
}

/** Maximum reuse time as a share of the lifetime, so that short-lived objects don't live much longer than requested. */
const largestShare = 0.05
/** Maximum objects per lease, because the store deletes them all at once when it expires. */
const largestUse = 1_000

/**
 * `reuse`: maximum seconds during which a lease is reused (`--lease-reuse-duration-seconds`); its time-to-live is extended by as much.
 * The limits are those of the reference server.
 */
export function createLeases(store: KeyValueStore, clock: Clock, reuse: number): Leases {
  const current = new Map<number, Shared>()

  function shared(seconds: number): Promise<bigint> {
    const now = clock.monotonic()
    const known = current.get(seconds)
    if (known && known.until > now && known.uses < largestUse) {
      known.uses++
      return known.lease
    }
    const extra = Math.min(reuse, Math.floor(seconds * largestShare))
    const lease = store.grantLease(seconds + extra)
    const made = { lease, until: now + extra * 1000, uses: 1 }
    current.set(seconds, made)
    lease.catch(() => {
      if (current.get(seconds) === made) current.delete(seconds)
    })
    return lease
  }

  return {
    grant: (seconds, context) => (context === undefined ? shared(seconds) : untilAbortedLate(shared(seconds), context, clock)),
  }
}
