import type { Clock, Rate } from '../ports.ts'

/** Takes a token. Resolves when there is one; undefined: at once. */
export type Throttle = () => Promise<void> | undefined

export function createThrottle({ qps, burst }: Rate, clock: Clock): Throttle {
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
