/** Token buckets by key. */
import type { Clock, Rate } from '../ports.ts'

const defaultCacheSize = 4096
/** Maximum characters of a kept key, because clients choose it. Names that can exist are shorter together; keys that begin alike share a limit. */
const maxKeyLength = 4096

/** As long as kept keys are. A copy: a part of a text would keep the whole. */
const bounded = (key: string) =>
  key.length <= maxKeyLength ? key : new TextDecoder().decode(new TextEncoder().encode(key.slice(0, maxKeyLength)))

/** Token buckets by key: returns whether an event is allowed, and counts it. The least recently used keys are evicted. */
export function createBuckets({ qps, burst, cacheSize }: Rate, clock: Clock): (key: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>()
  const maxBuckets = cacheSize || defaultCacheSize
  return (whole) => {
    const key = bounded(whole)
    const now = clock.monotonic()
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now }
    const filled = Math.min(burst, tokens + ((now - at) / 1000) * qps)
    const accepted = filled >= 1
    buckets.delete(key)
    buckets.set(key, { tokens: accepted ? filled - 1 : filled, at: now })
    const [oldest] = buckets.keys()
    if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest)
    return accepted
  }
}
