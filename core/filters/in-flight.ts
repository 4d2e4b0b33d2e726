import { PlainError } from '../answers/plain-error.ts'
import { whenEnded } from '../request/ended.ts'
import type { Exchange, Seat } from '../request/exchange.ts'
import { type Filter, outcome } from './filter.ts'
import type { Terminations } from './terminations.ts'

const readOnly = new Set(['get', 'list', 'watch'])

interface Kinds {
  readOnly: number
  mutating: number
}

/** One of a limited number of places. Leaving twice frees it once. */
class LimitedSeat implements Seat {
  readonly exchange: Exchange
  readonly #kind: keyof Kinds
  readonly #limit: number
  readonly #running: Kinds
  #taken = false

  constructor(exchange: Exchange, kind: keyof Kinds, limits: Readonly<Kinds>, running: Kinds) {
    this.exchange = exchange
    this.#kind = kind
    this.#limit = limits[kind]
    this.#running = running
  }

  take(): void {
    if (this.#limit > 0 && this.#running[this.#kind] >= this.#limit)
      throw new PlainError(429, 'Too many requests, please try again later.', 1)
    this.#running[this.#kind]++
    this.#taken = true
  }

  readonly leave = (): void => {
    if (!this.#taken) return
    this.#taken = false
    this.#running[this.#kind]--
  }
}

const answered = ({ exchange, leave }: LimitedSeat, response: Response): Response => whenEnded(exchange, response, leave)

function failed({ leave }: LimitedSeat, error: unknown): never {
  leave()
  throw error
}

/**
 * Limits the number of concurrent requests of each kind; 0: no limit. Members of `system:masters` and long-running requests are exempt.
 * A request holds its seat until its response has been sent, except while its body is awaited. `running` holds the current counts, for
 * metrics.
 */
export function inFlight(limits: Readonly<Kinds>, running: Kinds, terminations: Pick<Terminations, 'dropped'>): Filter {
  return (exchange, next) => {
    const { info, user } = exchange
    if (info.longRunning || user.groups.includes('system:masters')) return next(exchange)
    const seat = new LimitedSeat(exchange, readOnly.has(info.verb) ? 'readOnly' : 'mutating', limits, running)
    try {
      seat.take()
    } catch (error) {
      throw terminations.dropped(exchange, error)
    }
    exchange.seat = seat
    return outcome(next, exchange, seat, answered, failed)
  }
}
