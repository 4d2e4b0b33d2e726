import type { Change } from './change.ts'

/** Bytes that the changes of one resource may keep alive: contents, and frames that watchers got. */
const defaultBytes = 64 * 1024 * 1024

/** The newest changes, in revision order, for watches that start in the past. Bounded by count and by bytes. */
export class Window {
  readonly #capacity: number
  readonly #mostBytes: number
  #changes: (Change | undefined)[] = []
  #start = 0
  #bytes = 0
  /** Every change after this revision is in the window. */
  #complete: number

  constructor(capacity: number, revision: number, mostBytes = defaultBytes) {
    this.#capacity = capacity
    this.#mostBytes = mostBytes
    this.#complete = revision
  }

  /** The oldest revision that a watch can resume from. */
  get oldest(): number {
    return this.#complete
  }

  /** Bytes that the changes keep alive now. */
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

  /** Lets the oldest changes go until the others are within the bounds. The newest stays, however large. */
  #shrink(): void {
    while (
      this.#changes.length - this.#start > 1 &&
      (this.#changes.length - this.#start > this.#capacity || this.#bytes > this.#mostBytes)
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
    return this.#changes.slice(low) as Change[]
  }
}
