import { eachInSlices, type Slices } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import { FormBytes } from '../storage/form-bytes.ts'
import type { FieldTerm } from './feed.ts'
import { FieldIndex } from './field-index.ts'

/** Maximum entries per chunk. */
const chunkSize = 512
/** Entries per chunk after a bulk load, which leaves room for insertions. */
const filledSize = 384

/** Entries in key order, in chunks: an insertion moves at most one chunk's entries. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>()
  readonly #room: FormBytes
  /** No chunk is empty. */
  readonly #chunks: Entry[][] = []
  /** Field indexes, created on first use. */
  readonly #indexes = new Map<string, FieldIndex>()
  /** Indexes that are being created. They follow changes, but don't have all entries yet. */
  readonly #partial = new Map<string, { readonly index: FieldIndex; readonly complete: Promise<void> }>()

  /** @param room for encodings that the entries keep. */
  constructor(room = new FormBytes()) {
    this.#room = room
  }

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
    before?.leave()
    entry.enter(this.#room)
    this.#reindex(before, entry)
  }

  /** Replaces all entries. The given order is by bytes of the keys, which is nearly always their string order. */
  replace(entries: readonly Entry[]): void {
    this.clear()
    const isSorted = entries.every(({ key }, index) => index === 0 || (entries[index - 1] as Entry).key < key)
    const sorted = isSorted ? entries : entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    for (const entry of sorted) {
      this.#byKey.set(entry.key, entry)
      entry.enter(this.#room)
    }
    for (let at = 0; at < sorted.length; at += filledSize) this.#chunks.push(sorted.slice(at, at + filledSize))
  }

  delete(key: string): void {
    const before = this.#byKey.get(key)
    if (before === undefined) return
    this.#byKey.delete(key)
    before.leave()
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]
    chunk?.splice(position(chunk, key), 1)
    if (chunk?.length === 0) this.#chunks.splice(at, 1)
    this.#reindex(before, undefined)
  }

  clear(): void {
    for (const entry of this.#byKey.values()) entry.leave()
    this.#byKey.clear()
    this.#indexes.clear()
    this.#partial.clear()
    this.#chunks.length = 0
  }

  /** Copies the entries whose key starts with the prefix (which ends with a slash) and is greater than `after`, at most `most`. */
  range(prefix: string, after = '', most = Number.POSITIVE_INFINITY): Entry[] {
    const found: Entry[][] = []
    let size = 0
    for (const [chunk, start, end] of this.#parts(prefix, after)) {
      found.push(chunk.slice(start, Math.min(end, start + most - size)))
      size += end - start
      if (size >= most) break
    }
    return found.flat()
  }

  /** Number of the entries that `range` finds. */
  count(prefix: string, after = ''): number {
    let count = 0
    for (const [, start, end] of this.#parts(prefix, after)) count += end - start
    return count
  }

  /** The chunks with keys of a range, and where these start and end. */
  *#parts(prefix: string, after: string): Generator<readonly [chunk: Entry[], start: number, end: number]> {
    const first = after > prefix ? `${after}\0` : prefix
    // `0` is the character after the slash.
    const last = `${prefix.slice(0, -1)}0`
    for (let at = this.#chunkOf(first); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as Entry[]
      if (chunk[0]!.key >= last) return
      yield [chunk, position(chunk, first), position(chunk, last)]
    }
  }

  /** Whether a field has an index. */
  isIndexed(field: string): boolean {
    return this.#indexes.has(field)
  }

  /** Creates the index of a field, unless there is one; callers at the same time share the work. `clear` gives it up. */
  index({ field, read }: FieldTerm, slices: Slices): Promise<void> {
    if (this.#indexes.has(field)) return Promise.resolve()
    let partial = this.#partial.get(field)
    if (partial === undefined) {
      const index = new FieldIndex((entry) => entry.field(field, read))
      partial = { index, complete: this.#fill(field, index, slices) }
      this.#partial.set(field, partial)
    }
    return partial.complete
  }

  async #fill(field: string, index: FieldIndex, slices: Slices): Promise<void> {
    const isWanted = () => this.#partial.get(field)?.index === index
    try {
      await eachInSlices([...this.#byKey.values()], slices, (entry) => {
        // Others have been replaced meanwhile, and are in the index.
        if (this.#byKey.get(entry.key) === entry) index.replace(undefined, entry)
      })
      if (isWanted()) this.#indexes.set(field, index)
    } finally {
      if (isWanted()) this.#partial.delete(field)
    }
  }

  #reindex(before: Entry | undefined, after: Entry | undefined): void {
    for (const index of this.#indexes.values()) index.replace(before, after)
    for (const { index } of this.#partial.values()) index.replace(before, after)
  }

  /** Copies the entries under a prefix whose field, which has an index, has this value. */
  withField({ field, value }: FieldTerm, prefix: string, after = ''): Entry[] {
    const found = this.#indexes.get(field)?.of(value) ?? []
    return found.filter(({ key }) => key > after && key.startsWith(prefix))
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
