import { counter, gauge, histogram } from '../../../metrics.ts'

const storage = 'apiserver_storage'

export const storageRows = {
  objects: gauge('apiserver_resource_objects', {
    help: 'Number of stored objects at the last count; -1: unknown.',
    labels: ['group', 'resource'],
    maxSeries: 10_000,
  }),
  former: gauge('apiserver_storage_objects', {
    stability: 'STABLE',
    help: 'Number of stored objects.',
    deprecated: '1.34.0',
    labels: ['resource'],
    maxSeries: 10_000,
  }),
  sizes: gauge('apiserver_resource_size_estimate_bytes', {
    help: 'Estimated size of stored objects, in bytes; -1: unknown.',
    labels: ['group', 'resource'],
    maxSeries: 10_000,
  }),
  size: gauge('apiserver_storage_size_bytes', {
    stability: 'STABLE',
    help: 'Physical size of the database in bytes.',
    labels: ['storage_cluster_id'],
  }),
}

const resource = ['group', 'resource'] as const
const call = ['operation', ...resource] as const
const callSeconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
/** A metric with a series for each resource, up to a maximum. */
const ofResource = { labels: resource, maxSeries: 2_000 } as const
const ofCall = { labels: call, maxSeries: 5_000 } as const

/** Calls to the store, whether it is etcd or not. */
export const storeCallRows = {
  requests: counter('etcd_requests_total', { help: 'Calls to the store.', ...ofCall }),
  durations: histogram('etcd_request_duration_seconds', {
    help: 'Duration of calls to the store, in seconds.',
    buckets: callSeconds,
    ...ofCall,
  }),
  errors: counter('etcd_request_errors_total', { help: 'Failed calls to the store.', ...ofCall }),
  progress: counter('etcd_bookmark_total', { help: 'Reports of progress from watches of the store.', ...ofResource }),
  events: counter(`${storage}_events_received_total`, { stability: 'BETA', help: 'Events from watches of the store.', ...ofResource }),
  lists: counter(`${storage}_list_total`, { help: 'Lists that were answered from the store.', ...ofResource }),
  fetched: counter(`${storage}_list_fetched_objects_total`, { help: 'Objects that were read from the store for lists.', ...ofResource }),
  evaluated: counter(`${storage}_list_evaluated_objects_total`, {
    help: 'Objects from the store that were compared with the selectors of lists.',
    ...ofResource,
  }),
  returned: counter(`${storage}_list_returned_objects_total`, { help: 'Objects from the store that lists returned.', ...ofResource }),
  undecodable: counter(`${storage}_decode_errors_total`, { help: 'Stored values that could not be decoded.', ...ofResource }),
}

/** Watch caches. */
export const cacheRows = {
  lists: counter('apiserver_cache_list_total', {
    help: 'Lists that were answered from a watch cache.',
    labels: [...resource, 'index'],
    maxSeries: 3_000,
  }),
  fetched: counter('apiserver_cache_list_fetched_objects_total', {
    help: 'Objects that were read from a watch cache for lists.',
    labels: [...resource, 'index'],
    maxSeries: 3_000,
  }),
  returned: counter('apiserver_cache_list_returned_objects_total', {
    help: 'Objects from a watch cache that lists returned.',
    ...ofResource,
  }),
  replayed: counter('apiserver_init_events_total', { help: 'Events of the time before a watch that it started with.', ...ofResource }),
  terminated: counter('apiserver_terminated_watchers_total', {
    help: 'Watches that were ended because their client did not keep up.',
    ...ofResource,
  }),
  loads: counter('apiserver_watch_cache_initializations_total', { help: 'Times that a watch cache was loaded.', ...ofResource }),
  received: counter('apiserver_watch_cache_events_received_total', { help: 'Events that came to a watch cache.', ...ofResource }),
  dispatched: counter('apiserver_watch_cache_events_dispatched_total', {
    help: 'Events that a watch cache passed on to watches.',
    ...ofResource,
  }),
  revision: gauge('apiserver_watch_cache_resource_version', {
    help: 'Revision of a watch cache: its last 15 digits.',
    ...ofResource,
  }),
  waits: histogram('apiserver_watch_cache_read_wait_seconds', {
    help: 'Time that reads waited until a watch cache was recent enough, in seconds.',
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
    ...ofResource,
  }),
  newestReads: counter('apiserver_watch_cache_consistent_read_total', {
    help: 'Lists of the newest state from a watch cache.',
    labels: [...resource, 'success', 'fallback'],
    maxSeries: 3_000,
  }),
  comparisons: counter('apiserver_storage_consistency_checks_total', {
    help: 'Comparisons of a watch cache with the store.',
    labels: [...resource, 'status'],
    maxSeries: 3_000,
  }),
  capacity: gauge('watch_cache_capacity', { help: 'Maximum changes that a watch cache keeps.', ...ofResource }),
}
