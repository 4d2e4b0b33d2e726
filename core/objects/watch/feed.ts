import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Context } from '../../ports.ts'
import type { ObjectName } from '../storage/keys.ts'
import type { EntryList, EntryQuery, ObjectStore } from '../storage/object-store.ts'
import type { FieldReader, StoredObject } from '../storage/stored-object.ts'
import type { Change } from './change.ts'

/** Frames of changes that are delivered together, joined, by encoding: made once for all watchers that receive all of these changes. */
export type JoinedFrames = Map<string, Joined>

export interface Joined {
  readonly bytes: Uint8Array
  /** Bytes of each frame. */
  readonly sizes: readonly number[]
}

/** A subscriber of a feed; calls never overlap and never happen during `subscribe`. */
export interface Subscriber {
  /**
   * A returned promise applies back pressure: a feed that sends history pauses until it settles; live changes continue. `joined` is shared by
   * all subscribers that get these changes; absent when they are too large to join.
   */
  changes(changes: readonly Change[], joined?: JoinedFrames): void | Promise<void>
  /** All changes up to this revision have been delivered. Called after `requestProgress`, at once or later. */
  progress(revision: number): void
  /** The end of the feed: it lost its store watch, or the requested revision is too old. */
  end(error?: Error): void
}

export interface Subscription {
  close(): void
  /** Asks for `progress`. */
  requestProgress(): void
}

/** Encoded bytes of a whole list, and the offsets of its items. */
export interface KeptList {
  /** Time at which the encoding of its items changes, in milliseconds since the epoch. */
  readonly until: number
  /** The list's own members, such as its resourceVersion. */
  readonly head: string
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** A list, and its cache of encodings. */
export interface FeedList extends EntryList {
  /** Encodings of the entries; the same map for repeated lists while nothing changes. Absent: not cacheable. */
  readonly kept?: Map<string, KeptList>
}

/** A required value of an indexed field. */
export interface FieldTerm {
  readonly field: string
  readonly value: string
  readonly read: FieldReader
}

/** The value that a selector requires of a field or label. Equal keys are read equally. */
export interface RequiredValue {
  readonly key: string
  readonly value: string
  /** Undefined: the entry has no such value. */
  readonly read: (entry: StoredObject) => string | undefined
}

/** A query with hints for caching and indexes. */
export interface FeedQuery extends EntryQuery {
  /** A part of `matches` that an index can answer. */
  readonly indexed?: FieldTerm
  /** Text of the selector behind `matches`: equal texts match the same entries. */
  readonly selector?: string
}

/** What a subscriber receives: changes in one namespace (empty: all), of one name (absent: all). */
export interface Scope {
  readonly namespace: string
  readonly name?: string
  /** Changes of objects without this value, before and after, may be left out; the subscriber's own selector decides. */
  readonly required?: RequiredValue
}

/** Objects of one resource, and their changes. */
export interface WatchableStore extends ObjectStore {
  /** Objects come from a watch cache, also in the reference, where it has errors and continue tokens of its own. */
  readonly cached: boolean
  list(query: FeedQuery): Promise<FeedList>
  /** The cached entry: may be outdated, and undefined does not mean that the object is missing. */
  known(of: ObjectName): StoredObject | undefined
  /** As `get`: a plain value when no I/O is needed. */
  live(of: ObjectName, context?: Context): MaybePromise<StoredObject | undefined>
  /** Delivers every change after the revision in the scope. */
  subscribe(after: number, scope: Scope, subscriber: Subscriber): Subscription
  close(): void
}
