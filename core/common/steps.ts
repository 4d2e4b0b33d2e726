/** Computations in steps, between which the thread may do something else. */
import type { MaybePromise } from './maybe-promise.ts'
import type { Slices } from './slices.ts'

/** A computation that yields after each of its steps, of which none takes long. */
export type Steps<T> = Generator<void, T>

/** As `Array.map`, with a step for each item. */
export function* mapInSteps<T, R>(items: readonly T[], make: (item: T, index: number) => R): Steps<R[]> {
  const made: R[] = []
  for (const [index, item] of items.entries()) {
    made.push(make(item, index))
    yield
  }
  return made
}

/** The result of a computation that several requests may wait for: each of them continues it, in its own time slices. */
export class Stepped<T> {
  readonly #steps: Steps<T>
  #outcome: { readonly value: T } | { readonly error: unknown } | undefined

  constructor(steps: Steps<T>) {
    this.#steps = steps
  }

  /** Rejects when the request of the slices has ended, and throws what the computation throws. Without slices it is not interrupted. */
  value(slices: Slices | undefined): MaybePromise<T> {
    while (this.#outcome === undefined) {
      if (slices?.over) return slices.next().then(() => this.value(slices))
      this.#step()
    }
    if ('error' in this.#outcome) throw this.#outcome.error
    return this.#outcome.value
  }

  #step(): void {
    try {
      const { done, value } = this.#steps.next()
      if (done) this.#outcome = { value }
    } catch (error) {
      this.#outcome = { error }
    }
  }
}
