import type { ApiObject } from '../resources/definition.ts'
import type { Entry } from '../storage/entry.ts'
import type { EntryList, EntryQuery, ObjectStore } from '../storage/object-store.ts'
import type { Change } from './change.ts'

/** What a subscriber of a feed is told; calls never overlap and never come during `subscribe`. */
export interface Subscriber {
  /** A promise: enough for now. A feed that tells of the past tells no more until it settles; one that tells of the present goes on. */
  changes(changes: readonly Change[]): void | Promise<void>
  /** Everything up to this revision has been told. */
  progress(revision: number): void
  /** No more: the feed lost its place, or the revision asked for is too old. */
  end(error?: Error): void
}

export interface Subscription {
  close(): void
  requestProgress(): void
}

/** Bytes of a whole list, and where in them its items are. */
export interface KeptList {
  /** When its items will read differently, in milliseconds since the epoch. */
  readonly until: number
  /** What the list says about itself, such as its resourceVersion. */
  readonly head: string
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** A list, with what may be remembered of it. */
export interface FeedList extends EntryList {
  /** Encodings of the entries; the same map when a list is repeated and nothing has changed. Absent: not worth keeping. */
  readonly kept?: Map<string, KeptList>
}

/** A field that must have a value. */
export interface FieldTerm {
  readonly field: string
  readonly value: string
  readonly read: (object: ApiObject) => string
}

/** A query that says more than is needed to answer it, for those who remember. */
export interface FeedQuery extends EntryQuery {
  /** What `matches` asks of a field by which entries can be found. */
  readonly indexed?: FieldTerm
  /** The text that `matches` was made from; equal texts match the same entries. */
  readonly selector?: string
}

/** Objects of one resource, and their changes. */
export interface WatchableStore extends ObjectStore {
  list(query: FeedQuery): Promise<FeedList>
  /** What is at hand without asking the store: it may lag behind the last writes, and undefined says nothing. */
  known(key: string): Entry | undefined
  /** As `get`: a plain value where nothing has to be waited for. */
  live(key: string): Entry | undefined | Promise<Entry | undefined>
  /** Tells every change after the revision, of one namespace (empty: all) and one name (absent: all). */
  subscribe(after: number, scope: { readonly namespace: string; readonly name?: string }, subscriber: Subscriber): Subscription
  close(): void
}
