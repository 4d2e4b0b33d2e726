import type { Clock } from '../../core/ports.ts'

/** A manual clock; `advance` runs due timers in order. */
export class ManualClock implements Clock {
  #now: number
  #stepped = 0
  #timers: { readonly at: number; readonly callback: () => void }[] = []

  /** `now`: start in milliseconds since the epoch; default: the current time. */
  constructor(now = Date.now()) {
    this.#now = now
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.length
  }

  now(): number {
    return this.#now + this.#stepped
  }

  monotonic(): number {
    return this.#now
  }

  /** Sets the wall clock forward or back; no time passes. */
  step(milliseconds: number): void {
    this.#stepped += milliseconds
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (!next) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.#now = next.at
      next.callback()
    }
    this.#now = end
  }
}
