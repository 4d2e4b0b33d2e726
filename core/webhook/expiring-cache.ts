import type { Clock } from '../ports.ts'

/**
 * Cache with a time-to-live per entry. Evicts the least recently used entry; while less than half full, use is not tracked and the oldest
 * entry is evicted.
 */
export interface ExpiringCache<V> {
  get(key: string): V | undefined
  /** `ttl` in milliseconds; with 0 or less the entry is not stored. */
  set(key: string, value: V, ttl: number): void
  readonly size: number
}

export function createExpiringCache<V>(capacity: number, clock: Clock): ExpiringCache<V> {
  // A Map iterates in insertion order: its first entry is the least recently used one.
  const entries = new Map<string, { readonly value: V; readonly until: number }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (found === undefined) return undefined
      const isOver = clock.monotonic() >= found.until
      const isCrowded = entries.size * 2 > capacity
      if (isOver || isCrowded) entries.delete(key)
      if (isOver) return undefined
      // Re-inserted only when crowded: constant deletion and insertion makes a Map rehash often.
      if (isCrowded) entries.set(key, found)
      return found.value
    },
    set(key, value, ttl) {
      entries.delete(key)
      if (ttl <= 0) return
      entries.set(key, { value, until: clock.monotonic() + ttl })
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    },
    get size() {
      return entries.size
    },
  }
}
