import type { Change } from './change.ts'

/** The newest changes, in revision order, for watches that start in the past. Bounded by count. */
export class Window {
  readonly #capacity: number
  #changes: Change[] = []
  #start = 0
  /** Every change after this revision is in the window. */
  #complete: number

  constructor(capacity: number, revision: number) {
    this.#capacity = capacity
    this.#complete = revision
  }

  /** The oldest revision that a watch can resume from. */
  get oldest(): number {
    return this.#complete
  }

  push(change: Change): void {
    this.#changes.push(change)
    if (this.#changes.length - this.#start <= this.#capacity) return
    this.#complete = this.#changes[this.#start]!.revision
    this.#start++
    if (this.#start > this.#capacity) {
      this.#changes = this.#changes.slice(this.#start)
      this.#start = 0
    }
  }

  /** The changes after a revision, oldest first; undefined when some are gone. */
  after(revision: number): Change[] | undefined {
    if (revision < this.#complete) return undefined
    let low = this.#start
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#changes[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#changes.slice(low)
  }
}
