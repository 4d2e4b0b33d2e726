import { firstNot } from '../../common/sorted-index.ts'
import type { Change } from './change.ts'

/** Maximum number of changes of one resource. */
export const windowCapacity = 10_000

/** What the changes of one resource may take. */
export interface WindowBounds {
  readonly changes: number
  /** Bytes that the changes keep in memory: contents and frames. */
  readonly bytes: number
  /** Milliseconds that a change is kept; the newest `aged` changes are kept longer. */
  readonly age: number
  readonly aged: number
}

/**
 * A change is kept as long as it is in the store's history by default, so that the changes of a resource that rarely changes don't take more
 * memory for hours. As in the reference, a few are kept whatever their age.
 */
export const windowBounds: WindowBounds = { changes: windowCapacity, bytes: 64 * 1024 * 1024, age: 5 * 60_000, aged: 100 }

/** The newest changes in revision order, for watches that start in the past. Bounded by count, bytes and age. */
export class Window {
  readonly #bounds: WindowBounds
  #changes: (Change | undefined)[] = []
  /** When the changes came, as `push` was told. */
  #times: number[] = []
  #start = 0
  #bytes = 0
  /** The window has every change after this revision. */
  #complete: number

  constructor(revision: number, bounds = windowBounds) {
    this.#complete = revision
    this.#bounds = bounds
  }

  /** The oldest revision from which a watch can resume. */
  get oldest(): number {
    return this.#complete
  }

  /** Bytes that the changes keep in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** `now`: a monotonic time in milliseconds. */
  push(change: Change, now: number): void {
    change.onFrame = this.#framed
    this.#changes.push(change)
    this.#times.push(now)
    this.#bytes += change.size
    this.#shrink()
  }

  readonly #framed = (bytes: number) => {
    this.#bytes += bytes
    this.#shrink()
  }

  #isFull(): boolean {
    const { changes, bytes, age, aged } = this.#bounds
    const count = this.#changes.length - this.#start
    if (count > changes || this.#bytes > bytes) return true
    return count > aged && (this.#times.at(-1) as number) - (this.#times[this.#start] as number) > age
  }

  /** Evicts the oldest changes until the bounds are met. The newest stays, whatever its size. */
  #shrink(): void {
    while (this.#changes.length - this.#start > 1 && this.#isFull()) {
      const oldest = this.#changes[this.#start] as Change
      oldest.onFrame = undefined
      this.#bytes -= oldest.size
      this.#complete = oldest.revision
      this.#changes[this.#start++] = undefined
      if (this.#start * 2 > this.#changes.length) {
        this.#changes = this.#changes.slice(this.#start)
        this.#times = this.#times.slice(this.#start)
        this.#start = 0
      }
    }
  }

  /** The changes after a revision, oldest first; undefined when some were evicted. */
  after(revision: number): Change[] | undefined {
    if (revision < this.#complete) return undefined
    const changes = this.#changes
    const first = firstNot(this.#start, changes.length, (at) => changes[at]!.revision <= revision)
    return changes.slice(first) as Change[]
  }
}
