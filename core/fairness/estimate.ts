import { type Work, workOf } from './work.ts'

/** Milliseconds that serving a request is assumed to take. */
export const assumedDuration = 3

/** The work that a request is expected to make. */
export interface Estimate {
  /** Seats while the request is served. */
  readonly initialSeats: number
  /** Seats while its event is delivered to watchers. */
  readonly finalSeats: number
  /** Milliseconds for which its seats stay taken after it has been served. */
  readonly latency: number
  /** The larger number of seats: that many are taken all the time. */
  readonly seats: number
  readonly total: Work
  /** Part of the total after the request has been served. */
  readonly final: Work
}

export function estimate(initialSeats: number, finalSeats = 0, latency = 0): Estimate {
  const final = workOf(finalSeats, latency)
  const total = workOf(initialSeats, assumedDuration) + final
  return { initialSeats, finalSeats, latency, seats: Math.max(initialSeats, finalSeats), total, final }
}

export const oneSeat = estimate(1)
