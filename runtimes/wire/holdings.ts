/** Holds responses in memory that its peer has not read yet. */
export interface Holder {
  /** Bytes held. */
  readonly held: number
  /** Time when its peer last read something. */
  readonly moved: number
  /** Aborts its oldest response, and removes its bytes before it returns; false when it has none. */
  drop(): boolean
}

/** Bounds the total of unread responses: when it is exceeded, the peers that have not read for the longest time are closed. */
export class Holdings {
  readonly #maxBytes: number
  readonly #holders = new Set<Holder>()
  #total = 0

  /** Total bytes held. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get total(): number {
    return this.#total
  }

  /** Adds bytes to a holder's total. */
  add(holder: Holder, bytes: number): void {
    this.#holders.add(holder)
    this.#total += bytes
    while (this.#total > this.#maxBytes && this.#holders.size > 0) {
      const [stillest] = [...this.#holders].toSorted((a, b) => a.moved - b.moved || b.held - a.held)
      if (!stillest?.drop()) break
    }
  }

  /** Subtracts bytes. */
  remove(holder: Holder, bytes: number): void {
    this.#total -= bytes
    if (holder.held === 0) this.#holders.delete(holder)
  }
}
