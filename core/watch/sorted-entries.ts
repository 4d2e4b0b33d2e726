import type { Entry } from '../storage/entry.ts'

/** Entries in key order. Lookup and range are logarithmic; insertion moves an array of pointers. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>()
  readonly #sorted: Entry[] = []

  get size(): number {
    return this.#sorted.length
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  set(entry: Entry): void {
    const at = this.#position(entry.key)
    this.#sorted.splice(at, this.#byKey.has(entry.key) ? 1 : 0, entry)
    this.#byKey.set(entry.key, entry)
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#sorted.splice(this.#position(key), 1)
  }

  clear(): void {
    this.#byKey.clear()
    this.#sorted.length = 0
  }

  /** All entries whose key starts with the prefix, a copy. */
  range(prefix: string, after?: string): Entry[] {
    let from = this.#position(after ?? prefix)
    if (after !== undefined && this.#sorted[from]?.key === after) from++
    return this.#sorted.slice(from, this.#position(`${prefix.slice(0, -1)}0`))
  }

  /** Index of the first entry whose key is not less. */
  #position(key: string): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sorted[middle]!.key < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
