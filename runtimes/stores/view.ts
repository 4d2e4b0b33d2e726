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
  /** Number of those that are there now. */
  count(prefix: string, from: string): number
  /** The versions since a revision that are not compacted. */
  since(revision: number): readonly Version[]
}

const orderOf = ({ entry }: Version) => entry.order
const orderIndex = () => new SortedIndex((order: string) => order)

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
  /** Keys that have gone from the history since, and those that have come, up to a revision: so that nothing is counted one by one. */
  readonly #moved = { gone: orderIndex(), come: orderIndex() }
  readonly #moves = new Map<string, 'gone' | 'come'>()
  #followed: number

  constructor(revision: number, keys: Keys, close: () => void) {
    this.revision = revision
    this.oldest = revision
    this.#followed = revision
    this.#keys = keys
    this.close = close
  }

  /** Called before a compaction removes what these versions have superseded. */
  keep(passed: readonly Version[]): void {
    this.#follow()
    for (const version of passed) this.#keep(version)
  }

  #keep({ revision, older }: Version): void {
    if (older === undefined || older.deleted || older.revision > this.revision || revision <= this.revision) return
    this.#kept.set(older.entry.key, older)
    this.#order.add(older)
  }

  get(key: string, revision = this.revision): KeyValue | undefined {
    this.#check(revision)
    return this.head(key)?.kv
  }

  head(key: string): Head | undefined {
    return this.#at(key)
  }

  list({ prefix, from = '', limit = 0, revision = 0 }: ListOptions): ListResult {
    this.#check(revision || this.revision)
    const items: KeyValue[] = []
    const order = byteOrder(prefix)
    for (const { entry, kv } of this.#under(order, byteOrder(from))) {
      if (limit > 0 && items.length === limit) {
        const remaining = this.#count(order, entry.order)
        return { items, more: true, remaining, revision: this.revision }
      }
      items.push(kv as KeyValue)
    }
    return { items, more: false, remaining: 0, revision: this.revision }
  }

  count(prefix: string): number {
    return this.#count(byteOrder(prefix), '')
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

  #at(key: string): Version | undefined {
    const entry = this.#keys.entryOf(key)
    return (entry && versionAt(entry, this.revision)) ?? this.#kept.get(key)
  }

  /** Both texts are in byte order. */
  #count(prefix: string, from: string): number {
    this.#follow()
    const { gone, come } = this.#moved
    return this.#keys.count(prefix, from) + gone.count(prefix, from) - come.count(prefix, from)
  }

  /** Looks at each change of the history once. */
  #follow(): void {
    const versions = this.#keys.since(this.#followed)
    for (const { entry } of versions) this.#note(entry)
    this.#followed = versions.at(-1)?.revision ?? this.#followed
  }

  #note({ key, order, head }: Entry): void {
    const [was, is] = [isThere(this.#at(key)), isThere(head)]
    const [before, now] = [this.#moves.get(order), was === is ? undefined : was ? 'gone' : 'come'] as const
    if (before === now) return
    if (before) this.#moved[before].remove(order)
    if (now) {
      this.#moves.set(order, now)
      this.#moved[now].add(order)
    } else this.#moves.delete(order)
  }

  #check(revision: number): void {
    if (revision < this.revision) throw compacted(revision, this.revision)
  }
}
