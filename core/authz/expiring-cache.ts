import type { Clock } from '../ports.ts'

/** The most recently used entries, each until its time is over. */
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
      entries.delete(key)
      if (clock.now() >= found.until) return undefined
      entries.set(key, found)
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
