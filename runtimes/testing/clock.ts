import type { Clock } from '../../core/ports.ts'

interface Timer {
  /** Due time on this clock. */
  readonly at: number
  readonly callback: () => void
  cancel(): void
}

/** A real clock that can also be advanced. */
export class TestClock implements Clock {
  readonly #host: Clock
  readonly #timers = new Set<Timer>()
  #ahead: number

  /** `ahead`: initial offset in milliseconds to the host's clock. */
  constructor(host: Clock, ahead = 0) {
    this.#host = host
    this.#ahead = ahead
  }

  /** Offset in milliseconds to the host's clock. */
  get ahead(): number {
    return this.#ahead
  }

  now(): number {
    return this.#host.now() + this.#ahead
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.now() + milliseconds, callback, cancel: this.#host.after(milliseconds, () => this.#fire(timer)) }
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
   * Advances the clock, as after a suspended machine: due timers fire once, in order, and timers that they set count from the new time.
   * Resolves when the work that they started in this process has run.
   */
  async advance(milliseconds: number): Promise<void> {
    this.#ahead += milliseconds
    const now = this.now()
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
