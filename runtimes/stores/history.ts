import { SortedIndex } from '../../core/common/sorted-index.ts'
import { type KeyValue, type ListOptions, type ListResult, StoreError, type StoreEvent } from '../../core/ports.ts'
import { byteOrder } from './byte-order.ts'

/** One committed change. Each has its own revision. */
export interface Change {
  readonly key: string
  readonly revision: number
  readonly createRevision: number
  /** Absent: the key was deleted. */
  readonly value?: Uint8Array
  /** Lease of the key; 0n: none. */
  readonly lease: bigint
}

interface Entry {
  readonly key: string
  readonly order: string
  head: Version | undefined
}

const orderOf = ({ order }: Entry) => order

/** A key's state from `revision` on. */
interface Version {
  readonly entry: Entry
  readonly revision: number
  readonly deleted: boolean
  /** Absent for a deletion, and for an old version whose value can be loaded. */
  kv: KeyValue | undefined
  older: Version | undefined
  /** Size in bytes of the replaced value. */
  readonly replaced: number
}

/** Overhead in bytes of an event, besides its values. */
const eventBytes = 200

/** Events in revision order, complete up to `revision`. */
export interface Since {
  readonly events: readonly StoreEvent[]
  readonly revision: number
}

/** The operations that a store needs of its history. */
export type Versions = Pick<
  History,
  'revision' | 'oldest' | 'get' | 'list' | 'count' | 'bytes' | 'past' | 'cut' | 'apply' | 'since' | 'compact'
>

/**
 * All keys with their versions since the last compaction. Plain synchronous data; revision 1 is the empty store, as in etcd.
 * With `load`, values of superseded versions are not kept in memory; reads of the past load them by revision.
 */
export class History {
  #revision: number
  #oldest: number
  readonly #entries = new Map<string, Entry>()
  readonly #index = new SortedIndex(orderOf)
  /** Index of deleted keys, so that `count` needs no scan. */
  readonly #deleted = new SortedIndex(orderOf)
  /** Version by revision, from `oldest + 1` on. */
  #log: Version[] = []
  #past = 0
  readonly #load: ((revision: number) => KeyValue) | undefined

  /** Starts at revision `oldest`, without keys. */
  constructor(oldest = 1, load?: (revision: number) => KeyValue) {
    this.#revision = oldest
    this.#oldest = oldest
    this.#load = load
  }

  get revision(): number {
    return this.#revision
  }

  /** The oldest revision that can be read. */
  get oldest(): number {
    return this.#oldest
  }

  /** Value of a key, now or at a revision. Throws 'compacted' or 'future-revision'. */
  get(key: string, revision?: number): KeyValue | undefined {
    const entry = this.#entries.get(key)
    if (!revision) return entry?.head?.kv
    this.#check(revision)
    return entry && this.#at(entry, revision)
  }

  list({ prefix, from = '', limit = 0, revision = 0 }: ListOptions): ListResult {
    if (revision) this.#check(revision)
    const items: KeyValue[] = []
    const order = byteOrder(prefix)
    let next: string | undefined
    for (const entry of this.#under(order, byteOrder(from))) {
      const version = revision ? versionAt(entry, revision) : entry.head
      if (!version || version.deleted) continue
      if (limit > 0 && items.length === limit) {
        next = entry.order
        break
      }
      items.push(this.#value(version) as KeyValue)
    }
    const remaining = next === undefined ? 0 : this.#countAt(order, next, revision || this.#revision)
    return { items, more: remaining > 0, remaining, revision: revision || this.#revision }
  }

  /** The entries under a prefix, from `from` on. Both texts are in byte order. */
  *#under(prefix: string, from: string): Generator<Entry> {
    for (const [chunk, start, end] of this.#index.parts(prefix, from)) for (let at = start; at < end; at++) yield chunk[at] as Entry
  }

  /** Number of keys under a prefix, from `from` on, at a revision. Both texts are in byte order. */
  #countAt(prefix: string, from: string, revision: number): number {
    let count = this.#index.count(prefix, from) - this.#deleted.count(prefix, from)
    const since = this.#log.length - (revision - this.#oldest)
    if (since > this.#index.count(prefix, from)) {
      count = 0
      for (const entry of this.#under(prefix, from)) if (isThere(versionAt(entry, revision))) count++
      return count
    }
    // The current keys, corrected by the changes since.
    const changed = new Set(this.#log.slice(this.#log.length - since).map(({ entry }) => entry))
    for (const entry of changed) {
      if (entry.order < from || !entry.order.startsWith(prefix)) continue
      count += Number(isThere(versionAt(entry, revision))) - Number(isThere(entry.head))
    }
    return count
  }

  count(prefix: string): number {
    const order = byteOrder(prefix)
    return this.#index.count(order) - this.#deleted.count(order)
  }

  /** Total bytes of current values. */
  get bytes(): number {
    let bytes = 0
    for (const { head } of this.#entries.values()) bytes += head?.kv?.value.byteLength ?? 0
    return bytes
  }

  /** Total bytes of values replaced or deleted since the last compaction. */
  get past(): number {
    return this.#past
  }

  /** First revision after which the history has at most this many bytes. */
  cut(bytes: number): number {
    let past = this.#past
    let passed = 0
    while (past > bytes) past -= this.#log[passed++]?.replaced ?? past
    return this.#oldest + passed
  }

  /** Adds the next change. Its revision is the current one plus 1. */
  apply(change: Change): StoreEvent {
    const previous = this.#entries.get(change.key)?.head?.kv
    const { kv } = this.#add(change)
    const rest = previous ? { previous } : {}
    return kv ? { type: 'put', kv, ...rest } : { type: 'delete', key: change.key, revision: change.revision, ...rest }
  }

  /** Like `apply`, without an event. */
  replay(change: Change): void {
    this.#add(change)
  }

  /** Loads a change made at or before `oldest`; call in revision order. */
  restore(change: Change): void {
    const version = this.#append(change, this.#entries.get(change.key), undefined)
    if (version.deleted) this.#forget(version.entry)
  }

  /** Revisions of the values that are current at a readable revision, in ascending order. */
  currentAt(revision: number): number[] {
    this.#check(revision)
    const revisions: number[] = []
    for (const entry of this.#entries.values()) {
      const version = versionAt(entry, revision)
      if (version && !version.deleted) revisions.push(version.revision)
    }
    return revisions.sort((a, b) => a - b)
  }

  /**
   * Changes after a revision under a prefix, and the revision up to which they are complete: the newest, or an earlier one when their values
   * exceed `bytes`. Throws 'compacted'.
   */
  since(afterRevision: number, prefix: string, bytes = Number.POSITIVE_INFINITY): Since {
    // The event of revision `oldest` itself is not available: its previous value is compacted. (Revision 1 has no event.)
    if (Math.max(afterRevision, 1) < this.#oldest) throw compacted(afterRevision, this.#oldest)
    const events: StoreEvent[] = []
    let size = 0
    for (let i = Math.max(afterRevision, 1) - this.#oldest; i < this.#log.length; i++) {
      const version = this.#log[i]!
      if (!version.entry.key.startsWith(prefix)) continue
      const event = this.#event(version)
      events.push(event)
      size += sizeOf(event)
      if (size > bytes) return { events, revision: version.revision }
    }
    return { events, revision: this.#revision }
  }

  /** Removes versions that only revisions before this one need. */
  compact(revision: number): void {
    if (revision > this.#revision) throw future(revision, this.#revision)
    if (revision <= this.#oldest) return
    const passed = this.#log.slice(0, revision - this.#oldest)
    this.#log = this.#log.slice(passed.length)
    for (const version of passed) {
      version.older = undefined
      this.#past -= version.replaced
    }
    // A deletion has no value to read. If the key was created again, that version's `older` points here and means 'absent'.
    for (const version of passed) if (version.deleted && version.entry.head === version) this.#forget(version.entry)
    this.#oldest = revision
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.#index.remove(entry.order)
    this.#deleted.remove(entry.order)
  }

  #add(change: Change): Version {
    const known = this.#entries.get(change.key)
    const older = known?.head
    const version = this.#append(change, known, older)
    this.#log.push(version)
    this.#past += version.replaced
    if (older && this.#load) older.kv = undefined
    this.#revision = change.revision
    return version
  }

  #append({ key, revision, createRevision, value }: Change, known: Entry | undefined, older: Version | undefined): Version {
    const kv = value && { key, value, createRevision, modRevision: revision }
    const entry: Entry = known ?? { key, order: byteOrder(key), head: undefined }
    const version: Version = { entry, revision, deleted: !kv, kv, older, replaced: older?.kv?.value.byteLength ?? 0 }
    if (known?.head?.deleted) this.#deleted.remove(entry.order)
    if (version.deleted) this.#deleted.add(entry)
    entry.head = version
    if (!known) {
      this.#entries.set(key, entry)
      this.#index.add(entry)
    }
    return version
  }

  #at(entry: Entry, revision: number): KeyValue | undefined {
    return this.#value(versionAt(entry, revision))
  }

  #value(version: Version | undefined): KeyValue | undefined {
    if (!version || version.deleted) return undefined
    return version.kv ?? this.#load?.(version.revision)
  }

  #event(version: Version): StoreEvent {
    const previous = this.#value(version.older)
    const kv = this.#value(version)
    const rest = previous ? { previous } : {}
    return kv ? { type: 'put', kv, ...rest } : { type: 'delete', key: version.entry.key, revision: version.revision, ...rest }
  }

  #check(revision: number): void {
    if (revision > this.#revision) throw future(revision, this.#revision)
    if (revision < this.#oldest) throw compacted(revision, this.#oldest)
  }
}

/** The newest version up to a revision. */
function versionAt({ head }: Entry, revision: number): Version | undefined {
  let version = head
  while (version && version.revision > revision) version = version.older
  return version
}

const isThere = (version: Version | undefined) => version !== undefined && !version.deleted

const sizeOf = (event: StoreEvent) =>
  (event.type === 'put' ? event.kv.value.byteLength : 0) + (event.previous?.value.byteLength ?? 0) + eventBytes

export function compacted(revision: number, oldest: number): StoreError {
  return new StoreError('compacted', `revision ${revision} has been compacted, the oldest one left is ${oldest}`, oldest)
}

function future(revision: number, current: number): StoreError {
  return new StoreError('future-revision', `revision ${revision} is a future revision, the current one is ${current}`, current)
}
