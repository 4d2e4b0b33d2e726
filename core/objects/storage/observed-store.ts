import type { Clock, KeyValueStore } from '../../ports.ts'
import type { StoreCall, StoreMetrics } from './metrics.ts'

/** The store of one resource's objects, with its calls timed. Batches of progress and reads of the revision are not counted, as in the reference. */
export class ObservedStore implements KeyValueStore {
  readonly #store: KeyValueStore
  readonly #observer: StoreMetrics
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly holdsValues?: boolean

  constructor(store: KeyValueStore, observer: StoreMetrics, clock: Pick<Clock, 'monotonic'>) {
    this.#store = store
    this.#observer = observer
    this.#clock = clock
    if (store.holdsValues !== undefined) this.holdsValues = store.holdsValues
  }

  get(...parameters: Parameters<KeyValueStore['get']>) {
    return this.#timed('get', this.#clock.monotonic(), this.#store.get(...parameters))
  }

  list(...parameters: Parameters<KeyValueStore['list']>) {
    return this.#timed('list', this.#clock.monotonic(), this.#store.list(...parameters))
  }

  count(prefix: string) {
    return this.#timed('listWithCount', this.#clock.monotonic(), Promise.resolve(this.#store.count(prefix)))
  }

  put(...parameters: Parameters<KeyValueStore['put']>) {
    const [, , expected] = parameters
    return this.#timed(expected === 0 ? 'create' : 'update', this.#clock.monotonic(), this.#store.put(...parameters))
  }

  delete(...parameters: Parameters<KeyValueStore['delete']>) {
    return this.#timed('delete', this.#clock.monotonic(), this.#store.delete(...parameters))
  }

  watch(...[prefix, after, watcher, options]: Parameters<KeyValueStore['watch']>) {
    const observer = this.#observer
    const observed: typeof watcher = {
      events(events) {
        observer.received(events.length)
        watcher.events(events)
      },
      progress(revision) {
        observer.progressed()
        watcher.progress(revision)
      },
      end: (error) => watcher.end(error),
    }
    return this.#store.watch(prefix, after, observed, options)
  }

  size() {
    return this.#store.size()
  }

  currentRevision(...parameters: Parameters<KeyValueStore['currentRevision']>) {
    return this.#store.currentRevision(...parameters)
  }

  compact(revision: number) {
    return this.#store.compact(revision)
  }

  grantLease(seconds: number) {
    return this.#store.grantLease(seconds)
  }

  close() {
    return this.#store.close()
  }

  /** Returns the given promise, so that callers do not wait for the observer. */
  #timed<T>(call: StoreCall, began: number, answer: Promise<T>): Promise<T> {
    const ended = (failed: boolean) => this.#observer.called(call, this.#clock.monotonic() - began, failed)
    answer.then(
      () => ended(false),
      () => ended(true),
    )
    return answer
  }
}
