import type { Entry } from '../storage/entry.ts'
import type { FieldTerm } from './feed.ts'
import { FieldIndex } from './field-index.ts'

/** Entries of a chunk at most. */
const chunkSize = 512
/** Of one that was filled at once: there is room for others. */
const filledSize = 384

/** Entries in key order, in chunks, so that to add one moves few others however many there are. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>()
  /** None is empty. */
  readonly #chunks: Entry[][] = []
  /** By field, each from its first use on. */
  readonly #indexes = new Map<string, FieldIndex>()

  get(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  set(entry: Entry): void {
    const before = this.#byKey.get(entry.key)
    const at = this.#chunkOf(entry.key)
    const chunk = this.#chunks[at]
    if (chunk === undefined) this.#chunks.push([entry])
    else {
      chunk.splice(position(chunk, entry.key), before ? 1 : 0, entry)
      if (chunk.length > chunkSize) this.#chunks.splice(at + 1, 0, chunk.splice(chunkSize / 2))
    }
    this.#byKey.set(entry.key, entry)
    for (const index of this.#indexes.values()) index.replace(before, entry)
  }

  /** Takes these in place of all others. They are in the order of the keys' bytes, which is mostly that of their text. */
  replace(entries: readonly Entry[]): void {
    this.clear()
    const isSorted = entries.every(({ key }, index) => index === 0 || (entries[index - 1] as Entry).key < key)
    const sorted = isSorted ? entries : entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    for (const entry of sorted) this.#byKey.set(entry.key, entry)
    for (let at = 0; at < sorted.length; at += filledSize) this.#chunks.push(sorted.slice(at, at + filledSize))
  }

  delete(key: string): void {
    const before = this.#byKey.get(key)
    if (before === undefined) return
    this.#byKey.delete(key)
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]
    chunk?.splice(position(chunk, key), 1)
    if (chunk?.length === 0) this.#chunks.splice(at, 1)
    for (const index of this.#indexes.values()) index.replace(before, undefined)
  }

  clear(): void {
    this.#byKey.clear()
    this.#indexes.clear()
    this.#chunks.length = 0
  }

  /** All entries whose key starts with the prefix, which ends with a slash, and is greater than `after`; a copy. */
  range(prefix: string, after = ''): Entry[] {
    const start = after > prefix ? `${after}\0` : prefix
    // What comes after a slash.
    const end = `${prefix.slice(0, -1)}0`
    const found: Entry[][] = []
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as Entry[]
      if (chunk[0]!.key >= end) break
      found.push(chunk.slice(position(chunk, start), position(chunk, end)))
    }
    return found.flat()
  }

  /** The entries under a prefix whose field has a value, a copy, without a look at any other. */
  withField({ field, value, read }: FieldTerm, prefix: string, after = ''): Entry[] {
    let index = this.#indexes.get(field)
    if (index === undefined) {
      index = new FieldIndex((entry) => entry.field(field, read), this.#byKey.values())
      this.#indexes.set(field, index)
    }
    return index.of(value).filter(({ key }) => key > after && key.startsWith(prefix))
  }

  /** Index of the last chunk that starts with this key or a smaller one: where the key is, or belongs. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#chunks[middle] as Entry[])[0]!.key <= key) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
}

/** Index of the first entry whose key is not less. */
function position(sorted: readonly Entry[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.key < key) low = middle + 1
    else high = middle
  }
  return low
}
