/** Least recently used cache of promises with at most `size` entries; `forgot` is called with evicted values. Failures are not cached. */
export class Recent<T> {
  readonly #size: number
  readonly #forgot: (value: Promise<T>) => void
  readonly #kept = new Map<string, Promise<T>>()

  constructor(size: number, forgot: (value: Promise<T>) => void = () => {}) {
    this.#size = size
    this.#forgot = forgot
  }

  get size(): number {
    return this.#kept.size
  }

  /** The cached value, or the result of `make`; concurrent callers share one call. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known
    }
    const made = make()
    this.set(key, made)
    return made
  }

  set(key: string, value: Promise<T>): void {
    if (this.#size === 0) return
    this.#kept.delete(key)
    this.#kept.set(key, value)
    value.catch(() => {
      if (this.#kept.get(key) === value) this.#kept.delete(key)
    })
    const [oldest] = this.#kept
    if (oldest === undefined || this.#kept.size <= this.#size) return
    this.#kept.delete(oldest[0])
    this.#forgot(oldest[1])
  }
}
