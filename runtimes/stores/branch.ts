import { SortedIndex } from '../../core/common/sorted-index.ts'
import type { KeyValue, ListOptions, ListResult, StoreEvent } from '../../core/ports.ts'
import { byteOrder } from './byte-order.ts'
import { type Change, History, type Readable, type Since, type Versions } from './history.ts'
import { compacted, type Head } from './version.ts'

/** Maximum depth of branches to read through; a freeze beyond it copies everything. */
const deepest = 8

/** Maximum prefixes whose counts a frozen branch remembers: more than there are resources. */
const maxCounts = 1_000

const textIndex = () => new SortedIndex((text: string) => text)

/** An immutable history and its depth. */
interface Frozen {
  readonly versions: Readable
  readonly depth: number
}

/**
 * A history that continues from a frozen one, which any number of branches share. A key is copied when it first changes, so that creating a
 * branch takes constant time. Revisions continue from the frozen one's; its past can be read and watched.
 */
export class Branch implements Versions {
  #base: Frozen
  #own: History
  /** Keys whose state is in `own`, deletions included. */
  #taken = new Set<string>()
  /** The subset of `#taken` that exists in the base, so that `count` need not visit keys. */
  #hidden = textIndex()
  #oldest: number
  /** By prefix, of a frozen branch: each of its branches asks for the same counts. */
  #counts: Map<string, number> | undefined

  constructor(base: Frozen = { versions: new History(), depth: 0 }) {
    this.#base = base
    this.#own = new History(base.versions.revision)
    this.#oldest = base.versions.oldest
  }

  /** Freezes the current state and continues from it. Returns the frozen state, from which other branches can start. */
  freeze(): Frozen {
    if (this.revision === this.#base.versions.revision) return this.#base
    const past = new Branch(this.#base)
    past.#own = this.#own
    past.#taken = this.#taken
    past.#hidden = this.#hidden
    past.#oldest = this.#oldest
    past.#counts = new Map()
    const depth = this.#base.depth + 1
    this.#base = depth < deepest ? { versions: past, depth } : { versions: past.#flat(), depth: 0 }
    this.#own = new History(past.revision)
    this.#taken = new Set()
    this.#hidden = textIndex()
    this.#oldest = this.#base.versions.oldest
    return this.#base
  }

  get revision(): number {
    return this.#own.revision
  }

  get oldest(): number {
    return this.#oldest
  }

  get(key: string, revision?: number): KeyValue | undefined {
    if (revision && this.#inBase(revision)) return this.#base.versions.get(key, revision)
    const own = this.#own.get(key, revision)
    return this.#taken.has(key) ? own : this.#base.versions.get(key)
  }

  head(key: string): Head | undefined {
    return this.#taken.has(key) ? this.#own.head(key) : this.#base.versions.head(key)
  }

  list(options: ListOptions): ListResult {
    const { limit = 0, revision = 0 } = options
    if (revision && this.#inBase(revision)) return this.#base.versions.list(options)
    const { limit: _limit, revision: _revision, ...range } = options
    const hidden = this.#hidden.count(byteOrder(range.prefix), byteOrder(range.from ?? ''))
    // A page of the base has as many more as the branch hides.
    const base = this.#base.versions.list({ ...range, limit: limit && limit + hidden })
    const own = this.#own.list({ ...range, limit, revision })
    const all = merged(
      base.items.filter(({ key }) => !this.#taken.has(key)),
      own.items,
    )
    const items = limit > 0 ? all.slice(0, limit) : all
    const remaining = base.items.length + base.remaining - hidden + own.items.length + own.remaining - items.length
    return { items, more: remaining > 0, remaining, revision: own.revision }
  }

  count(prefix: string): number {
    const known = this.#counts?.get(prefix)
    if (known !== undefined) return known
    const below = this.#base.versions.count(prefix)
    const count = this.#taken.size === 0 ? below : below - this.#hidden.count(byteOrder(prefix)) + this.#own.count(prefix)
    if (this.#counts && this.#counts.size < maxCounts) this.#counts.set(prefix, count)
    return count
  }

  get bytes(): number {
    return this.list({ prefix: '' }).items.reduce((bytes, { value }) => bytes + value.byteLength, 0)
  }

  /** Excludes the frozen history, which other branches share. */
  get past(): number {
    return this.#own.past
  }

  cut(bytes: number): number {
    return this.#own.cut(bytes)
  }

  apply(change: Change): StoreEvent {
    const { key } = change
    if (!this.#taken.has(key)) {
      const before = this.#base.versions.head(key)
      this.#taken.add(key)
      if (before?.kv) {
        this.#hidden.add(byteOrder(key))
        this.#own.restore({ ...changeOf(before.kv), version: before.version })
      }
    }
    return this.#own.apply(change)
  }

  since(afterRevision: number, prefix: string, bytes?: number): Since {
    const base = this.#base.versions
    if (afterRevision >= base.revision || this.#oldest > base.revision) return this.#own.since(afterRevision, prefix, bytes)
    if (this.#oldest > base.oldest) this.#check(afterRevision)
    return base.since(afterRevision, prefix, bytes)
  }

  /** Compacts only this branch: the frozen history stays for other branches. */
  compact(revision: number): void {
    this.#own.compact(Math.max(revision, this.#own.oldest))
    this.#oldest = Math.max(revision, this.#oldest)
  }

  #inBase(revision: number): boolean {
    this.#check(revision)
    return revision <= this.#base.versions.revision
  }

  #check(revision: number): void {
    if (Math.max(revision, 1) < this.#oldest) throw compacted(revision, this.#oldest)
  }

  /** A flat copy without history. */
  #flat(): History {
    const flat = new History(this.revision)
    for (const kv of this.list({ prefix: '' }).items) flat.restore(changeOf(kv))
    return flat
  }
}

// Leases are tracked by the owner of the history.
const changeOf = ({ key, value, createRevision, modRevision }: KeyValue): Change => ({
  key,
  value,
  createRevision,
  revision: modRevision,
  lease: 0n,
})

/** Merges two lists in byte order without common keys. */
function merged(a: readonly KeyValue[], b: readonly KeyValue[]): readonly KeyValue[] {
  if (a.length === 0) return b
  if (b.length === 0) return a
  const result: KeyValue[] = []
  let at = 0
  for (const kv of b) {
    const order = byteOrder(kv.key)
    for (let next = a[at]; next && byteOrder(next.key) < order; next = a[++at]) result.push(next)
    result.push(kv)
  }
  return [...result, ...a.slice(at)]
}
