/** Metrics of stored data, polled at intervals because reading them puts load on the store. */

import { type GroupResource, qualified } from '../../answers/status.ts'
import { gauge, type Metrics } from '../../metrics.ts'
import type { Clock, KeyValueStore, Logger } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { ResourceTable } from './served.ts'

export const storageRows = {
  objects: gauge('apiserver_resource_objects', 'Number of stored objects at the last count; -1: unknown.', {
    labels: ['group', 'resource'],
    maxSeries: 10_000,
  }),
  former: gauge('apiserver_storage_objects', 'Number of stored objects.', {
    stability: 'STABLE',
    deprecated: '1.34.0',
    labels: ['resource'],
    maxSeries: 10_000,
  }),
  size: gauge('apiserver_storage_size_bytes', 'Physical size of the database in bytes.', {
    stability: 'STABLE',
    labels: ['storage_cluster_id'],
  }),
}

export interface StorageMetricsOptions {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
  readonly table: ResourceTable
  readonly stores: readonly KeyValueStore[]
  /** First part of the label that identifies a store. */
  readonly storeName: string
  /** Milliseconds between counts of objects; 0: never. */
  readonly countInterval: number
  /** Milliseconds between reads of the database size; 0: never. */
  readonly sizeInterval: number
}

/** Value of a gauge that could not be read, as in the reference server. */
const unknown = -1

/** Starts polling; the returned function stops it. */
export function startStorageMetrics({ metrics, clock, logger, table, ...options }: StorageMetricsOptions): () => void {
  const { objects, former, size } = metrics.record(storageRows)

  /** By storage key. */
  const counted = new Map<string, GroupResource>()

  async function count(): Promise<void> {
    // Of several resources with the same objects, the first is counted: as in the reference, events of the core group.
    const resources = new Map(
      table
        .all()
        .toReversed()
        .map((each) => [each.definition.storageKey, each]),
    )
    for (const [key, groupResource] of counted) {
      if (resources.has(key)) continue
      counted.delete(key)
      objects.remove([groupResource.group, groupResource.resource])
      former.remove([qualified(groupResource)])
    }
    for (const [key, { store, groupResource }] of resources) {
      if (key === '') continue
      const number = await store.count().catch(() => unknown)
      counted.set(key, groupResource)
      objects.set([groupResource.group, groupResource.resource], number)
      former.set([qualified(groupResource)], number)
    }
  }

  async function measure(): Promise<void> {
    for (const [index, store] of options.stores.entries()) {
      const id = `${options.storeName}-${index}`
      try {
        size.set([id], await store.size())
      } catch (error) {
        logger.info({ store: id, error: messageOf(error) }, 'database size not available')
      }
    }
  }

  const stops = [every(clock, options.countInterval, count), every(clock, options.sizeInterval, measure)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Runs immediately, and again `interval` milliseconds after each run; 0: never. */
function every(clock: Clock, interval: number, run: () => Promise<void>): () => void {
  if (interval === 0) return () => {}
  let stopped = false
  let cancel = () => {}
  const turn = async () => {
    await run()
    if (!stopped) cancel = clock.after(interval, () => void turn())
  }
  void turn()
  return () => {
    stopped = true
    cancel()
  }
}
