/** Maximum items per chunk, and of new items that wait. */
const chunkSize = 512
/** Items per chunk after many have been put in at once, which leaves room for insertions. */
const filledSize = 384

/**
 * Items in the order of their texts, which differ, in chunks: an insertion moves at most one chunk's items. New items are put in order when a
 * caller reads, or when there are many of them: together they take a fraction of the time.
 */
export class SortedIndex<T> {
  readonly #textOf: (item: T) => string
  /** None is empty. */
  readonly #chunks: T[][] = []
  #waiting: T[] = []

  constructor(textOf: (item: T) => string) {
    this.#textOf = textOf
  }

  /** No other item has the same text. */
  add(item: T): void {
    this.#waiting.push(item)
    if (this.#waiting.length === chunkSize) this.#settle()
  }

  /** Puts an item in the place of the one with the same text. */
  replace(item: T): void {
    this.#settle()
    const text = this.#textOf(item)
    const chunk = this.#chunks[this.#chunkOf(text)] as T[]
    chunk[this.#position(chunk, text)] = item
  }

  /** Removes the item with this text, if there is one. */
  remove(text: string): void {
    this.#settle()
    const at = this.#chunkOf(text)
    const chunk = this.#chunks[at] ?? []
    const index = this.#position(chunk, text)
    if (index === chunk.length || this.#textOf(chunk[index] as T) !== text) return
    chunk.splice(index, 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  clear(): void {
    // Also of an empty array, a new length takes long.
    if (this.#chunks.length > 0) this.#chunks.length = 0
    this.#waiting = []
  }

  /** Replaces all items. They are in order. */
  fill(items: readonly T[]): void {
    this.clear()
    this.#chunks.push(...inChunks(items.slice()))
  }

  /** The chunks with items whose text starts with a prefix, from the text `from` on, and where these start and end. */
  *parts(prefix: string, from = ''): Generator<readonly [chunk: readonly T[], start: number, end: number]> {
    this.#settle()
    const first = from > prefix ? from : prefix
    for (let at = this.#chunkOf(first); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as T[]
      const start = this.#position(chunk, first)
      const isUnder = (index: number) => this.#textOf(chunk[index] as T).startsWith(prefix)
      const end = isUnder(chunk.length - 1) ? chunk.length : firstNot(start, chunk.length, isUnder)
      if (start < end) yield [chunk, start, end]
      if (end < chunk.length) return
    }
  }

  /** Number of items whose text starts with a prefix, from the text `from` on. */
  count(prefix: string, from = ''): number {
    let count = 0
    for (const [, start, end] of this.parts(prefix, from)) count += end - start
    return count
  }

  /** Puts the waiting items in their places. */
  #settle(): void {
    const items = this.#waiting
    if (items.length === 0) return
    this.#waiting = []
    if (items.length > 1) items.sort((a, b) => (this.#textOf(a) < this.#textOf(b) ? -1 : 1))
    for (let next = 0; next < items.length; ) {
      const at = this.#chunkOf(this.#textOf(items[next] as T))
      const [chunk = [], following] = [this.#chunks[at], this.#chunks[at + 1]]
      const end = following === undefined ? items.length : this.#position(items, this.#textOf(following[0] as T), next)
      this.#chunks.splice(at, 1, ...inChunks(this.#merged(chunk, items, next, end)))
      next = end
    }
  }

  /** A chunk with some of the items. */
  #merged(chunk: T[], items: readonly T[], first: number, end: number): T[] {
    if (end - first === 1) {
      const item = items[first] as T
      chunk.splice(this.#position(chunk, this.#textOf(item)), 0, item)
      return chunk
    }
    const merged: T[] = []
    let taken = 0
    for (let next = first; next < end; next++) {
      const item = items[next] as T
      const before = this.#position(chunk, this.#textOf(item), taken)
      while (taken < before) merged.push(chunk[taken++] as T)
      merged.push(item)
    }
    while (taken < chunk.length) merged.push(chunk[taken++] as T)
    return merged
  }

  /** Index of the last chunk that starts with a text less than or equal to this one; 0 when there is none. */
  #chunkOf(text: string): number {
    const chunks = this.#chunks
    return Math.max(0, firstNot(0, chunks.length, (at) => this.#textOf((chunks[at] as T[])[0] as T) <= text) - 1)
  }

  /** Index of the first item, from `from` on, with a text not less than this one. */
  #position(sorted: readonly T[], text: string, from = 0): number {
    return firstNot(from, sorted.length, (at) => this.#textOf(sorted[at] as T) < text)
  }
}

/** The first number from `low` on, or `high`, for which something does not hold that holds for all numbers before and for none after it. */
export function firstNot(low: number, high: number, holds: (at: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** The items in chunks; as they are if they fit in one. */
function inChunks<T>(items: T[]): T[][] {
  if (items.length <= chunkSize) return items.length === 0 ? [] : [items]
  const chunks: T[][] = []
  for (let at = 0; at < items.length; at += filledSize) chunks.push(items.slice(at, at + filledSize))
  return chunks
}
