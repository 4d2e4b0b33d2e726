import type { Entry } from '../storage/entry.ts'
import type { FieldTerm } from './feed.ts'
import { FieldIndex } from './field-index.ts'

/** Maximum entries per chunk. */
const chunkSize = 512
/** Entries per chunk after a bulk load, which leaves room for insertions. */
const filledSize = 384

/** Entries in key order, in chunks: an insertion moves at most one chunk's entries. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>()
  /** No chunk is empty. */
  readonly #chunks: Entry[][] = []
  /** Field indexes, created on first use. */
  readonly #indexes = new Map<string, FieldIndex>()

  get size(): number {
    return this.#byKey.size
  }

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

  /** Replaces all entries. The given order is by bytes of the keys, which is nearly always their string order. */
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

  /** Copies all entries whose key starts with the prefix (which ends with a slash) and is greater than `after`. */
  range(prefix: string, after = ''): Entry[] {
    const start = after > prefix ? `${after}\0` : prefix
    // `0` is the character after the slash.
    const end = `${prefix.slice(0, -1)}0`
    const found: Entry[][] = []
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as Entry[]
      if (chunk[0]!.key >= end) break
      found.push(chunk.slice(position(chunk, start), position(chunk, end)))
    }
    return found.flat()
  }

  /** Copies the entries under a prefix whose field has this value, found by index. */
  withField({ field, value, read }: FieldTerm, prefix: string, after = ''): Entry[] {
    let index = this.#indexes.get(field)
    if (index === undefined) {
      index = new FieldIndex((entry) => entry.field(field, read), this.#byKey.values())
      this.#indexes.set(field, index)
    }
    return index.of(value).filter(({ key }) => key > after && key.startsWith(prefix))
  }

  /** Index of the last chunk that starts with a key less than or equal to this one. */
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

/** Index of the first entry with a key not less than this one. */
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
