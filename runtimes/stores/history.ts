import { firstNot, SortedIndex } from '../../core/common/sorted-index.ts'
import { type KeyValue, type ListOptions, type ListResult, StoreError, type StoreEvent } from '../../core/ports.ts'
import { byteOrder } from './byte-order.ts'
import { compacted, type Entry, type Head, isThere, type Lineage, orderOf, type Version, versionAt } from './version.ts'
import { View } from './view.ts'

/** One committed change. The changes of a transaction have the same revision; a key has one put in it at most, and may be deleted before or after. */
export interface Change {
  readonly key: string
  readonly revision: number
  readonly createRevision: number
  /** Number of changes since the creation; absent: as it follows from the key's history. */
  readonly version?: number
  /** Absent: the key was deleted. */
  readonly value?: Uint8Array
  /** Lease of the key; 0n: none. */
  readonly lease: bigint
}

/** A set of keys that are next to each other. */
interface Keys {
  /** Number of those in an index. */
  in(index: SortedIndex<Entry>): number
  has(order: string): boolean
  entries(): Iterable<Entry>
}

/** What etcd knows of a key at a revision. */
export interface KeyState {
  readonly key: string
  readonly createRevision: number
  readonly modRevision: number
  readonly version: number
  /** 0n: none. */
  readonly lease: bigint
  readonly value: Uint8Array
}

/** A version that is there. */
export interface Kept {
  readonly key: string
  readonly revision: number
  /** Its number among the changes of its revision, from 0. */
  readonly sub: number
  /** Absent: a deletion. */
  readonly state?: KeyState
}

/** Keys from `from` on, and before `to`; absent: to the last one. */
export interface KeyRange {
  readonly from: string
  readonly to?: string | undefined
}

/** Overhead in bytes of an event, besides its values. */
const eventBytes = 200

/** Reads the value of a key that was written at a revision. */
export type Load = (revision: number, key: string) => KeyValue

/** Events in revision order, complete up to `revision`. */
export interface Since {
  readonly events: readonly StoreEvent[]
  readonly revision: number
}

/** What can be read of a history. */
export type Readable = Pick<History, 'revision' | 'oldest' | 'get' | 'head' | 'list' | 'count' | 'since'>

/** The operations that a store needs of its history. */
export type Versions = Readable & Pick<History, 'bytes' | 'past' | 'cut' | 'apply' | 'compact'>

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
  /** In order of revisions, from `oldest + 1` on. */
  #log: Version[] = []
  #past = 0
  readonly #load: Load | undefined
  /** In the order of their revisions. */
  readonly #views = new Set<View>()
  /** Revision of the newest view: values that it needs stay in memory. */
  #viewed = 0

  /** Starts at revision `oldest`, without keys. */
  constructor(oldest = 1, load?: Load) {
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

  /** The newest version of a key; undefined: there is none, or only a deletion that is compacted. */
  head(key: string): Head | undefined {
    return this.#entries.get(key)?.head
  }

  /** What an event of a key at a revision does not say, if it is not compacted. */
  lineage(key: string, revision: number, isDeletion: boolean): Lineage | undefined {
    const entry = this.#entries.get(key)
    let version = entry && versionAt(entry, revision)
    // A transaction may put a key and delete it.
    while (version && version.deleted !== isDeletion && version.older?.revision === revision) version = version.older
    return version
  }

  /** A key's state, now or at a revision; undefined: it does not exist. Throws 'compacted' or 'future-revision'. */
  state(key: string, revision = 0): KeyState | undefined {
    if (revision) this.#check(revision)
    const entry = this.#entries.get(key)
    return entry && this.#stateOf(versionAt(entry, revision || this.#revision))
  }

  /** The states of the keys of a range, in byte order. The values of old ones are read on access. Throws 'compacted' or 'future-revision'. */
  range(range: KeyRange, { revision = 0, limit = Number.POSITIVE_INFINITY }: { revision?: number; limit?: number } = {}): KeyState[] {
    if (revision) this.#check(revision)
    const states: KeyState[] = []
    const end = range.to === undefined ? undefined : byteOrder(range.to)
    // Without a generator for each entry: ranges are long.
    for (const [chunk, start, stop] of this.#index.parts('', byteOrder(range.from)))
      for (let at = start; at < stop; at++) {
        const entry = chunk[at] as Entry
        if (states.length >= limit || (end !== undefined && entry.order >= end)) return states
        const state = this.#stateOf(revision ? versionAt(entry, revision) : entry.head)
        if (state) states.push(state)
      }
    return states
  }

  /** Number of keys in a range, now or at a revision. Throws 'compacted' or 'future-revision'. */
  countWithin({ from, to }: KeyRange, revision = 0): number {
    if (revision) this.#check(revision)
    const [first, end] = [byteOrder(from), to === undefined ? undefined : byteOrder(to)]
    if (end !== undefined && end <= first) return 0
    const after = (index: SortedIndex<Entry>) => (end === undefined ? 0 : index.count('', end))
    return this.#countOf(
      {
        in: (index) => index.count('', first) - after(index),
        has: (order) => order >= first && (end === undefined || order < end),
        entries: () => this.#within({ from, to }),
      },
      revision || this.#revision,
    )
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

  *#within({ from, to }: KeyRange): Generator<Entry> {
    const end = to === undefined ? undefined : byteOrder(to)
    for (const entry of this.#under('', byteOrder(from))) {
      if (end !== undefined && entry.order >= end) return
      yield entry
    }
  }

  #stateOf(version: Version | undefined): KeyState | undefined {
    if (!version || version.deleted) return undefined
    const { kv, lease, version: number } = version
    if (kv) {
      const { key, createRevision, modRevision, value } = kv
      return { key, createRevision, modRevision, version: number, lease, value }
    }
    // The value is on disk.
    return new PastState(version.entry.key, version, (revision, key) => this.#load!(revision, key))
  }

  /** Number of keys under a prefix, from `from` on, at a revision. Both texts are in byte order. */
  #countAt(prefix: string, from: string, revision: number): number {
    return this.#countOf(
      {
        in: (index) => index.count(prefix, from),
        has: (order) => order >= from && order.startsWith(prefix),
        entries: () => this.#under(prefix, from),
      },
      revision,
    )
  }

  #countOf(keys: Keys, revision: number): number {
    let count = keys.in(this.#index) - keys.in(this.#deleted)
    const since = this.#log.length - this.#logged(revision)
    if (since === 0) return count
    if (since > keys.in(this.#index)) {
      count = 0
      for (const entry of keys.entries()) if (isThere(versionAt(entry, revision))) count++
      return count
    }
    // The current keys, corrected by the changes since.
    const changed = new Set(this.#log.slice(this.#log.length - since).map(({ entry }) => entry))
    for (const entry of changed) {
      if (keys.has(entry.order)) count += Number(isThere(versionAt(entry, revision))) - Number(isThere(entry.head))
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
    return this.#log[passed - 1]?.revision ?? this.#oldest
  }

  /** The current state, which stays as it is until it is closed. Takes constant time. */
  view(): View {
    const keys = {
      entryOf: (key: string) => this.#entries.get(key),
      under: (prefix: string, from: string) => this.#under(prefix, from),
      count: (prefix: string, from: string) => this.#index.count(prefix, from) - this.#deleted.count(prefix, from),
      since: (revision: number) => this.#log.slice(this.#logged(revision)),
    }
    const view = new View(this.#revision, keys, () => {
      this.#views.delete(view)
      this.#viewed = [...this.#views].at(-1)?.revision ?? 0
    })
    this.#views.add(view)
    this.#viewed = view.revision
    return view
  }

  /** Adds the next change. Its revision is the current one plus 1, or the current one for a further change of a transaction. */
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

  /** The keys that exist at a readable revision, in the order of the revisions of their values. */
  currentAt(revision: number): Pick<KeyState, 'key' | 'modRevision' | 'version'>[] {
    this.#check(revision)
    const current: Pick<KeyState, 'key' | 'modRevision' | 'version'>[] = []
    for (const entry of this.#entries.values()) {
      const found = versionAt(entry, revision)
      if (found && !found.deleted) current.push({ key: entry.key, modRevision: found.revision, version: found.version })
    }
    return current.sort((a, b) => a.modRevision - b.modRevision)
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
    for (let i = this.#logged(afterRevision); i < this.#log.length; i++) {
      const version = this.#log[i]!
      // Between two revisions only: the events of one are delivered together.
      if (size > bytes && version.revision > this.#log[i - 1]!.revision) return { events, revision: this.#log[i - 1]!.revision }
      if (!version.entry.key.startsWith(prefix)) continue
      const event = this.#event(version)
      events.push(event)
      size += sizeOf(event)
    }
    return { events, revision: this.#revision }
  }

  /** All versions that are there, in the order of their writes: those current at `oldest`, and all later ones. Values may be read on access. */
  kept(): Kept[] {
    const before: Version[] = []
    for (const { head } of this.#entries.values()) {
      let version = head
      while (version && version.revision > this.#oldest) version = version.older
      if (version && !version.deleted) before.push(version)
    }
    before.sort((a, b) => a.revision - b.revision)
    const kept: Kept[] = []
    for (const versions of [before, this.#log]) {
      for (const version of versions) {
        const { entry, revision } = version
        const last = kept.at(-1)
        const state = this.#stateOf(version)
        kept.push({ key: entry.key, revision, sub: last?.revision === revision ? last.sub + 1 : 0, ...(state && { state }) })
      }
    }
    return kept
  }

  /** Removes versions that only revisions before this one need. */
  compact(revision: number): void {
    if (revision > this.#revision) throw future(revision, this.#revision)
    if (revision <= this.#oldest) return
    const passed = this.#log.slice(0, this.#logged(revision))
    for (const view of this.#views) view.keep(passed)
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
    if (older && this.#load && older.revision > this.#viewed) older.kv = undefined
    this.#revision = change.revision
    return version
  }

  #append(change: Change, known: Entry | undefined, older: Version | undefined): Version {
    const { key, revision, createRevision, value, lease } = change
    const kv = value && { key, value, createRevision, modRevision: revision }
    const entry: Entry = known ?? { key, order: byteOrder(key), head: undefined }
    const version: Version = {
      entry,
      revision,
      deleted: !kv,
      version: versionOf(change, older),
      lease,
      kv,
      older,
      replaced: older?.kv?.value.byteLength ?? 0,
    }
    if (known?.head?.deleted) this.#deleted.remove(entry.order)
    if (version.deleted) this.#deleted.add(entry)
    entry.head = version
    if (!known) {
      this.#entries.set(key, entry)
      this.#index.add(entry)
    }
    return version
  }

  /** Number of logged versions up to a revision. */
  #logged(revision: number): number {
    const log = this.#log
    return firstNot(0, log.length, (at) => log[at]!.revision <= revision)
  }

  #at(entry: Entry, revision: number): KeyValue | undefined {
    return this.#value(versionAt(entry, revision))
  }

  #value(version: Version | undefined): KeyValue | undefined {
    if (!version || version.deleted) return undefined
    return version.kv ?? this.#load?.(version.revision, version.entry.key)
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

/** A state that reads its value from the disk, when it is asked for. */
class PastState implements KeyState {
  readonly key: string
  readonly modRevision: number
  readonly version: number
  readonly lease: bigint
  readonly #load: Load
  #read: KeyValue | undefined

  constructor(key: string, { revision, version, lease }: Pick<Version, 'revision' | 'version' | 'lease'>, load: Load) {
    this.key = key
    this.modRevision = revision
    this.version = version
    this.lease = lease
    this.#load = load
  }

  get createRevision(): number {
    return this.#kv.createRevision
  }

  get value(): Uint8Array {
    return this.#kv.value
  }

  get #kv(): KeyValue {
    this.#read ??= this.#load(this.modRevision, this.key)
    return this.#read
  }
}

/**
 * The number of a change since its key was created; 0 of a deletion. `older`: the change before. Without it, when a compaction has removed it, 2
 * stands for all later ones.
 */
export function versionOf({ value, version, createRevision, revision }: Change, older?: { readonly version: number }): number {
  if (!value) return 0
  if (version !== undefined) return version
  if (createRevision === revision) return 1
  return older && older.version > 0 ? older.version + 1 : 2
}

const sizeOf = (event: StoreEvent) =>
  (event.type === 'put' ? event.kv.value.byteLength : 0) + (event.previous?.value.byteLength ?? 0) + eventBytes

function future(revision: number, current: number): StoreError {
  return new StoreError('future-revision', `revision ${revision} is a future revision, the current one is ${current}`, current)
}
