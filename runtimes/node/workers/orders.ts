/** What the main thread tells a worker when it starts, and what the two ask each other. */
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import type { Drained, DrainOptions } from '../../../core/filters/request-gate.ts'
import type { MetricSeries } from '../../../core/meta/metrics/merged.ts'
import type { Rate } from '../../../core/ports.ts'
import type { Cells } from '../../stores/message/cells.ts'
import type { Pki } from '../pki/pki.ts'
import type { Port } from './descriptor.ts'
import type { LimitMemory } from './limits.ts'

export interface Orders {
  /** From 1. */
  readonly number: number
  readonly argv: readonly string[]
  readonly program: string
  readonly pki: Pki
  readonly port: Pick<Port, 'address' | 'port' | 'descriptor'>
  readonly store: { readonly port: MessagePort; readonly cells: Cells }
  /** See `ConnectionCounts`. */
  readonly connections: SharedArrayBuffer
  /** The main thread's side is the first one. */
  readonly limits: LimitMemory
  readonly writesAudit: boolean
}

/** What a worker answers. */
export type WorkerAnswers = {
  leave(): Promise<void>
  drain(options: DrainOptions): Promise<Drained>
  /** Stops accepting; see `Listener.close`. */
  stopListening(grace: number): Promise<void>
  /** Closes everything that is left. */
  end(): Promise<void>
  series(): readonly MetricSeries[]
  setVerbosity(level: number): void
  /** See `OtherThreads`. */
  answer(topic: string, about: unknown): unknown
}

/** What the main thread answers. */
export type MainAnswers = {
  /** The worker accepts connections. */
  serving(): void
  /** The worker can't start, for this reason. */
  failed(message: string): void
  audit(lines: Uint8Array): Promise<void>
  /** Series of all other threads. */
  otherSeries(): Promise<readonly MetricSeries[]>
  setVerbosity(level: number): void
  /** See `SharedLimits`. */
  admit(name: string, rate: Rate, key: string): Promise<boolean>
  pass(name: string, rate: Rate): Promise<void>
  /** Answers of all other threads. */
  askOthers(topic: string, about: unknown, milliseconds: number): Promise<readonly unknown[]>
}

const mark = 'apiserver'

export const workerDataOf = (orders: Orders) => ({ [mark]: orders })

/** The orders of this thread; undefined: it is no worker of a server. */
export function ordersOfThread(): Orders | undefined {
  if (isMainThread || typeof workerData !== 'object' || workerData === null) return undefined
  return (workerData as { readonly [mark]?: Orders })[mark]
}
