import type { Clock } from '../../ports.ts'

/**
 * Cache with a time-to-live per entry, bounded in entries and in memory. Evicts the least recently used entry; while less than half full, use is not
 * tracked and the oldest entry is evicted.
 */
export interface ExpiringCache<V> {
  get(key: string): V | undefined
  /** `ttl` in milliseconds; with 0 or less the entry is not stored, nor when it is larger than the whole cache. */
  set(key: string, value: V, ttl: number): void
}

/** Maximum bytes of a cache, as `bytesOf` counts: a webhook chooses the size of its answers, a client that of its token. */
const maxBytes = 32 * 1024 * 1024
/** Bytes of a string or object besides its characters and members. */
const overhead = 48
/** Levels of a value that are counted; cached answers are flat. */
const countedLevels = 8

/** Approximate bytes of a value in memory, which has no cycles. */
function bytesOf(value: unknown, levels = countedLevels): number {
  if (typeof value === 'string') return overhead + value.length
  if (value instanceof Error) return overhead + value.message.length
  if (typeof value !== 'object' || value === null || levels === 0) return 0
  let bytes = overhead
  for (const [name, member] of Object.entries(value)) bytes += name.length + bytesOf(member, levels - 1)
  return bytes
}

interface Entry<V> {
  readonly value: V
  readonly until: number
  readonly bytes: number
}

export function createExpiringCache<V>(capacity: number, clock: Clock): ExpiringCache<V> {
  // A Map iterates in insertion order: its first entry is the least recently used one.
  const entries = new Map<string, Entry<V>>()
  let bytes = 0
  function remove(key: string, entry = entries.get(key)): void {
    if (entry === undefined) return
    entries.delete(key)
    bytes -= entry.bytes
  }
  return {
    get(key) {
      const found = entries.get(key)
      if (found === undefined) return undefined
      if (clock.monotonic() >= found.until) {
        remove(key, found)
        return undefined
      }
      // Re-inserted only when crowded: constant deletion and insertion makes a Map rehash often.
      if (entries.size * 2 > capacity || bytes * 2 > maxBytes) {
        entries.delete(key)
        entries.set(key, found)
      }
      return found.value
    },
    set(key, value, ttl) {
      remove(key)
      if (ttl <= 0) return
      const entry = { value, until: clock.monotonic() + ttl, bytes: bytesOf(key) + bytesOf(value) }
      entries.set(key, entry)
      bytes += entry.bytes
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity && bytes <= maxBytes) break
        remove(oldest)
      }
    },
  }
}
