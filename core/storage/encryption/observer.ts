import type { Clock } from '../../ports.ts'
import { TransformError } from './transformer.ts'

export type Direction = 'from_storage' | 'to_storage'

/**
 * Receives encryption-at-rest events for metrics. Times are in milliseconds. A code is the name of a gRPC status (or `OK`), or
 * `unknown-non-grpc` when no plugin was called. `provider` is the name of a plugin.
 */
export interface EncryptionObserver {
  /** A transformer with this prefix was tried. `resource` is such as `deployments.apps`. */
  transformed(resource: string, direction: Direction, prefix: string, code: string, milliseconds: number): void
  /** A data key or seed was generated. */
  madeKey(milliseconds: number): void
  /** A data key or seed was not in the cache. */
  missedKey(): void
  /** A value reached KMS version 1. */
  arrived(direction: Direction): void
  /** Fill level of the version 1 key cache, from 0 to 1. */
  filledCache(share: number): void
  /** A version 2 plugin was called; `method` is the full gRPC name. */
  called(provider: string, method: string, code: string, milliseconds: number): void
  /** A value was encrypted or decrypted with this key of a version 2 plugin. */
  usedKey(direction: Direction, provider: string, keyId: string): void
  /** A version 2 plugin reported its current key id. */
  reportedKey(provider: string, keyId: string): void
  /** A version 2 plugin reported an invalid key id. */
  refusedKey(provider: string, why: string): void
  /** Number of cached seeds of a version 2 plugin. */
  keptSeeds(provider: string, count: number): void
}

/** The observer and the clock for its times. */
export interface Observation {
  readonly observer: EncryptionObserver
  readonly clock: Pick<Clock, 'monotonic'>
}

const ignore = () => {}
export const unobserved: Observation = {
  observer: {
    transformed: ignore,
    madeKey: ignore,
    missedKey: ignore,
    arrived: ignore,
    filledCache: ignore,
    called: ignore,
    usedKey: ignore,
    reportedKey: ignore,
    refusedKey: ignore,
    keptSeeds: ignore,
  },
  clock: { monotonic: () => 0 },
}

/** The code for an error. */
export const codeOf = (error: unknown): string => (error instanceof TransformError ? error.code : 'unknown-non-grpc')
