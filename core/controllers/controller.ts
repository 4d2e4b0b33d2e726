import type { Platform } from '../platform.ts'
import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import type { Client } from './client.ts'

/** What a controller works with. */
export interface ControllerContext {
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  readonly stores: readonly KeyValueStore[]
  /** Whether `enable-garbage-collector` is on. */
  readonly garbageCollection: boolean
  readonly table: ResourceTable
  readonly client: Client
  readonly gates: { enabled(gate: string): boolean }
  /** First part of every key in the store. */
  readonly prefix: string
  /** PEM of the authority of the serving certificate; empty: none is published. */
  readonly rootCa: string
}

/** Starts to work, and returns how to stop. */
export type Controller = (context: ControllerContext) => () => void
