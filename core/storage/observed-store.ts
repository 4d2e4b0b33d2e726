import type { Clock, KeyValueStore } from '../ports.ts'
import type { CallEnded, StorageObserver } from './observer.ts'

/** The store of one resource's objects, with its calls timed. Batches of progress and reads of the revision are not counted, as in the reference. */
export function observedStore(
  store: KeyValueStore,
  { called, received, progressed }: StorageObserver,
  clock: Pick<Clock, 'monotonic'>,
): KeyValueStore {
  const timed = <T>(ended: CallEnded, began: number, answer: Promise<T>): Promise<T> =>
    answer.then(
      (result) => {
        ended(clock.monotonic() - began, false)
        return result
      },
      (error: unknown) => {
        ended(clock.monotonic() - began, true)
        throw error
      },
    )
  return {
    ...(store.holdsValues !== undefined && { holdsValues: store.holdsValues }),
    get: (...parameters) => timed(called.get, clock.monotonic(), store.get(...parameters)),
    list: (...parameters) => timed(called.list, clock.monotonic(), store.list(...parameters)),
    count: (prefix) => timed(called.listWithCount, clock.monotonic(), store.count(prefix)),
    put: (key, value, expected, ...more) =>
      timed(expected === 0 ? called.create : called.update, clock.monotonic(), store.put(key, value, expected, ...more)),
    delete: (...parameters) => timed(called.delete, clock.monotonic(), store.delete(...parameters)),
    watch: (prefix, after, watcher, options) =>
      store.watch(
        prefix,
        after,
        {
          events(events) {
            received(events.length)
            watcher.events(events)
          },
          progress(revision) {
            progressed()
            watcher.progress(revision)
          },
          end: (error) => watcher.end(error),
        },
        options,
      ),
    size: () => store.size(),
    currentRevision: (context) => store.currentRevision(context),
    compact: (revision) => store.compact(revision),
    grantLease: (seconds) => store.grantLease(seconds),
    close: () => store.close(),
  }
}
