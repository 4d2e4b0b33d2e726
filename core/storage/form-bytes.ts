/** Maximum bytes in total. */
const mostBytes = 256 * 1024 * 1024
/** About what an encoding takes besides its bytes. */
const overhead = 250

/**
 * Bounds the memory of other encodings (protobuf, table rows) that entries in watch caches keep. What does not fit is computed every time; room
 * comes back when an entry leaves its cache. The encodings that came first stay: a list of everything would drive out those that it needs next.
 */
export class FormBytes {
  readonly #most: number
  #taken = 0

  /** @param most maximum bytes in total. */
  constructor(most = mostBytes) {
    this.#most = most
  }

  get taken(): number {
    return this.#taken
  }

  /** Takes room for an encoding; false: there is none. */
  take(size: number): boolean {
    if (this.#taken + size + overhead > this.#most) return false
    this.#taken += size + overhead
    return true
  }

  give(size: number): void {
    this.#taken -= size + overhead
  }
}
