/** Changes directly from the store: one store watch per subscriber (`--watch-cache=false`). */

import { ApiError } from '../../answers/status.ts'
import type { KeyValue, KeyValueStore, StoreEvent, StoreWatch } from '../../ports.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { type EntryReader, isUnreadable } from '../storage/unreadable.ts'
import { Change } from './change.ts'
import type { Scope, Subscriber, Subscription, WatchableStore } from './feed.ts'
import { TooOld } from './too-old.ts'

/**
 * Converts a store event to a change. `known` is the cache's entry of that key, if any.
 * Throws when the value is unreadable (isUnreadable).
 */
export function changeOf(event: StoreEvent, { reader }: ObjectStore, known?: StoredObject): Change | undefined {
  if (event.type === 'put') {
    const before = () => (event.previous && reader.isReadable(event.previous) ? reader.one(event.previous) : undefined)
    return new Change(reader.one(event.kv), known ?? before(), false)
  }
  const previous = known ?? (event.previous && lastEntry(event.previous, reader))
  return previous && new Change(previous.at(event.revision), previous, true)
}

function revisionOf(event: StoreEvent | undefined): number | undefined {
  return event?.type === 'put' ? event.kv.modRevision : event?.revision
}

function lastEntry(kv: KeyValue, reader: EntryReader): StoredObject {
  try {
    return reader.one(kv)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new ApiError('StoreReadError', `saw a DELETED event, but object data is corrupt - ${error.message}`)
  }
}

/** Subscriptions with a store watch each. */
export class DirectSubscriptions implements Pick<WatchableStore, 'subscribe' | 'close'> {
  readonly #objects: ObjectStore
  readonly #store: KeyValueStore
  readonly #open = new Set<Subscription>()
  #isClosed = false

  constructor(objects: ObjectStore, store: KeyValueStore) {
    this.#objects = objects
    this.#store = store
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#open) subscription.close()
  }

  subscribe(after: number, scope: Scope, subscriber: Subscriber): Subscription {
    const objects = this.#objects
    const { keys } = objects
    const exact = scope.name !== undefined && scope.namespace !== ''
    const prefix = exact ? keys.of(scope.namespace, scope.name!) : keys.prefix(scope.namespace)
    let [told, ended, asked] = [after, false, false]
    let watch: StoreWatch | undefined
    const end = (error?: Error) => {
      if (ended) return
      ended = true
      this.#open.delete(subscription)
      watch?.close()
      subscriber.end(error)
    }
    const changesOf = (events: readonly StoreEvent[]) =>
      events.flatMap((event) => {
        const key = event.type === 'put' ? event.kv.key : event.key
        if (scope.name !== undefined && keys.parse(key).name !== scope.name) return []
        return changeOf(event, objects) ?? []
      })
    const tell = (events: readonly StoreEvent[]) => {
      try {
        const changes = changesOf(events)
        return changes.length > 0 ? subscriber.changes(changes) : undefined
      } catch (error) {
        if (!isUnreadable(error)) throw error
        return end(error)
      }
    }
    /**
     * Watches from the last delivered revision. A subscriber that applies back pressure loses its store watch and gets a new one when it
     * resumes.
     */
    const follow = () => {
      const own = this.#store.watch(prefix, told, {
        events(events) {
          if (ended || own !== watch) return
          const full = tell(events)
          told = revisionOf(events.at(-1)) ?? told
          if (full === undefined || ended) return
          watch = undefined
          own.close()
          void full.then(() => ended || follow(), end)
        },
        progress(revision) {
          if (ended || own !== watch) return
          told = Math.max(told, revision)
          asked = false
          subscriber.progress(revision)
        },
        end(error) {
          if (own === watch) end(error)
        },
      })
      watch = own
      if (asked) own.requestProgress()
    }
    const subscription: Subscription = {
      close: () => (watch ? watch.close() : end()),
      requestProgress() {
        asked = true
        watch?.requestProgress()
      },
    }
    this.#open.add(subscription)
    follow()
    if (this.#isClosed) queueMicrotask(subscription.close)
    // The store would wait for a future revision; if it does not exist, the client has to list again.
    Promise.resolve(this.#store.currentRevision()).then(
      (current) => {
        if (after <= current) return
        end(new TooOld(after, current))
      },
      // Ignored: the watch reports its own error.
      () => {},
    )
    return subscription
  }
}

export function directFeed(objects: ObjectStore, store: KeyValueStore): WatchableStore {
  const subscriptions = new DirectSubscriptions(objects, store)
  return {
    ...objects,
    cached: false,
    known: () => undefined,
    live: objects.get,
    subscribe: (after, scope, subscriber) => subscriptions.subscribe(after, scope, subscriber),
    close: () => subscriptions.close(),
  }
}
