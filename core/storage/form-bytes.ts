/** Maximum bytes in total: to encode an object costs less than a tenth of a millisecond. */
const maxBytes = 64 * 1024 * 1024
/** About what an encoding takes besides its bytes. */
const overhead = 250

/**
 * Bounds the memory of other encodings (protobuf, table rows) that entries in watch caches keep. What does not fit is computed every time; room
 * comes back when an entry leaves its cache. The encodings that came first stay: a list of everything would drive out those that it needs next.
 */
export class FormBytes {
  readonly #max: number
  #taken = 0

  /** @param max maximum bytes in total. */
  constructor(max = maxBytes) {
    this.#max = max
  }

  get taken(): number {
    return this.#taken
  }

  /** Takes room for an encoding; false: there is none. */
  take(size: number): boolean {
    if (this.#taken + size + overhead > this.#max) return false
    this.#taken += size + overhead
    return true
  }

  give(size: number): void {
    this.#taken -= size + overhead
  }
}
