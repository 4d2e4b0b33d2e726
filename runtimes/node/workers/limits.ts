import type { ServerOptions } from '../../../core/server.ts'

/** Limits of requests in flight that are 0 when there is none. */
const limits = ['maxReadOnlyInFlight', 'maxMutatingInFlight'] as const

/** Options with this worker's share of the limits: together the workers have at least as much as one server, and less than one more for each. */
export function sharedLimits(options: ServerOptions, count: number): ServerOptions {
  const shares = limits.flatMap((name) => {
    const limit = options[name]
    return limit === undefined ? [] : [[name, Math.ceil(limit / count)] as const]
  })
  return { ...options, ...Object.fromEntries(shares) }
}
