import type { LegacyTokenIssuer } from '../access/authn/service-account/legacy.ts'
import type { GroupSource } from '../meta/group-source.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { Platform } from '../platform.ts'
import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import type { Client } from './client.ts'
import type { QueueMetrics } from './queue-metrics.ts'

/** Dependencies of controllers. */
export interface ControllerContext {
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  /** Metrics of work queues. */
  readonly queues?: QueueMetrics
  readonly stores: readonly KeyValueStore[]
  /** Flag `enable-garbage-collector`. */
  readonly garbageCollection: boolean
  readonly table: ResourceTable
  /** Resources of other servers, by discovery; absent: there are none. */
  readonly remote?: GroupSource | undefined
  readonly client: Client
  readonly gates: { enabled(gate: string): boolean }
  /** Prefix of all keys in the store. */
  readonly prefix: string
  /** PEM of the serving certificate's authority; empty: not published. */
  readonly rootCa: string
  /** Signs tokens that are stored in Secrets; absent: this server has no key of its own. */
  readonly legacyToken?: LegacyTokenIssuer | undefined
}

/** Starts the controller; the returned function stops it. */
export type Controller = (context: ControllerContext) => () => void
