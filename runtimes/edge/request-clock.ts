import type { Clock } from '../../core/ports.ts'
import { webClock } from '../web/ports.ts'

interface Timer {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly callback: () => void
}

/**
 * A clock for workers outside of Durable Objects, where the timers of a request end with it: what a request waits for, such as the time of its watch,
 * may have been set by an earlier one. Each request drives all timers for as long as it lasts:
 *
 *     const clock = new RequestClock()
 *     export default { fetch(request) { clock.drive(); … } }
 *
 * Between requests nothing happens; what became due meanwhile happens with the next one.
 */
export class RequestClock implements Clock {
  readonly #timers = new Set<Timer>()
  readonly #period: number

  /** `period`: milliseconds between looks at what is due. */
  constructor(period = 500) {
    this.#period = period
  }

  now(): number {
    return webClock.now()
  }

  monotonic(): number {
    return webClock.monotonic()
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.monotonic() + milliseconds, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** To be called by each request. The runtime ends the timer with the request. */
  drive(): void {
    this.#run()
    setInterval(() => this.#run(), this.#period)
  }

  #run(): void {
    const now = this.monotonic()
    const due = [...this.#timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const timer of due) if (this.#timers.delete(timer)) timer.callback()
  }
}
