/** Holds responses in memory that its peer has not read yet. */
export interface Holder {
  /** Bytes of them. */
  readonly held: number
  /** When its peer has last taken something, by any clock. */
  readonly moved: number
  /** Gives up the oldest of them; false: it has none. */
  drop(): boolean
}

/** Bounds the total of unread responses: when it is exceeded, the peers that have not read for the longest time are closed. */
export class Holdings {
  readonly #most: number
  readonly #holders = new Set<Holder>()
  #total = 0

  /** Bytes of all of them together. */
  constructor(most: number) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /** A holder has begun to hold so many more bytes. */
  add(holder: Holder, bytes: number): void {
    this.#holders.add(holder)
    this.#total += bytes
    while (this.#total > this.#most && this.#holders.size > 0) {
      const [stillest] = [...this.#holders].toSorted((a, b) => a.moved - b.moved || b.held - a.held)
      if (!stillest?.drop()) break
    }
  }

  /** It holds so many fewer. */
  remove(holder: Holder, bytes: number): void {
    this.#total -= bytes
    if (holder.held === 0) this.#holders.delete(holder)
  }
}
