/** Maximum bytes in total: to derive something again costs less than a tenth of a millisecond. */
const maxBytes = 80 * 1024 * 1024
/** About what a cached value takes besides its bytes. */
const overhead = 250

/** Encodings, and what is read object by object: served JSON and decoded objects. Neither takes the room of the other. */
export type DerivedKind = 'encoding' | 'read'
const shares = { encoding: 0.8, read: 0.2 }

/**
 * Bounds the memory of what entries in watch caches keep of what is derived from their bytes. What does not fit is derived every time; room comes
 * back when an entry leaves its cache. What came first stays: a list of everything would drive out what it needs next.
 */
export class DerivedBudget {
  readonly #max: number
  readonly #taken = { encoding: 0, read: 0 }

  /** @param max maximum bytes in total. */
  constructor(max = maxBytes) {
    this.#max = max
  }

  /** Takes room for a value; false: there is none. */
  take(kind: DerivedKind, size: number): boolean {
    if (this.#taken[kind] + size + overhead > this.#max * shares[kind]) return false
    this.#taken[kind] += size + overhead
    return true
  }

  give(kind: DerivedKind, size: number): void {
    this.#taken[kind] -= size + overhead
  }
}
