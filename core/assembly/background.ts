/** Background work beside the requests. */
import { publishClusterAuthentication } from '../bootstrap/cluster-authentication.ts'
import { controllerManager, createClient, serverManager } from '../controllers/client.ts'
import { startControllers } from '../controllers/index.ts'
import { startStorageMetrics } from '../meta/metrics/storage.ts'
import type { CompleteOptions } from '../options.ts'
import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import { startCompaction } from '../storage/compaction.ts'

export interface BackgroundContext {
  readonly table: ResourceTable
  readonly clock: Clock
  readonly logger: Logger
  readonly stores: readonly KeyValueStore[]
  /** Sends requests with the server's own identity. */
  fetch(request: Request): Promise<Response>
}

/** Starts controllers, compaction and periodic measurements; the returned function stops them. */
export function startBackground(options: CompleteOptions, { table, clock, logger, stores, fetch }: BackgroundContext): () => void {
  const { clusterAuthentication, platform, metrics, countInterval, sizeInterval } = options
  const contextOf = (manager: string) => ({ ...options, clock, logger, stores, table, client: createClient(fetch, manager) })
  const stops = [
    startControllers(options.controllers, contextOf(controllerManager(platform))),
    ...(clusterAuthentication ? [publishClusterAuthentication(clusterAuthentication, contextOf(serverManager(platform)))] : []),
    ...stores.map((store) => startCompaction(store, clock, logger, options.compactionInterval)),
    startStorageMetrics({ registry: metrics, clock, logger, table, stores, storeName: platform.storeName, countInterval, sizeInterval }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
