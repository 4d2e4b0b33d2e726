/** Remembers what was made for the keys used last, at most `size` of them. What failed is not remembered. */
export class Recent<T> {
  readonly #size: number
  readonly #kept = new Map<string, Promise<T>>()

  constructor(size: number) {
    this.#size = size
  }

  get size(): number {
    return this.#kept.size
  }

  /** What is known for the key, or what `make` makes; those who ask while it is being made share it. */
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
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size > this.#size) this.#kept.delete(oldest)
  }
}
