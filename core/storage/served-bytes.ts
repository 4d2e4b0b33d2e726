/** Maximum bytes of a cached item; larger ones are computed every time. */
const largestKept = 16_384
/** Maximum bytes in total. */
const maxKept = 16 * 1024 * 1024

/** An owner of bytes that can be computed again. */
interface Holder {
  release(): void
}

interface Kept {
  readonly holder: Holder
  readonly size: number
}

/**
 * Bounds the memory of served bytes computed from stored values. Holders cache the bytes; this class tracks recent use and releases the
 * oldest, so that unused objects are in memory only once, in stored form.
 */
export class ServedBytes {
  readonly #maxKept: number
  /** Oldest first. */
  #kept: Kept[] = []
  #size = 0

  /** @param most maximum bytes in total. */
  constructor(max = maxKept) {
    this.#maxKept = max
  }

  /** Whether bytes of this size may be cached; the holder then keeps them until it is released. */
  keeps(holder: Holder, size: number): boolean {
    if (size > largestKept) return false
    this.#kept.push({ holder, size })
    this.#size += size
    if (this.#size > this.#maxKept) this.#shrink()
    return true
  }

  /** Releases half of them at a time: an order by last use would cost more than computing them again. */
  #shrink(): void {
    let released = 0
    for (; this.#size > this.#maxKept / 2; released++) {
      const { holder, size } = this.#kept[released] as Kept
      holder.release()
      this.#size -= size
    }
    this.#kept = this.#kept.slice(released)
  }
}
