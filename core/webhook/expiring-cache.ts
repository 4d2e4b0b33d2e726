import type { Clock } from '../ports.ts'

/** The most recently used entries, each until its time is over. While there is much room, the most recently made ones: use is not noted then. */
export interface ExpiringCache<V> {
  get(key: string): V | undefined
  /** `ttl` in milliseconds; an entry that would be over at once is not kept. */
  set(key: string, value: V, ttl: number): void
  readonly size: number
}

export function createExpiringCache<V>(capacity: number, clock: Clock): ExpiringCache<V> {
  // A Map iterates in the order of insertion, so its first entry is the least recently used one.
  const entries = new Map<string, { readonly value: V; readonly until: number }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (found === undefined) return undefined
      const isOver = clock.now() >= found.until
      const isCrowded = entries.size * 2 > capacity
      if (isOver || isCrowded) entries.delete(key)
      if (isOver) return undefined
      // A map that entries leave and enter with every request spends its time tidying up.
      if (isCrowded) entries.set(key, found)
      return found.value
    },
    set(key, value, ttl) {
      entries.delete(key)
      if (ttl <= 0) return
      entries.set(key, { value, until: clock.now() + ttl })
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    },
    get size() {
      return entries.size
    },
  }
}
