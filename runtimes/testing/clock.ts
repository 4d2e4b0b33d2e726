import { milliseconds as duration } from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import type { Clock } from '../../core/ports.ts'

/** Longest advance: a hundred years. */
const maxAdvance = 36_525 * 86_400_000

interface Timer {
  /** Due time on the monotonic clock. */
  readonly at: number
  readonly callback: () => void
  cancel(): void
}

/** The readings of a clock that stands still. */
interface Still {
  readonly now: number
  readonly monotonic: number
}

/** A clock that runs at real speed, and can be advanced, set and stopped. */
export class TestClock implements Clock {
  readonly #host: Clock
  readonly #told: (() => void) | undefined
  readonly #timers = new Set<Timer>()
  #ahead: number
  /** Milliseconds that the clock was advanced. */
  #advanced = 0
  #still: Still | undefined

  /** `ahead`: initial offset in milliseconds to the host's clock; `advanced` is called when it is moved. */
  constructor(host: Clock, { ahead = 0, advanced }: { readonly ahead?: number | undefined; readonly advanced?: () => void } = {}) {
    this.#host = host
    this.#ahead = ahead
    this.#told = advanced
  }

  /** Offset in milliseconds to the host's clock. */
  get ahead(): number {
    return this.#still ? this.#still.now - this.#host.now() : this.#ahead
  }

  /** Whether it stands still. */
  get isFrozen(): boolean {
    return this.#still !== undefined
  }

  now(): number {
    return this.#still?.now ?? this.#host.now() + this.#ahead
  }

  monotonic(): number {
    return this.#still?.monotonic ?? this.#host.monotonic() + this.#advanced
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.monotonic() + milliseconds, callback, cancel: () => {} }
    if (this.#still === undefined) timer.cancel = this.#host.after(milliseconds, () => this.#fire(timer))
    this.#timers.add(timer)
    return () => {
      timer.cancel()
      this.#timers.delete(timer)
    }
  }

  pause(): Promise<void> {
    return this.#host.pause?.() ?? Promise.resolve()
  }

  /**
   * Advances the clock, as if the machine had been suspended: due timers fire once, in order; timers that they set are relative to the new
   * time. Resolves after the callbacks and all pending microtasks have run. Rejects with an OptionError, and changes nothing, when the argument is
   * no number from 0 to a hundred years.
   */
  async advance(milliseconds: number): Promise<void> {
    validateOptions('advance', { milliseconds: duration({ max: maxAdvance }) }, { milliseconds }, { required: ['milliseconds'] })
    if (this.#still) this.#still = { now: this.#still.now + milliseconds, monotonic: this.#still.monotonic + milliseconds }
    this.#ahead += milliseconds
    this.#advanced += milliseconds
    this.#told?.()
    this.#arm()
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }

  /** Sets the date, in milliseconds since the epoch: a later one advances the clock; an earlier one changes what has a date, and no timer. */
  async set(time: number): Promise<void> {
    const ahead = time - this.now()
    if (ahead >= 0) return this.advance(ahead)
    validateOptions('set', { time: duration() }, { time }, { required: ['time'] })
    if (this.#still) this.#still = { ...this.#still, now: time }
    this.#ahead += ahead
    this.#told?.()
  }

  /** Stops the clock: timers fire only when it is advanced. */
  freeze(): void {
    this.#still ??= { now: this.now(), monotonic: this.monotonic() }
    for (const timer of this.#timers) timer.cancel()
  }

  /** Lets a stopped clock continue at the time that it shows. */
  resume(): void {
    if (this.#still === undefined) return
    this.#ahead = this.#still.now - this.#host.now()
    this.#advanced = this.#still.monotonic - this.#host.monotonic()
    this.#still = undefined
    this.#arm()
  }

  /** Fires the timers that are due, in order, and waits for the others. */
  #arm(): void {
    const now = this.monotonic()
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      timer.cancel()
      if (timer.at <= now) this.#fire(timer)
      else if (this.#still === undefined) timer.cancel = this.#host.after(timer.at - now, () => this.#fire(timer))
    }
  }

  #fire(timer: Timer): void {
    // An earlier timer of this round may have cancelled this one.
    if (this.#timers.delete(timer)) timer.callback()
  }
}
