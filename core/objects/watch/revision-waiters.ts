import type { Clock } from '../../ports.ts'

interface Waiter {
  readonly revision: number
  resolve(reached: boolean): void
}

/** Maximum milliseconds that a read waits for the cache to reach a revision. */
export const freshnessTimeout = 3_000

/** The revision of the cache, and the reads that wait for a later one. */
export class RevisionWaiters {
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

  /** Resets to a revision, possibly an earlier one. */
  restart(at: number): void {
    this.#revision = 0
    this.advance(at)
  }

  /** Resolves to false when the revision is not reached in time, or the cache restarts. */
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

  abandon(): void {
    for (const waiter of this.#waiters) waiter.resolve(false)
  }
}
