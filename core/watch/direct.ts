/** Changes straight from the store: one store watch for each subscriber (`--watch-cache=false`). */
import type { KeyValue, KeyValueStore, StoreEvent, StoreWatch } from '../ports.ts'
import { ApiError } from '../respond/status.ts'
import type { Entry } from '../storage/entry.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { type EntryReader, isUnreadable } from '../storage/unreadable.ts'
import { Change } from './change.ts'
import type { WatchableStore } from './feed.ts'
import { TooOld } from './too-old.ts'

/**
 * A stored event as a change of decoded entries. `known` is the cache's entry of that key, when there is one.
 * Throws when the event is about a value that can't be read (isUnreadable).
 */
export function changeOf(event: StoreEvent, { reader }: ObjectStore, known?: Entry): Change | undefined {
  if (event.type === 'put') {
    const before = () => (event.previous && reader.isReadable(event.previous) ? reader.one(event.previous) : undefined)
    return new Change(reader.one(event.kv), known ?? before(), false)
  }
  const previous = known ?? (event.previous && lastEntry(event.previous, reader))
  return previous && new Change(previous.at(event.revision), previous, true)
}

function lastEntry(kv: KeyValue, reader: EntryReader): Entry {
  try {
    return reader.one(kv)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new ApiError('StoreReadError', `saw a DELETED event, but object data is corrupt - ${error.message}`)
  }
}

export function directFeed(objects: ObjectStore, store: KeyValueStore): WatchableStore {
  const watches = new Set<StoreWatch>()
  let closed = false
  return {
    ...objects,
    known: () => undefined,
    live: objects.get,
    subscribe(after, scope, subscriber) {
      const { keys } = objects
      const exact = scope.name !== undefined && scope.namespace !== ''
      const prefix = exact ? keys.of(scope.namespace, scope.name!) : keys.prefix(scope.namespace)
      let ended = false
      const end = (error?: Error) => {
        if (ended) return
        ended = true
        watches.delete(watch)
        subscriber.end(error)
      }
      const changesOf = (events: readonly StoreEvent[]) =>
        events.flatMap((event) => {
          const key = event.type === 'put' ? event.kv.key : event.key
          if (scope.name !== undefined && keys.parse(key).name !== scope.name) return []
          return changeOf(event, objects) ?? []
        })
      const watch = store.watch(prefix, after, {
        events(events) {
          if (ended) return
          try {
            const changes = changesOf(events)
            if (changes.length > 0) subscriber.changes(changes)
          } catch (error) {
            if (!isUnreadable(error)) throw error
            end(error)
            watch.close()
          }
        },
        progress(revision) {
          if (!ended) subscriber.progress(revision)
        },
        end,
      })
      watches.add(watch)
      if (closed) queueMicrotask(() => watch.close())
      // The store would wait for such a revision; when there is none, and never will be, the client has to start anew.
      Promise.resolve(store.currentRevision()).then(
        (current) => {
          if (after <= current) return
          end(new TooOld(after, current))
          watch.close()
        },
        // Then the watch has its own error.
        () => {},
      )
      return watch
    },
    close() {
      closed = true
      for (const watch of watches) watch.close()
    },
  }
}
