import type { Slices } from '../slices.ts'
import { settled } from './settled.ts'
import { Pending } from './values/errors.ts'

/** A part of a computation that goes on: throws a Pending when it is interrupted. */
interface Part<T = unknown> {
  finish(): T
}

/**
 * A computation that does the same whenever it is done, such as a validation, and may be interrupted: then it is done once more, but for the
 * parts that were done before, which give what they gave.
 */
export class Replay {
  readonly #slices: () => Slices
  #done: unknown[] = []
  #at = 0
  #part: Part | undefined
  /** What was done before is being done once more. */
  #behind = false

  constructor(slices: () => Slices) {
    this.#slices = slices
  }

  /** Does the computation, as often as it is interrupted. A promise only where it was. */
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

  /** Its next part. Throws a Pending when it is time for others. */
  part<T>(start: (slices: Slices) => Part<T>): T {
    const at = this.#at++
    if (at < this.#done.length) return this.#done[at] as T
    const slices = this.#slices()
    if (this.#behind) {
      // Or a long way here would take all the time there is, again and again.
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
