import type { ObjectStore } from '../storage/object-store.ts'
import type { Change } from './change.ts'

/** What a subscriber of a feed is told; calls never overlap and never come during `subscribe`. */
export interface Subscriber {
  changes(changes: readonly Change[]): void
  /** Everything up to this revision has been told. */
  progress(revision: number): void
  /** No more: the feed lost its place, or the revision asked for is too old. */
  end(error?: Error): void
}

export interface Subscription {
  close(): void
  requestProgress(): void
}

/** Objects of one resource, and their changes. */
export interface WatchableStore extends ObjectStore {
  /** Tells every change after the revision, of one namespace (empty: all) and one name (absent: all). */
  subscribe(after: number, scope: { readonly namespace: string; readonly name?: string }, subscriber: Subscriber): Subscription
  close(): void
}
