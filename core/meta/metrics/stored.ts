/** Metrics of calls to the store and of watch caches, by resource. */
import type { GroupResource } from '../../respond/status.ts'
import { type CacheObserver, type CacheState, type StorageObserver, type StoreCall, storeCalls } from '../../storage/observer.ts'
import type { Services } from '../../verbs/services.ts'
import type { Counter, MetricsRegistry } from './registry.ts'
import { cacheRows, storageRows, storeCallRows } from './rows/storage.ts'
import { createWatchMetrics } from './watches.ts'

export interface StoredMetrics {
  /** Counts what is done with the objects of a resource. */
  observe(resource: GroupResource): StorageObserver
  readonly watches: Services['watches']
  /** The objects of a resource have about so many bytes; undefined: unknown. */
  sized(group: string, resource: string, bytes: number | undefined): void
  /** All watch caches. */
  caches(): Iterable<readonly [resource: GroupResource, state: CacheState]>
}

/** Digits of a revision that its metric has, as in the reference. */
const revisionLimit = 1e15

export function createStoredMetrics(registry: MetricsRegistry): StoredMetrics {
  const caches = new Map<CacheState, GroupResource>()
  const observeCalls = createCallObservers(registry)
  const replayed = registry.counter(cacheRows.replayed)
  const sizes = registry.gauge(storageRows.sizes)
  const observeCache = createCacheObservers(registry, caches, replayed)
  return {
    observe: (resource) => ({ ...observeCalls(resource), cache: observeCache(resource) }),
    watches: createWatchMetrics(registry, replayed),
    sized: (group, resource, bytes = -1) => sizes.set([group, resource], bytes),
    *caches() {
      for (const [state, resource] of caches) yield [resource, state]
    },
  }
}

function createCallObservers(registry: MetricsRegistry): (resource: GroupResource) => Omit<StorageObserver, 'cache'> {
  const requests = registry.counter(storeCallRows.requests)
  const durations = registry.histogram(storeCallRows.durations)
  const errors = registry.counter(storeCallRows.errors)
  const progress = registry.counter(storeCallRows.progress)
  const events = registry.counter(storeCallRows.events)
  const lists = registry.counter(storeCallRows.lists)
  const fetched = registry.counter(storeCallRows.fetched)
  const evaluated = registry.counter(storeCallRows.evaluated)
  const returned = registry.counter(storeCallRows.returned)
  const undecodable = registry.counter(storeCallRows.undecodable)

  return ({ group, resource }) => {
    const ended = (call: StoreCall): StorageObserver['called'][StoreCall] => {
      const [count, observe] = [requests.in([call, group, resource]), durations.in([call, group, resource])]
      return (milliseconds, failed) => {
        count()
        observe(milliseconds / 1000)
        if (failed) errors.add([call, group, resource])
      }
    }
    const called = Object.fromEntries(storeCalls.map((call) => [call, ended(call)])) as StorageObserver['called']
    const labels = [group, resource] as const
    const [list, fetch, evaluate, give] = [lists.in(labels), fetched.in(labels), evaluated.in(labels), returned.in(labels)]
    const progressed = progress.in(labels)
    return {
      called,
      received: events.in(labels),
      progressed: () => progressed(),
      undecodable: () => undecodable.add(labels),
      listed(from, compared, to) {
        list()
        fetch(from)
        evaluate(compared)
        give(to)
      },
    }
  }
}

function createCacheObservers(
  registry: MetricsRegistry,
  caches: Map<CacheState, GroupResource>,
  replayed: Counter<typeof cacheRows.replayed.labels>,
): (resource: GroupResource) => CacheObserver {
  const lists = registry.counter(cacheRows.lists)
  const fetched = registry.counter(cacheRows.fetched)
  const returned = registry.counter(cacheRows.returned)
  const loads = registry.counter(cacheRows.loads)
  const received = registry.counter(cacheRows.received)
  const dispatched = registry.counter(cacheRows.dispatched)
  const waits = registry.histogram(cacheRows.waits)
  const newestReads = registry.counter(cacheRows.newestReads)
  const collect = (row: (typeof cacheRows)['revision' | 'capacity'], read: (state: CacheState, revision: number) => number) =>
    registry.collect(row, () =>
      Array.from(caches).flatMap(([state, { group, resource }]) => {
        const revision = state.revision()
        return revision === undefined ? [] : [[[group, resource], read(state, revision)]]
      }),
    )
  collect(cacheRows.revision, (_state, revision) => revision % revisionLimit)
  collect(cacheRows.capacity, ({ capacity }) => capacity)

  return (groupResource) => {
    const { group, resource } = groupResource
    const labels = [group, resource] as const
    const byIndex = new Map<string | undefined, readonly [list: () => void, fetch: (objects: number) => void]>()
    const indexed = (field: string | undefined) => {
      // As the reference names its indexes.
      const values = [group, resource, field === undefined ? '' : `f:${field}`] as const
      return [lists.in(values), fetched.in(values)] as const
    }
    const [give, replay, receive, dispatch, wait] = [
      returned.in(labels),
      replayed.in(labels),
      received.in(labels),
      dispatched.in(labels),
      waits.in(labels),
    ]
    const [succeeded, failed] = (['true', 'false'] as const).map((success) => newestReads.in([group, resource, success, 'false']))
    return {
      opened(state) {
        caches.set(state, groupResource)
        return () => void caches.delete(state)
      },
      loaded: () => loads.add(labels),
      changed(events) {
        receive(events)
        dispatch(events)
      },
      listed(field, from, to) {
        let counts = byIndex.get(field)
        if (counts === undefined) {
          counts = indexed(field)
          byIndex.set(field, counts)
        }
        counts[0]()
        counts[1](from)
        give(to)
      },
      readNewest: (success) => (success ? succeeded : failed)?.(),
      waited: (milliseconds) => wait(milliseconds / 1000),
      replayed: replay,
    }
  }
}
