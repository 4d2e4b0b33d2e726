/**
 * Long computations in parts. Functions whose work is not covered by their cost units return Steps: each part is charged as work before it
 * runs, and the evaluation may be suspended between parts.
 *
 * Work is counted in units of 100 ns of a 2.5 GHz core, which is what the cost limits of the reference amount to.
 */

export class Steps<T> {
  /** Yields the work units of the next part. */
  readonly parts: Parts<T>
  constructor(parts: Parts<T>) {
    this.parts = parts
  }
}

export type Parts<T> = Generator<number, T, void>
export type MaybeSteps<T> = T | Steps<T>

/** Nanoseconds of a unit. */
const unit = 100
/** Nanoseconds of work that is done without charging it. */
const free = 2_000
/** Nanoseconds between two charges of a loop. */
const portion = 50_000

export const unitsOf = (nanoseconds: number): number => Math.ceil(nanoseconds / unit)

function* charged<T>(units: number, run: () => T): Parts<T> {
  yield units
  return run()
}

/** A computation of linear time that can't be split: takes at most this many nanoseconds. */
export function costly<T>(nanoseconds: number, run: () => T): MaybeSteps<T> {
  return nanoseconds < free ? run() : new Steps(charged(unitsOf(nanoseconds), run))
}

/** Runs steps within other steps. */
export function* within<T>(value: MaybeSteps<T>): Parts<T> {
  return value instanceof Steps ? yield* value.parts : value
}

/** Applies `next` to a result. */
export function after<T, U>(value: MaybeSteps<T>, next: (value: T) => U): MaybeSteps<U> {
  if (!(value instanceof Steps)) return next(value)
  const { parts } = value
  return new Steps(
    (function* () {
      return next(yield* parts)
    })(),
  )
}

/** Runs steps to their end, without charging them. */
export function drained<T>(value: MaybeSteps<T>): T {
  if (!(value instanceof Steps)) return value
  for (;;) {
    const { done, value: result } = value.parts.next()
    if (done) return result
  }
}

/** Splits a loop: `if (pace.due(30)) yield pace.units` in each turn, with the nanoseconds of the turn. */
export class Pace {
  #nanoseconds = 0
  #due = 0

  /** Whether the turns so far should be charged. */
  due(nanoseconds: number): boolean {
    this.#nanoseconds += nanoseconds
    if (this.#nanoseconds < portion) return false
    this.#due = this.#nanoseconds
    this.#nanoseconds = 0
    return true
  }

  /** The units to yield. */
  get units(): number {
    return unitsOf(this.#due)
  }
}
