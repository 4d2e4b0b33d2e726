import type { Change } from './change.ts'

/** Maximum number of changes of one resource. */
export const windowCapacity = 10_000
/** Maximum bytes that the changes of one resource keep in memory: contents and frames. */
const defaultBytes = 64 * 1024 * 1024

/** The newest changes in revision order, for watches that start in the past. Bounded by count and bytes. */
export class Window {
  readonly #capacity: number
  readonly #maxBytes: number
  #changes: (Change | undefined)[] = []
  #start = 0
  #bytes = 0
  /** The window has every change after this revision. */
  #complete: number

  constructor(capacity: number, revision: number, maxBytes = defaultBytes) {
    this.#capacity = capacity
    this.#maxBytes = maxBytes
    this.#complete = revision
  }

  /** The oldest revision from which a watch can resume. */
  get oldest(): number {
    return this.#complete
  }

  /** Bytes that the changes keep in memory. */
  get bytes(): number {
    return this.#bytes
  }

  push(change: Change): void {
    change.onFrame = this.#framed
    this.#changes.push(change)
    this.#bytes += change.size
    this.#shrink()
  }

  readonly #framed = (bytes: number) => {
    this.#bytes += bytes
    this.#shrink()
  }

  /** Evicts the oldest changes until the bounds are met. The newest stays, whatever its size. */
  #shrink(): void {
    while (
      this.#changes.length - this.#start > 1 &&
      (this.#changes.length - this.#start > this.#capacity || this.#bytes > this.#maxBytes)
    ) {
      const oldest = this.#changes[this.#start] as Change
      oldest.onFrame = undefined
      this.#bytes -= oldest.size
      this.#complete = oldest.revision
      this.#changes[this.#start++] = undefined
      if (this.#start * 2 > this.#changes.length) {
        this.#changes = this.#changes.slice(this.#start)
        this.#start = 0
      }
    }
  }

  /** The changes after a revision, oldest first; undefined when some were evicted. */
  after(revision: number): Change[] | undefined {
    if (revision < this.#complete) return undefined
    let low = this.#start
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#changes[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#changes.slice(low) as Change[]
  }
}
