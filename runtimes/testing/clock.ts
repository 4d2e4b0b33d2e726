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

/** A clock that runs at real speed and can be advanced. */
export class TestClock implements Clock {
  readonly #host: Clock
  readonly #told: (() => void) | undefined
  readonly #timers = new Set<Timer>()
  #ahead: number
  /** Milliseconds that the clock was advanced. */
  #advanced = 0

  /** `ahead`: initial offset in milliseconds to the host's clock; `advanced` is called when it is moved. */
  constructor(host: Clock, { ahead = 0, advanced }: { readonly ahead?: number | undefined; readonly advanced?: () => void } = {}) {
    this.#host = host
    this.#ahead = ahead
    this.#told = advanced
  }

  /** Offset in milliseconds to the host's clock. */
  get ahead(): number {
    return this.#ahead
  }

  now(): number {
    return this.#host.now() + this.#ahead
  }

  monotonic(): number {
    return this.#host.monotonic() + this.#advanced
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.monotonic() + milliseconds, callback, cancel: this.#host.after(milliseconds, () => this.#fire(timer)) }
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
    this.#ahead += milliseconds
    this.#advanced += milliseconds
    this.#told?.()
    const now = this.monotonic()
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      timer.cancel()
      if (timer.at <= now) this.#fire(timer)
      else timer.cancel = this.#host.after(timer.at - now, () => this.#fire(timer))
    }
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }

  #fire(timer: Timer): void {
    // An earlier timer of this round may have cancelled this one.
    if (this.#timers.delete(timer)) timer.callback()
  }
}
