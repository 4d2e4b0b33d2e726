import type { Clock } from '../ports.ts'

interface Waiter {
  readonly revision: number
  resolve(reached: boolean): void
}

/** Milliseconds that a read waits until the cache is as recent as it must be. */
export const freshnessTimeout = 3_000

/** The revision that the cache has reached, and the reads that wait for a later one. */
export class Reached {
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #revision = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get revision(): number {
    return this.#revision
  }

  advance(to: number): void {
    if (to <= this.#revision) return
    this.#revision = to
    for (const waiter of this.#waiters) if (waiter.revision <= to) waiter.resolve(true)
  }

  /** Starts anew at a revision, which may be an earlier one. */
  restart(at: number): void {
    this.#revision = 0
    this.advance(at)
  }

  /** Resolves to false when the revision was not reached in time, or is given up. */
  reach(wanted: number, ask: () => void): Promise<boolean> | true {
    if (this.#revision >= wanted) return true
    ask()
    return new Promise((resolve) => {
      const finish = (reached: boolean) => {
        cancel()
        this.#waiters.delete(waiter)
        resolve(reached)
      }
      const waiter: Waiter = { revision: wanted, resolve: finish }
      const cancel = this.#clock.after(freshnessTimeout, () => finish(false))
      this.#waiters.add(waiter)
    })
  }

  giveUp(): void {
    for (const waiter of this.#waiters) waiter.resolve(false)
  }
}
