import type { Clock } from '../ports.ts'

/** A token bucket: at most `burst` at once, and `qps` per second in the long run. */
export interface ThrottleOptions {
  readonly qps: number
  readonly burst: number
}

/** Takes a token. Resolves when there is one; undefined: at once. */
export type Throttle = () => Promise<void> | undefined

export function createThrottle({ qps, burst }: ThrottleOptions, clock: Clock): Throttle {
  let tokens = burst
  let filled = clock.monotonic()
  return () => {
    const now = clock.monotonic()
    tokens = Math.min(burst, tokens + ((now - filled) / 1000) * qps)
    filled = now
    tokens--
    if (tokens >= 0) return undefined
    const wait = (-tokens / qps) * 1000
    return new Promise((resolve) => void clock.after(Math.ceil(wait), resolve))
  }
}
