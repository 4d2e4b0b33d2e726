import { eachInSlices, type Slices } from '../../common/slices.ts'
import { SortedIndex } from '../../common/sorted-index.ts'
import { DerivedBudget } from '../storage/derived-budget.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import type { FieldTerm } from './feed.ts'
import { FieldIndex } from './field-index.ts'

/** Entries by key, and in the order of their keys. */
export class SortedEntries {
  readonly #byKey = new Map<string, StoredObject>()
  readonly #budget: DerivedBudget
  readonly #inOrder = new SortedIndex<StoredObject>(({ key }) => key)
  /** Field indexes, created on first use. */
  readonly #indexes = new Map<string, FieldIndex>()
  /** Indexes that are being created. They follow changes, but don't have all entries yet. */
  readonly #partial = new Map<string, { readonly index: FieldIndex; readonly complete: Promise<void> }>()

  /** @param budget of what the entries cache. */
  constructor(budget = new DerivedBudget()) {
    this.#budget = budget
  }

  get size(): number {
    return this.#byKey.size
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key)
  }

  set(entry: StoredObject): void {
    const before = this.#byKey.get(entry.key)
    if (before) this.#inOrder.replace(entry)
    else this.#inOrder.add(entry)
    this.#byKey.set(entry.key, entry)
    before?.leave()
    entry.enter(this.#budget)
    this.#reindex(before, entry)
  }

  /** Replaces all entries. The given order is by bytes of the keys, which is nearly always their string order. */
  replace(entries: readonly StoredObject[]): void {
    this.clear()
    const isSorted = entries.every(({ key }, index) => index === 0 || (entries[index - 1] as StoredObject).key < key)
    const sorted = isSorted ? entries : entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    for (const entry of sorted) {
      this.#byKey.set(entry.key, entry)
      entry.enter(this.#budget)
    }
    this.#inOrder.fill(sorted)
  }

  delete(key: string): void {
    const before = this.#byKey.get(key)
    if (before === undefined) return
    this.#byKey.delete(key)
    before.leave()
    this.#inOrder.remove(key)
    this.#reindex(before, undefined)
  }

  clear(): void {
    for (const entry of this.#byKey.values()) entry.leave()
    this.#byKey.clear()
    this.#indexes.clear()
    this.#partial.clear()
    this.#inOrder.clear()
  }

  /** Copies the entries whose key starts with the prefix (which ends with a slash) and is not below `from`, at most `max`. */
  range(prefix: string, from = '', max = Number.POSITIVE_INFINITY): StoredObject[] {
    const found: StoredObject[][] = []
    let size = 0
    for (const [chunk, start, end] of this.#inOrder.parts(prefix, from)) {
      found.push(chunk.slice(start, Math.min(end, start + max - size)))
      size += end - start
      if (size >= max) break
    }
    return found.flat()
  }

  /** Number of the entries that `range` finds. */
  count(prefix: string, from = ''): number {
    return this.#inOrder.count(prefix, from)
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

  #reindex(before: StoredObject | undefined, after: StoredObject | undefined): void {
    for (const index of this.#indexes.values()) index.replace(before, after)
    for (const { index } of this.#partial.values()) index.replace(before, after)
  }

  /** Copies the entries under a prefix whose field, which has an index, has this value. */
  withField({ field, value }: FieldTerm, prefix: string, from = ''): StoredObject[] {
    const found = this.#indexes.get(field)?.of(value) ?? []
    return found.filter(({ key }) => key >= from && key.startsWith(prefix))
  }
}
