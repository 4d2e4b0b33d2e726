/** What takes long gives the thread back from time to time: evaluations, long lists, selectors over many objects. */
import type { Clock } from './ports.ts'

/** Milliseconds for which one request holds the thread. */
const length = 5

/** The order in which those that have paused go on: one at a time, whatever they do. */
export class Pauses {
  readonly #clock: Clock
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** For what one request does. `signal` ends it. */
  slices(signal: () => AbortSignal): Slices {
    return new Slices(this.#clock, () => this.#next(), signal)
  }

  /** Resolves for one after the other, and each time after everything else that is due. */
  #next(): Promise<void> {
    const pause = () => this.#clock.pause?.() ?? Promise.resolve()
    this.#last = this.#last.then(pause)
    return this.#last
  }
}

/** The time that one request has before others get theirs. */
export class Slices {
  readonly #clock: Clock
  readonly #turn: () => Promise<void>
  readonly #signal: () => AbortSignal
  #began: number
  #until: number

  constructor(clock: Clock, turn: () => Promise<void>, signal: () => AbortSignal) {
    this.#clock = clock
    this.#turn = turn
    this.#signal = signal
    this.#began = clock.now()
    this.#until = this.#began + length
  }

  /** Whether it is time to wait for the next one. */
  get over(): boolean {
    return this.#clock.pause !== undefined && this.#clock.now() >= this.#until
  }

  /**
   * An interrupted evaluation is where it was before. What had to be done once more until then does not count, and it has as much time
   * again, so that all of it takes at most twice as long as without interruptions.
   */
  resumed(): void {
    const now = this.#clock.now()
    this.#until = now + Math.max(length, now - this.#began)
  }

  /** Resolves when the next slice begins. Rejects when the request has ended meanwhile. */
  async next(): Promise<void> {
    await this.#turn()
    this.#signal().throwIfAborted()
    this.#began = this.#clock.now()
    this.#until = this.#began + length
  }
}

/** Does something with each, and lets others have their turn. */
export async function eachInSlices<T>(items: readonly T[], slices: Slices, work: (item: T, index: number) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (slices.over) await slices.next()
    work(item, index)
  }
}

/** As the filter of an array, letting others have their turn. */
export async function filterInSlices<T>(items: readonly T[], slices: Slices, matches: (item: T) => boolean): Promise<readonly T[]> {
  const chosen: T[] = []
  await eachInSlices(items, slices, (item) => {
    if (matches(item)) chosen.push(item)
  })
  return chosen
}
