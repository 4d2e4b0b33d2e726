import type { Clock } from '../../ports.ts'
import { TransformError } from './transformer.ts'

export type Direction = 'from_storage' | 'to_storage'

/**
 * Is told what encryption at rest does; made into metrics elsewhere. Times are in milliseconds. A code is the name of a gRPC status, `OK`
 * among them, or `unknown-non-grpc` for what failed before any plugin was asked. `provider` is the name that a plugin goes by.
 */
export interface EncryptionObserver {
  /** A transformer for values with this prefix was tried. `resource` is as `deployments.apps`. */
  transformed(resource: string, direction: Direction, prefix: string, code: string, milliseconds: number): void
  /** A key or a seed was made, which values are encrypted with. */
  madeKey(milliseconds: number): void
  /** A key or a seed that values are decrypted with was not in a cache. */
  missedKey(): void
  /** Version 1 of key management was given a value. */
  arrived(direction: Direction): void
  /** How full the cache of keys of version 1 is, from 0 to 1. */
  filledCache(share: number): void
  /** A plugin of version 2 was called; `method` is its full name. */
  called(provider: string, method: string, code: string, milliseconds: number): void
  /** A value was encrypted or decrypted under this key of a plugin of version 2. */
  usedKey(direction: Direction, provider: string, keyId: string): void
  /** A plugin of version 2 said which key it writes with. */
  reportedKey(provider: string, keyId: string): void
  /** It said so with an id that is of no use. */
  refusedKey(provider: string, why: string): void
  /** So many seeds of a plugin of version 2 are kept. */
  keptSeeds(provider: string, count: number): void
}

/** Who is told, and what time is measured with. */
export interface Observation {
  readonly observer: EncryptionObserver
  readonly clock: Pick<Clock, 'now'>
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
  clock: { now: () => 0 },
}

/** The code of what a try failed with. */
export const codeOf = (error: unknown): string => (error instanceof TransformError ? error.code : 'unknown-non-grpc')
