/** Maximum bytes in total: to derive something again costs less than a tenth of a millisecond. */
const maxBytes = 80 * 1024 * 1024
/** Share of the total that encodings for lists leave to what is read object by object. */
const reserved = 0.2
/** About what a cached value takes besides its bytes. */
const overhead = 250

/**
 * Bounds the memory of what entries in watch caches keep of what is derived from their bytes: other encodings, served JSON, decoded objects. What
 * does not fit is derived every time; room comes back when an entry leaves its cache. What came first stays: a list of everything would drive out
 * what it needs next.
 */
export class DerivedBudget {
  readonly #max: number
  #taken = 0

  /** @param max maximum bytes in total. */
  constructor(max = maxBytes) {
    this.#max = max
  }

  get taken(): number {
    return this.#taken
  }

  /** Takes room for a value; false: there is none. `listed`: lists derive it of all their objects. */
  take(size: number, listed: boolean): boolean {
    if (this.#taken + size + overhead > this.#max * (listed ? 1 - reserved : 1)) return false
    this.#taken += size + overhead
    return true
  }

  give(size: number): void {
    this.#taken -= size + overhead
  }
}
