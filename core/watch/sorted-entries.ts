import type { Entry } from '../storage/entry.ts'
import type { FieldTerm } from '../storage/object-store.ts'
import { FieldIndex } from './field-index.ts'

/** Entries in key order. Lookup and range are logarithmic; insertion moves an array of pointers. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>()
  readonly #sorted: Entry[] = []
  /** By field, each from its first use on. */
  readonly #indexes = new Map<string, FieldIndex>()

  get size(): number {
    return this.#sorted.length
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  set(entry: Entry): void {
    const at = this.#position(entry.key)
    const before = this.#byKey.get(entry.key)
    this.#sorted.splice(at, before ? 1 : 0, entry)
    this.#byKey.set(entry.key, entry)
    for (const index of this.#indexes.values()) index.replace(before, entry)
  }

  delete(key: string): void {
    const before = this.#byKey.get(key)
    if (before === undefined) return
    this.#byKey.delete(key)
    this.#sorted.splice(this.#position(key), 1)
    for (const index of this.#indexes.values()) index.replace(before, undefined)
  }

  clear(): void {
    this.#byKey.clear()
    this.#indexes.clear()
    this.#sorted.length = 0
  }

  /** All entries whose key starts with the prefix, a copy. */
  range(prefix: string, after?: string): Entry[] {
    let from = this.#position(after ?? prefix)
    if (after !== undefined && this.#sorted[from]?.key === after) from++
    return this.#sorted.slice(from, this.#position(`${prefix.slice(0, -1)}0`))
  }

  /** The entries under a prefix whose field has a value, a copy, without a look at any other. */
  withField({ field, value, read }: FieldTerm, prefix: string, after = ''): Entry[] {
    let index = this.#indexes.get(field)
    if (index === undefined) {
      index = new FieldIndex((entry) => entry.field(field, read), this.#sorted)
      this.#indexes.set(field, index)
    }
    return index.of(value).filter(({ key }) => key > after && key.startsWith(prefix))
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
