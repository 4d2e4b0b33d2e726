import type { Slices } from '../common/slices.ts'
import { settled } from './settled.ts'
import { Pending } from './values/errors.ts'

/** A resumable part of a computation: throws a Pending when interrupted. */
interface ReplayedPart<T = unknown> {
  finish(): T
}

/** Repeats a deterministic computation, such as a validation, after each interruption; completed parts return their recorded results. */
export class Replay {
  readonly #slices: Slices
  #done: unknown[] = []
  #at = 0
  #part: ReplayedPart | undefined
  /** Repeating recorded parts. */
  #behind = false

  constructor(slices: Slices) {
    this.#slices = slices
  }

  /** Runs the computation until it completes. Returns a promise only if it was interrupted. */
  run<T>(compute: () => T): T | Promise<T> {
    this.#done = []
    this.#part = undefined
    let again = false
    return settled(() => {
      this.#at = 0
      this.#behind = again
      again = true
      return compute()
    })
  }

  /** The next part. Throws a Pending when its time slice is over. */
  part<T>(start: (slices: Slices) => ReplayedPart<T>): T {
    const at = this.#at++
    if (at < this.#done.length) return this.#done[at] as T
    const slices = this.#slices
    if (this.#behind) {
      // Otherwise repeating a long prefix would use up every time slice.
      slices.resumed()
      this.#behind = false
    } else if (slices.over) throw new Pending(slices.next())
    this.#part ??= start(slices)
    const result = this.#part.finish() as T
    this.#part = undefined
    this.#done.push(result)
    return result
  }
}
