import { PlainError } from '../answers/plain-error.ts'
import type { SharedLimit, SharedLimits } from '../ports.ts'
import { whenEnded } from '../request/ended.ts'
import type { Exchange, Seat } from '../request/exchange.ts'
import { type Filter, outcome } from './filter.ts'
import type { Terminations } from './terminations.ts'

const readOnly = new Set(['get', 'list', 'watch'])

interface Kinds {
  readOnly: number
  mutating: number
}

/** What is left of the places of one kind. */
type Places = Pick<SharedLimit, 'take' | 'give'>

/** One of a limited number of places. Leaving twice frees it once. */
class LimitedSeat implements Seat {
  readonly exchange: Exchange
  readonly #kind: keyof Kinds
  readonly #places: Places
  readonly #running: Kinds
  #taken = false

  constructor(exchange: Exchange, kind: keyof Kinds, places: Places, running: Kinds) {
    this.exchange = exchange
    this.#kind = kind
    this.#places = places
    this.#running = running
  }

  take(): void {
    if (!this.#places.take(1)) throw new PlainError(429, 'Too many requests, please try again later.', 1)
    this.#running[this.#kind]++
    this.#taken = true
  }

  readonly leave = (): void => {
    if (!this.#taken) return
    this.#taken = false
    this.#running[this.#kind]--
    this.#places.give(1)
  }
}

const unlimited: Places = { take: () => true, give() {} }

const answered = ({ exchange, leave }: LimitedSeat, response: Response): Response => whenEnded(exchange, response, leave)

function failed({ leave }: LimitedSeat, error: unknown): never {
  leave()
  throw error
}

/**
 * Limits the number of concurrent requests of each kind; 0: no limit. Members of `system:masters` and long-running requests are exempt.
 * A request holds its seat until its response has been sent, except while its body is awaited. `running` holds the current counts, for
 * metrics. `shared`: the limits are those of several servers together.
 */
export function inFlight(
  limits: Readonly<Kinds>,
  running: Kinds,
  terminations: Pick<Terminations, 'dropped'>,
  shared: SharedLimits | undefined,
): Filter {
  const placesOf = (kind: keyof Kinds): Places => {
    const limit = limits[kind]
    if (limit === 0) return unlimited
    if (shared === undefined) return { take: () => running[kind] < limit, give() {} }
    return Object.assign(shared.open(`requests/${kind}`), { limit })
  }
  const places = { readOnly: placesOf('readOnly'), mutating: placesOf('mutating') }
  return (exchange, next) => {
    const { info, user } = exchange
    if (info.longRunning || user.groups.includes('system:masters')) return next(exchange)
    const kind = readOnly.has(info.verb) ? 'readOnly' : 'mutating'
    const seat = new LimitedSeat(exchange, kind, places[kind], running)
    try {
      seat.take()
    } catch (error) {
      throw terminations.dropped(exchange, error)
    }
    exchange.seat = seat
    return outcome(next, exchange, seat, answered, failed)
  }
}
