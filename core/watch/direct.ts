/** Changes straight from the store: one store watch for each subscriber (`--watch-cache=false`). */
import type { KeyValueStore, StoreEvent } from '../ports.ts'
import type { Codec } from '../storage/codec.ts'
import { Entry } from '../storage/entry.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { Change } from './change.ts'
import type { WatchableStore } from './feed.ts'

/** A stored event as a change of decoded entries. `known` is the cache's entry of that key, when there is one. */
export function changeOf(event: StoreEvent, codec: Codec, known?: Entry): Change | undefined {
  const previous = known ?? (event.previous && Entry.of(event.previous, codec))
  if (event.type === 'put') return new Change(Entry.of(event.kv, codec), previous, false)
  return previous && new Change(previous.at(event.revision), previous, true)
}

export function directFeed(objects: ObjectStore, store: KeyValueStore): WatchableStore {
  return {
    ...objects,
    subscribe(after, scope, subscriber) {
      const { codec, keys } = objects
      const exact = scope.name !== undefined && scope.namespace !== ''
      const prefix = exact ? keys.of(scope.namespace, scope.name!) : keys.prefix(scope.namespace)
      return store.watch(prefix, after, {
        events(events) {
          const changes = events.flatMap((event) => {
            const key = event.type === 'put' ? event.kv.key : event.key
            if (scope.name !== undefined && keys.parse(key).name !== scope.name) return []
            return changeOf(event, codec) ?? []
          })
          if (changes.length > 0) subscriber.changes(changes)
        },
        progress: (revision) => subscriber.progress(revision),
        end: (error) => subscriber.end(error),
      })
    },
    close() {},
  }
}
