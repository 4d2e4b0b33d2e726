import type { Gathering } from '../commit.ts'

/** Batches in a row whose writers came back in time, after which the next batch waits for them. */
const proven = 6

/**
 * Lets writers that write again as soon as they are answered share one sync. Otherwise they fall into two groups that take turns: one waits while
 * the other's batch is written, and each of them has half of the disk. Nobody waits longer than one more batch takes, and nobody waits for
 * writers that were not there.
 */
export class Gatherer implements Gathering {
  /** Writes of the last batch: its writers may come back. */
  #answered = 0
  /** Batches in a row that all writers of the batch before came back for. */
  #inTime = 0
  /** Writes that the next batch waits for. */
  #wanted = 0
  /** Milliseconds that a batch takes: rather less than more, because a late answer of the disk also has other reasons. */
  #takes = Number.POSITIVE_INFINITY
  #began = 0
  /** When the last batch was durable, and when all of its writers were back. */
  #ended = 0
  #returned = 0
  #begin: ((isComplete: boolean) => void) | undefined

  wait(waiting: number): Promise<void> | undefined {
    this.#began = performance.now()
    const left = this.#ended + this.#takes - this.#began
    if (left <= 0) this.#inTime = 0
    else if (waiting >= this.#wanted) this.#answered = 0
    else if (this.#inTime >= proven) return new Promise((resolve) => this.#gather(left, resolve))
    return undefined
  }

  #gather(milliseconds: number, resolve: () => void): void {
    const timer = setTimeout(() => this.#begin?.(false), milliseconds)
    this.#begin = (isComplete) => {
      clearTimeout(timer)
      this.#begin = undefined
      if (isComplete) this.#answered = 0
      this.#began = performance.now()
      resolve()
    }
  }

  arrived(waiting: number): void {
    if (waiting === this.#answered) this.#returned = performance.now()
    if (waiting >= this.#wanted) this.#begin?.(true)
  }

  written(writes: number, waiting: number): void {
    const now = performance.now()
    const took = now - this.#began
    this.#takes = took < this.#takes ? took : this.#takes + (took - this.#takes) / 8
    const wereInTime = this.#answered === 0 || (waiting >= this.#answered && this.#returned - this.#ended <= this.#takes)
    this.#inTime = wereInTime ? this.#inTime + 1 : 0
    this.#answered = writes
    this.#wanted = writes + waiting
    this.#ended = now
  }
}
