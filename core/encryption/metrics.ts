/**
 * Metrics of encryption at rest. A code is the name of a gRPC status (or `OK`), or `unknown-non-grpc` when no plugin was called; `provider` is
 * the name of a plugin, a method is a full gRPC name. Key ids and the server's identity are hashed in labels.
 */
import { once } from '../common/once.ts'
import { reloadRows } from '../config/reload-metrics.ts'
import { counter, doubling, gauge, histogram, type LabelValues, type Recorded, uncounted } from '../metrics.ts'
import type { Clock } from '../ports.ts'
import { hashOf } from '../schema/formats/digest.ts'
import { Recent } from './kms/recent.ts'
import { TransformError } from './transformer.ts'

const storage = 'apiserver_storage'
const envelope = 'apiserver_envelope_encryption'
const pluginKey = ['provider_name', 'key_id_hash', 'apiserver_id_hash'] as const

export const encryptionRows = {
  durations: histogram(`${storage}_transformation_duration_seconds`, 'Duration of the encryption or decryption of a value, in seconds.', {
    labels: ['transformation_type', 'transformer_prefix'],
    buckets: doubling(5e-6, 25),
  }),
  operations: counter(`${storage}_transformation_operations_total`, 'Encryptions and decryptions of values.', {
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
    maxSeries: 10_000,
  }),
  misses: counter(`${storage}_envelope_transformation_cache_misses_total`, 'Keys decrypted by a plugin because they were not cached.'),
  made: histogram(`${storage}_data_key_generation_duration_seconds`, 'Duration of data key generation, in seconds.', {
    buckets: doubling(5e-6, 14),
  }),
  failures: counter(`${storage}_data_key_generation_failures_total`, 'Failed data key generations.'),
  filled: gauge(`${envelope}_dek_cache_fill_percent`, 'Fill ratio of the cache of keys (KMS v1).'),
  between: histogram(
    `${envelope}_dek_cache_inter_arrival_time_seconds`,
    'Time between two encryptions or decryptions (KMS v1), in seconds.',
    { labels: ['transformation_type'], buckets: doubling(60, 10) },
  ),
  calls: histogram(`${envelope}_kms_operations_latency_seconds`, 'Duration of a call to a KMS plugin, in seconds.', {
    labels: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: doubling(0.0001, 20),
  }),
  refused: counter(`${envelope}_invalid_key_id_from_status_total`, 'Status responses of a KMS plugin with an invalid key ID.', {
    labels: ['provider_name', 'error'],
  }),
  kept: gauge(`${envelope}_dek_source_cache_size`, 'Cached decrypted seeds.', { labels: ['provider_name'] }),
  uses: counter(`${envelope}_key_id_hash_total`, 'Values encrypted or decrypted under a key of a KMS plugin.', {
    labels: ['transformation_type', ...pluginKey],
  }),
  lastUse: gauge(`${envelope}_key_id_hash_last_timestamp_seconds`, 'Last use of a key of a KMS plugin, in seconds since the epoch.', {
    labels: ['transformation_type', ...pluginKey],
  }),
  lastReport: gauge(
    `${envelope}_key_id_hash_status_last_timestamp_seconds`,
    'Time when the status of a KMS plugin last had this key ID, in seconds since the epoch.',
    { labels: pluginKey },
  ),
}

export const encryptionFileRows = reloadRows('encryption', 'ALPHA')

export type Direction = 'from_storage' | 'to_storage'
type EncryptionMetrics = Recorded<typeof encryptionRows>

/** What is measured, with the clock for its times. */
export interface Measures {
  readonly metrics: EncryptionMetrics
  readonly clock: Pick<Clock, 'monotonic'>
  /** Absent: uses of keys are not counted. */
  readonly uses?: KeyUses | undefined
}

/** The code for an error. */
export const codeOf = (error: unknown): string => (error instanceof TransformError ? error.code : 'unknown-non-grpc')

export const unmeasured: Measures = { metrics: uncounted(encryptionRows), clock: { monotonic: () => 0 } }

/** Maximum tracked plugin keys; series of the least recently used ones are removed. */
const maxKeys = 100

type Use = LabelValues<typeof encryptionRows.uses.labels>
type Report = LabelValues<typeof encryptionRows.lastReport.labels>
export type KeyUses = ReturnType<typeof keyUses>

/** `server` is this server's identity; empty: none. */
export function keyUses({ between, uses, lastUse, lastReport }: EncryptionMetrics, clock: Clock, server: string) {
  const last = new Map<Direction, number>()
  const identity = once(() => hashOf(server))
  const used = new Recent<Use>(
    maxKeys,
    (gone) =>
      void gone.then((values) => {
        uses.remove(values)
        lastUse.remove(values)
      }),
  )
  const reported = new Recent<Report>(maxKeys, (gone) => void gone.then((values) => lastReport.remove(values)))
  const seconds = () => clock.now() / 1000
  return {
    /** A value reached KMS version 1. */
    arrived(direction: Direction): void {
      const now = clock.monotonic()
      between.observe([direction], (now - (last.get(direction) ?? now)) / 1000)
      last.set(direction, now)
    },
    /** A value was encrypted or decrypted with this key of a version 2 plugin. */
    usedKey(direction: Direction, provider: string, keyId: string): void {
      const now = seconds()
      const known = used.get(
        JSON.stringify([direction, provider, keyId]),
        async (): Promise<Use> => [direction, provider, await hashOf(keyId), await identity()],
      )
      void known.then((values) => {
        uses.add(values)
        lastUse.set(values, now)
      })
    },
    /** A version 2 plugin reported its current key id. */
    reportedKey(provider: string, keyId: string): void {
      const now = seconds()
      const known = reported.get(
        JSON.stringify([provider, keyId]),
        async (): Promise<Report> => [provider, await hashOf(keyId), await identity()],
      )
      void known.then((values) => lastReport.set(values, now))
    },
  }
}
