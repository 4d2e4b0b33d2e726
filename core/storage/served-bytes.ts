/** Larger ones are made each time. Bytes. */
const largestKept = 16_384
/** All together. Bytes. */
const mostKept = 16 * 1024 * 1024

/** Holds bytes that it can make again. */
interface Holder {
  release(): void
}

interface Kept {
  readonly holder: Holder
  readonly size: number
}

/**
 * Bytes to serve that were made from stored values. Whoever made them keeps them for the next who asks; here is noted who does, so that
 * what has not been asked for lately is let go, and objects that nobody reads are in memory once, as they are stored.
 */
export class ServedBytes {
  readonly #mostKept: number
  /** Oldest first. */
  #kept: Kept[] = []
  #size = 0

  /** @param most bytes that are kept. */
  constructor(most = mostKept) {
    this.#mostKept = most
  }

  /** Whether bytes of this size are to be kept. The holder keeps them, then, until it is released. */
  keeps(holder: Holder, size: number): boolean {
    if (size > largestKept) return false
    this.#kept.push({ holder, size })
    this.#size += size
    if (this.#size > this.#mostKept) this.#shrink()
    return true
  }

  /** Half of them go at a time: an order by last use would cost more than making them. */
  #shrink(): void {
    let released = 0
    for (; this.#size > this.#mostKept / 2; released++) {
      const { holder, size } = this.#kept[released] as Kept
      holder.release()
      this.#size -= size
    }
    this.#kept = this.#kept.slice(released)
  }
}
