/** Metrics of calls to the store and of watch caches, by resource. */

import type { Counter } from '../../metrics.ts'
import type { GroupResource } from '../../respond/status.ts'
import type { CacheObserver, CacheState, ConsistencyStatus, StorageObserver, StoreCall } from '../../storage/observer.ts'
import type { Services } from '../../verbs/services.ts'
import type { MetricsRegistry } from './registry.ts'
import { cacheRows, storageRows, storeCallRows } from './rows/storage.ts'
import { createWatchMetrics } from './watches.ts'

export interface StoredMetrics {
  /** Counts what is done with the objects of a resource. */
  observe(resource: GroupResource): StorageObserver
  readonly watches: Services['watches']
  /** Approximate size in bytes of the objects of a resource; undefined: unknown. */
  sized(group: string, resource: string, bytes: number | undefined): void
  /** All watch caches. */
  caches(): Iterable<readonly [resource: GroupResource, state: CacheState]>
}

/** Digits of a revision that its metric has, as in the reference. */
const revisionLimit = 1e15

export function createStoredMetrics(registry: MetricsRegistry): StoredMetrics {
  const caches = new Map<CacheState, GroupResource>()
  const replayed = registry.counter(cacheRows.replayed)
  const sizes = registry.gauge(storageRows.sizes)
  const calls = callMetrics(registry)
  const cacheCalls = cacheMetrics(registry, caches, replayed)
  return {
    observe: (resource) => new ResourceObserver(resource, calls, caches, cacheCalls),
    watches: createWatchMetrics(registry, replayed),
    sized: (group, resource, bytes = -1) => sizes.set([group, resource], bytes),
    *caches() {
      for (const [state, resource] of caches) yield [resource, state]
    },
  }
}

const callMetrics = (registry: MetricsRegistry) => ({
  requests: registry.counter(storeCallRows.requests),
  durations: registry.histogram(storeCallRows.durations),
  errors: registry.counter(storeCallRows.errors),
  progress: registry.counter(storeCallRows.progress),
  events: registry.counter(storeCallRows.events),
  lists: registry.counter(storeCallRows.lists),
  fetched: registry.counter(storeCallRows.fetched),
  evaluated: registry.counter(storeCallRows.evaluated),
  returned: registry.counter(storeCallRows.returned),
  undecodable: registry.counter(storeCallRows.undecodable),
})

type Labels = readonly [group: string, resource: string]

/** A class, because there is one for every resource, of which most are never used. */
class ResourceObserver implements StorageObserver {
  readonly #labels: Labels
  readonly #metrics: ReturnType<typeof callMetrics>
  readonly #handles: { [call in StoreCall]?: readonly [count: () => void, observe: (seconds: number) => void] } = {}
  readonly cache: CacheObserver

  constructor(
    on: GroupResource,
    metrics: ReturnType<typeof callMetrics>,
    caches: Map<CacheState, GroupResource>,
    cacheCalls: ReturnType<typeof cacheMetrics>,
  ) {
    this.#labels = [on.group, on.resource]
    this.#metrics = metrics
    this.cache = new ResourceCacheObserver(on, this, caches, cacheCalls)
  }

  called(call: StoreCall, milliseconds: number, failed: boolean): void {
    this.#handles[call] ??= [this.#metrics.requests.in([call, ...this.#labels]), this.#metrics.durations.in([call, ...this.#labels])]
    const [count, observe] = this.#handles[call]
    count()
    observe(milliseconds / 1000)
    if (failed) this.#metrics.errors.add([call, ...this.#labels])
  }

  listed(fetched: number, evaluated: number, returned: number): void {
    this.#metrics.lists.add(this.#labels)
    this.#metrics.fetched.add(this.#labels, fetched)
    this.#metrics.evaluated.add(this.#labels, evaluated)
    this.#metrics.returned.add(this.#labels, returned)
  }

  undecodable(): void {
    this.#metrics.undecodable.add(this.#labels)
  }

  received(events: number): void {
    this.#metrics.events.add(this.#labels, events)
  }

  progressed(): void {
    this.#metrics.progress.add(this.#labels)
  }
}

function cacheMetrics(
  registry: MetricsRegistry,
  caches: ReadonlyMap<CacheState, GroupResource>,
  replayed: Counter<typeof cacheRows.replayed.labels>,
) {
  const collect = (row: (typeof cacheRows)['revision' | 'capacity'], read: (state: CacheState, revision: number) => number) =>
    registry.collect(row, () =>
      Array.from(caches).flatMap(([state, { group, resource }]) => {
        const revision = state.revision()
        return revision === undefined ? [] : [[[group, resource], read(state, revision)]]
      }),
    )
  collect(cacheRows.revision, (_state, revision) => revision % revisionLimit)
  collect(cacheRows.capacity, ({ capacity }) => capacity)
  return {
    replayed,
    lists: registry.counter(cacheRows.lists),
    fetched: registry.counter(cacheRows.fetched),
    returned: registry.counter(cacheRows.returned),
    loads: registry.counter(cacheRows.loads),
    received: registry.counter(cacheRows.received),
    dispatched: registry.counter(cacheRows.dispatched),
    waits: registry.histogram(cacheRows.waits),
    newestReads: registry.counter(cacheRows.newestReads),
    comparisons: registry.counter(cacheRows.comparisons),
  }
}

/** A class, because there is one for every resource. */
class ResourceCacheObserver implements CacheObserver {
  readonly #resource: GroupResource
  readonly #stored: Pick<StorageObserver, 'listed'>
  readonly #labels: Labels
  readonly #caches: Map<CacheState, GroupResource>
  readonly #metrics: ReturnType<typeof cacheMetrics>

  constructor(
    resource: GroupResource,
    stored: Pick<StorageObserver, 'listed'>,
    caches: Map<CacheState, GroupResource>,
    metrics: ReturnType<typeof cacheMetrics>,
  ) {
    this.#resource = resource
    this.#stored = stored
    this.#labels = [resource.group, resource.resource]
    this.#caches = caches
    this.#metrics = metrics
  }

  opened(state: CacheState): () => void {
    this.#caches.set(state, this.#resource)
    return () => void this.#caches.delete(state)
  }

  loaded(objects: number): void {
    this.#metrics.loads.add(this.#labels)
    // A cache is loaded by a list from the store.
    this.#stored.listed(objects, objects, objects)
  }

  changed(events: number): void {
    this.#metrics.received.add(this.#labels, events)
    this.#metrics.dispatched.add(this.#labels, events)
  }

  listed(field: string | undefined, fetched: number, returned: number): void {
    // As the reference names its indexes.
    const labels = [...this.#labels, field === undefined ? '' : `f:${field}`] as const
    this.#metrics.lists.add(labels)
    this.#metrics.fetched.add(labels, fetched)
    this.#metrics.returned.add(this.#labels, returned)
  }

  readNewest(succeeded: boolean): void {
    this.#metrics.newestReads.add([...this.#labels, String(succeeded), 'false'])
  }

  waited(milliseconds: number): void {
    this.#metrics.waits.observe(this.#labels, milliseconds / 1000)
  }

  replayed(events: number): void {
    this.#metrics.replayed.add(this.#labels, events)
  }

  compared(status: ConsistencyStatus): void {
    this.#metrics.comparisons.add([...this.#labels, status])
  }
}
