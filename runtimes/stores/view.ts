import { SortedIndex } from '../../core/common/sorted-index.ts'
import type { KeyValue, ListOptions, ListResult } from '../../core/ports.ts'
import { byteOrder } from './byte-order.ts'
import type { Readable, Since } from './history.ts'
import { compacted, type Entry, type Head, isThere, type Version, versionAt } from './version.ts'

/** The keys of a history. */
interface Keys {
  entryOf(key: string): Entry | undefined
  /** In byte order, as both texts are. */
  under(prefix: string, from: string): Iterable<Entry>
}

const orderOf = ({ entry }: Version) => entry.order

/**
 * The state of a history at one revision, however the history goes on. It reads the versions of the history, and keeps those that a compaction
 * removes from there. The past before it counts as compacted.
 */
export class View implements Readable {
  readonly revision: number
  readonly oldest: number
  readonly close: () => void
  readonly #keys: Keys
  readonly #kept = new Map<string, Version>()
  readonly #order = new SortedIndex(orderOf)

  constructor(revision: number, keys: Keys, close: () => void) {
    this.revision = revision
    this.oldest = revision
    this.#keys = keys
    this.close = close
  }

  /** Called before a compaction removes what a version has superseded. */
  keep({ revision, older }: Version): void {
    if (older === undefined || older.deleted || older.revision > this.revision || revision <= this.revision) return
    this.#kept.set(older.entry.key, older)
    this.#order.add(older)
  }

  get(key: string, revision = this.revision): KeyValue | undefined {
    this.#check(revision)
    return this.head(key)?.kv
  }

  head(key: string): Head | undefined {
    const entry = this.#keys.entryOf(key)
    return (entry && versionAt(entry, this.revision)) ?? this.#kept.get(key)
  }

  list({ prefix, from = '', limit = 0, revision = 0 }: ListOptions): ListResult {
    this.#check(revision || this.revision)
    const all = [...this.#under(byteOrder(prefix), byteOrder(from))]
    const remaining = limit > 0 ? Math.max(0, all.length - limit) : 0
    const items = (remaining > 0 ? all.slice(0, limit) : all).map(({ kv }) => kv as KeyValue)
    return { items, more: remaining > 0, remaining, revision: this.revision }
  }

  count(prefix: string): number {
    let count = 0
    for (const _ of this.#under(byteOrder(prefix), '')) count++
    return count
  }

  since(afterRevision: number, _prefix: string): Since {
    this.#check(Math.max(afterRevision, 1))
    return { events: [], revision: this.revision }
  }

  /** The versions that are there, in byte order: those of the history and the kept ones, which no key has both. */
  *#under(prefix: string, from: string): Generator<Version> {
    const kept = this.#keptUnder(prefix, from)
    let next = kept.next()
    for (const entry of this.#keys.under(prefix, from)) {
      const version = versionAt(entry, this.revision)
      if (!version || !isThere(version)) continue
      while (!next.done && orderOf(next.value) < entry.order) {
        yield next.value
        next = kept.next()
      }
      yield version
    }
    if (next.done) return
    yield next.value
    yield* kept
  }

  *#keptUnder(prefix: string, from: string): Generator<Version, undefined> {
    for (const [chunk, start, end] of this.#order.parts(prefix, from)) for (let at = start; at < end; at++) yield chunk[at] as Version
  }

  #check(revision: number): void {
    if (revision < this.revision) throw compacted(revision, this.revision)
  }
}
