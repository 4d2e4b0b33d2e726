/** Metrics of calls to the store and of watch caches, by resource. */

import type { GroupResource } from '../../answers/status.ts'
import { countedTime, counter, gauge, histogram, type Metrics, type Recorded, uncounted } from '../../metrics.ts'

const storage = 'apiserver_storage'
const resource = ['group', 'resource'] as const
const call = ['operation', ...resource] as const
const callSeconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
/** A metric with a series for each resource, up to a maximum. */
const ofResource = { labels: resource, maxSeries: 2_000 } as const
const ofCall = { labels: call, maxSeries: 5_000 } as const

/** Calls to the store, whether it is etcd or not. */
export const storeCallRows = {
  requests: counter('etcd_requests_total', 'Calls to the store.', ofCall),
  durations: histogram('etcd_request_duration_seconds', 'Duration of calls to the store, in seconds.', { buckets: callSeconds, ...ofCall }),
  errors: counter('etcd_request_errors_total', 'Failed calls to the store.', ofCall),
  progress: counter('etcd_bookmark_total', 'Reports of progress from watches of the store.', ofResource),
  events: counter(`${storage}_events_received_total`, 'Events from watches of the store.', { stability: 'BETA', ...ofResource }),
  lists: counter(`${storage}_list_total`, 'Lists that were answered from the store.', ofResource),
  fetched: counter(`${storage}_list_fetched_objects_total`, 'Objects that were read from the store for lists.', ofResource),
  evaluated: counter(
    `${storage}_list_evaluated_objects_total`,
    'Objects from the store that were compared with the selectors of lists.',
    ofResource,
  ),
  returned: counter(`${storage}_list_returned_objects_total`, 'Objects from the store that lists returned.', ofResource),
  undecodable: counter(`${storage}_decode_errors_total`, 'Stored values that could not be decoded.', ofResource),
}

/** Watch caches. */
export const cacheRows = {
  lists: counter('apiserver_cache_list_total', 'Lists that were answered from a watch cache.', {
    labels: [...resource, 'index'],
    maxSeries: 3_000,
  }),
  fetched: counter('apiserver_cache_list_fetched_objects_total', 'Objects that were read from a watch cache for lists.', {
    labels: [...resource, 'index'],
    maxSeries: 3_000,
  }),
  returned: counter('apiserver_cache_list_returned_objects_total', 'Objects from a watch cache that lists returned.', ofResource),
  replayed: counter('apiserver_init_events_total', 'Events of the time before a watch that it started with.', ofResource),
  terminated: counter('apiserver_terminated_watchers_total', 'Watches that were ended because their client did not keep up.', ofResource),
  loads: counter('apiserver_watch_cache_initializations_total', 'Times that a watch cache was loaded.', ofResource),
  received: counter('apiserver_watch_cache_events_received_total', 'Events that came to a watch cache.', ofResource),
  dispatched: counter('apiserver_watch_cache_events_dispatched_total', 'Events that a watch cache passed on to watches.', ofResource),
  revision: gauge('apiserver_watch_cache_resource_version', 'Revision of a watch cache: its last 15 digits.', ofResource),
  waits: histogram('apiserver_watch_cache_read_wait_seconds', 'Time that reads waited until a watch cache was recent enough, in seconds.', {
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
    ...ofResource,
  }),
  newestReads: counter('apiserver_watch_cache_consistent_read_total', 'Lists of the newest state from a watch cache.', {
    labels: [...resource, 'success', 'fallback'],
    maxSeries: 3_000,
  }),
  comparisons: counter('apiserver_storage_consistency_checks_total', 'Comparisons of a watch cache with the store.', {
    labels: [...resource, 'status'],
    maxSeries: 3_000,
  }),
  capacity: gauge('watch_cache_capacity', 'Maximum changes that a watch cache keeps.', ofResource),
}

export const sizeRows = {
  sizes: gauge('apiserver_resource_size_estimate_bytes', 'Estimated size of stored objects, in bytes; -1: unknown.', {
    labels: ['group', 'resource'],
    maxSeries: 10_000,
  }),
}

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

export type StoredMetrics = ReturnType<typeof storedMetrics>

/** Digits of a revision that its metric has, as in the reference. */
const revisionLimit = 1e15

export function storedMetrics(metrics: Metrics) {
  const { revision, capacity, ...cacheCalls } = cacheRows
  const caches: Caches = new Map()
  const [calls, ofCaches] = [metrics.record(storeCallRows), metrics.record(cacheCalls)]
  const { sizes } = metrics.record(sizeRows)
  const collect = (row: typeof revision, read: (state: CacheState, at: number) => number) =>
    metrics.collect(row, () =>
      Array.from(caches).flatMap(([state, { group, resource: name }]) => {
        const at = state.revision()
        return at === undefined ? [] : [[[group, name], read(state, at)]]
      }),
    )
  collect(revision, (_state, at) => at % revisionLimit)
  collect(capacity, (state) => state.capacity)
  return {
    /** Counts what is done with the objects of a resource. */
    observe: (on: GroupResource) => new StoreMetrics(on, calls, caches, ofCaches),
    /** What is counted of the watches of all resources. */
    watches: ofCaches,
    /** Approximate size in bytes of the objects of a resource; undefined: unknown. */
    sized: (group: string, name: string, bytes = -1) => sizes.set([group, name], bytes),
    /** All watch caches. */
    *caches(): Iterable<readonly [resource: GroupResource, state: CacheState]> {
      for (const [state, on] of caches) yield [on, state]
    },
  }
}

type Labels = readonly [group: string, resource: string]
type Caches = Map<CacheState, GroupResource>
type CacheCalls = Recorded<Omit<typeof cacheRows, 'revision' | 'capacity'>>

/** Counts what is done with the objects of a resource. A class, because there is one for every resource, of which most are never used. */
export class StoreMetrics {
  readonly #labels: Labels
  readonly #metrics: Recorded<typeof storeCallRows>
  readonly #ended: { [call in StoreCall]?: (milliseconds: number) => void } = {}
  readonly cache: CacheMetrics

  constructor(on: GroupResource, metrics: Recorded<typeof storeCallRows>, caches: Caches, cacheCalls: CacheCalls) {
    this.#labels = [on.group, on.resource]
    this.#metrics = metrics
    this.cache = new CacheMetrics(on, this, caches, cacheCalls)
  }

  /** A call has ended; time in milliseconds. */
  called(call: StoreCall, milliseconds: number, failed: boolean): void {
    this.#ended[call] ??= countedTime(this.#metrics.requests, this.#metrics.durations, [call, ...this.#labels])
    this.#ended[call](milliseconds)
    if (failed) this.#metrics.errors.add([call, ...this.#labels])
  }

  /** A list was answered from the store: objects that were read, compared with selectors, returned. */
  listed(fetched: number, evaluated: number, returned: number): void {
    this.#metrics.lists.add(this.#labels)
    this.#metrics.fetched.add(this.#labels, fetched)
    this.#metrics.evaluated.add(this.#labels, evaluated)
    this.#metrics.returned.add(this.#labels, returned)
  }

  /** A stored value was unreadable. */
  undecodable(): void {
    this.#metrics.undecodable.add(this.#labels)
  }

  /** A watch of the store delivered events. */
  received(events: number): void {
    this.#metrics.events.add(this.#labels, events)
  }

  /** A watch of the store reported its progress. */
  progressed(): void {
    this.#metrics.progress.add(this.#labels)
  }
}

/** Counts what is done with the watch cache of a resource. */
export class CacheMetrics {
  readonly #resource: GroupResource
  readonly #stored: Pick<StoreMetrics, 'listed'>
  readonly #labels: Labels
  readonly #caches: Caches
  readonly #metrics: CacheCalls

  constructor(resource: GroupResource, stored: Pick<StoreMetrics, 'listed'>, caches: Caches, metrics: CacheCalls) {
    this.#resource = resource
    this.#stored = stored
    this.#labels = [resource.group, resource.resource]
    this.#caches = caches
    this.#metrics = metrics
  }

  /** A cache is there; the returned function is called when it is closed. */
  opened(state: CacheState): () => void {
    this.#caches.set(state, this.#resource)
    return () => void this.#caches.delete(state)
  }

  /** So many objects have been loaded from the store. */
  loaded(objects: number): void {
    this.#metrics.loads.add(this.#labels)
    // A cache is loaded by a list from the store.
    this.#stored.listed(objects, objects, objects)
  }

  /** Events came from the store, and went on to watches. */
  changed(events: number): void {
    this.#metrics.received.add(this.#labels, events)
    this.#metrics.dispatched.add(this.#labels, events)
  }

  /** A list was answered. `field`: of the index that found the objects. */
  listed(field: string | undefined, fetched: number, returned: number): void {
    // As the reference names its indexes.
    const labels = [...this.#labels, field === undefined ? '' : `f:${field}`] as const
    this.#metrics.lists.add(labels)
    this.#metrics.fetched.add(labels, fetched)
    this.#metrics.returned.add(this.#labels, returned)
  }

  /** A list of the newest state ended. */
  readNewest(succeeded: boolean): void {
    this.#metrics.newestReads.add([...this.#labels, String(succeeded), 'false'])
  }

  /** A read waited for a revision; time in milliseconds. */
  waited(milliseconds: number): void {
    this.#metrics.waits.observe(this.#labels, milliseconds / 1000)
  }

  /** A watch got events from before its start. */
  replayed(events: number): void {
    this.#metrics.replayed.add(this.#labels, events)
  }

  /** The cache was compared with the store. */
  compared(status: ConsistencyStatus): void {
    this.#metrics.comparisons.add([...this.#labels, status])
  }
}

/** Metrics that are not recorded. */
export const unobserved = () => new StoreMetrics({ group: '', resource: '' }, uncounted(storeCallRows), new Map(), uncounted(cacheRows))
