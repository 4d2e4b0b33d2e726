/** What is counted of the stored objects of one resource, and of their watch cache. */

/** Calls to a store, as the reference names them (apiserver, storage/etcd3/store.go). */
export type StoreCall = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete'

/** What metrics read of a watch cache. */
export interface CacheState {
  /** Its revision; undefined while it is not loaded. */
  revision(): number | undefined
  /** Objects in it. */
  objects(): number
  /** Maximum changes that it keeps for watches. */
  readonly capacity: number
}

/** What a comparison of a watch cache with the store ended with; `error`: it was not possible. */
export type ConsistencyStatus = 'success' | 'failure' | 'error'

export interface CacheObserver {
  /** A cache is there; the returned function is called when it is closed. */
  opened(state: CacheState): () => void
  /** So many objects have been loaded from the store. */
  loaded(objects: number): void
  /** Events came from the store, and went on to watches. */
  changed(events: number): void
  /** A list was answered. `field`: of the index that found the objects. */
  listed(field: string | undefined, fetched: number, returned: number): void
  /** A list of the newest state ended. */
  readNewest(succeeded: boolean): void
  /** A read waited for a revision; time in milliseconds. */
  waited(milliseconds: number): void
  /** A watch got events from before its start. */
  replayed(events: number): void
  /** The cache was compared with the store. */
  compared(status: ConsistencyStatus): void
}

export interface StorageObserver {
  /** A call has ended; time in milliseconds. */
  called(call: StoreCall, milliseconds: number, failed: boolean): void
  /** A list was answered from the store: objects that were read, compared with selectors, returned. */
  listed(fetched: number, evaluated: number, returned: number): void
  /** A stored value was unreadable. */
  undecodable(): void
  /** A watch of the store delivered events. */
  received(events: number): void
  /** A watch of the store reported its progress. */
  progressed(): void
  readonly cache: CacheObserver
}

const ignore = () => {}

export const unobserved: StorageObserver = {
  called: ignore,
  listed: ignore,
  undecodable: ignore,
  received: ignore,
  progressed: ignore,
  cache: {
    opened: () => ignore,
    loaded: ignore,
    changed: ignore,
    listed: ignore,
    readNewest: ignore,
    waited: ignore,
    replayed: ignore,
    compared: ignore,
  },
}
