import { createBuckets } from '../../../core/admission/token-buckets.ts'
import { createThrottle, type Throttle } from '../../../core/audit/throttle.ts'
import type { Clock, Rate } from '../../../core/ports.ts'
import type { RateLimits } from './limits.ts'

/** The rate limits of all threads, by name. */
export function createRates(clock: Clock): RateLimits {
  const buckets = new Map<string, (key: string) => boolean>()
  const throttles = new Map<string, Throttle>()
  return {
    async admit(name: string, rate: Rate, key: string) {
      const accepts = buckets.get(name) ?? createBuckets(rate, clock)
      buckets.set(name, accepts)
      return accepts(key)
    },
    async pass(name: string, rate: Rate) {
      const take = throttles.get(name) ?? createThrottle(rate, clock)
      throttles.set(name, take)
      await take()
    },
  }
}
