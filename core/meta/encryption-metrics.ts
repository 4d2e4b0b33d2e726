/** Metrics of encryption at rest, with the reference server's names. */
import type { Clock } from '../ports.ts'
import { hashOf } from '../schema/digest.ts'
import { Recent } from '../storage/encryption/kms/recent.ts'
import type { Direction, EncryptionObserver } from '../storage/encryption/observer.ts'
import type { MetricsRegistry } from './metrics.ts'
import { createReloadMetrics, type ReloadMetrics } from './reload-metrics.ts'

export interface EncryptionMetrics extends EncryptionObserver, ReloadMetrics {}

/** Maximum tracked plugin keys; series of the least recently used ones are removed. */
const maxKeys = 100
const storage = 'apiserver_storage'
const envelope = 'apiserver_envelope_encryption'

const doubling = (first: number, count: number) => Array.from({ length: count }, (_, power) => first * 2 ** power)

type Transformations = Pick<EncryptionObserver, 'transformed' | 'madeKey' | 'missedKey'>

function transformations(registry: MetricsRegistry): Transformations {
  const durations = registry.histogram(
    `${storage}_transformation_duration_seconds`,
    'Duration of the encryption or decryption of a value, in seconds.',
    ['transformation_type', 'transformer_prefix'],
    doubling(5e-6, 25),
  )
  const operations = registry.counter(`${storage}_transformation_operations_total`, 'Encryptions and decryptions of values.', [
    'resource',
    'transformation_type',
    'transformer_prefix',
    'status',
  ])
  const misses = registry.counter(
    `${storage}_envelope_transformation_cache_misses_total`,
    'Keys decrypted by a plugin because they were not cached.',
    [],
  )
  const made = registry.histogram(
    `${storage}_data_key_generation_duration_seconds`,
    'Duration of data key generation, in seconds.',
    [],
    doubling(5e-6, 14),
  )
  registry.counter(`${storage}_data_key_generation_failures_total`, 'Failed data key generations.', [])
  return {
    transformed(resource, direction, prefix, code, milliseconds) {
      operations.add([resource, direction, prefix, code])
      if (code === 'OK') durations.observe([direction, prefix], milliseconds / 1000)
    },
    madeKey: (milliseconds) => made.observe([], milliseconds / 1000),
    missedKey: () => misses.add([]),
  }
}

function versionOne(registry: MetricsRegistry, clock: Clock): Pick<EncryptionObserver, 'arrived' | 'filledCache'> {
  const filled = registry.gauge(`${envelope}_dek_cache_fill_percent`, 'Fill ratio of the cache of keys (KMS v1).', [])
  const between = registry.histogram(
    `${envelope}_dek_cache_inter_arrival_time_seconds`,
    'Time between two encryptions or decryptions (KMS v1), in seconds.',
    ['transformation_type'],
    doubling(60, 10),
  )
  const last = new Map<Direction, number>()
  return {
    arrived(direction) {
      const now = clock.now()
      between.observe([direction], (now - (last.get(direction) ?? now)) / 1000)
      last.set(direction, now)
    },
    filledCache: (share) => filled.set([], share),
  }
}

type Plugins = Pick<EncryptionObserver, 'called' | 'refusedKey' | 'keptSeeds'>

function plugins(registry: MetricsRegistry): Plugins {
  const calls = registry.histogram(
    `${envelope}_kms_operations_latency_seconds`,
    'Duration of a call to a KMS plugin, in seconds.',
    ['provider_name', 'method_name', 'grpc_status_code'],
    doubling(0.0001, 20),
  )
  const refused = registry.counter(
    `${envelope}_invalid_key_id_from_status_total`,
    'Status responses of a KMS plugin with an invalid key ID.',
    ['provider_name', 'error'],
  )
  const kept = registry.gauge(`${envelope}_dek_source_cache_size`, 'Cached decrypted seeds.', ['provider_name'])
  return {
    called: (provider, method, code, milliseconds) => calls.observe([provider, method, code], milliseconds / 1000),
    refusedKey: (provider, why) => refused.add([provider, why]),
    keptSeeds: (provider, count) => kept.set([provider], count),
  }
}

/** Key ids and the server's identity are hashed in labels. */
function keys(registry: MetricsRegistry, clock: Clock, server: string): Pick<EncryptionObserver, 'usedKey' | 'reportedKey'> {
  const labels = ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash']
  const total = registry.counter(`${envelope}_key_id_hash_total`, 'Values encrypted or decrypted under a key of a KMS plugin.', labels)
  const lastUse = registry.gauge(
    `${envelope}_key_id_hash_last_timestamp_seconds`,
    'Last use of a key of a KMS plugin, in seconds since the epoch.',
    labels,
  )
  const lastReport = registry.gauge(
    `${envelope}_key_id_hash_status_last_timestamp_seconds`,
    'Time when the status of a KMS plugin last had this key ID, in seconds since the epoch.',
    labels.slice(1),
  )
  const identity = hashOf(server)
  const used = new Recent<readonly string[]>(
    maxKeys,
    (gone) =>
      void gone.then((values) => {
        total.remove(values)
        lastUse.remove(values)
      }),
  )
  const reported = new Recent<readonly string[]>(maxKeys, (gone) => void gone.then((values) => lastReport.remove(values)))
  const seconds = () => clock.now() / 1000
  return {
    usedKey(direction, provider, keyId) {
      const now = seconds()
      const known = used.get(JSON.stringify([direction, provider, keyId]), async () => [
        direction,
        provider,
        await hashOf(keyId),
        await identity,
      ])
      void known.then((values) => {
        total.add(values)
        lastUse.set(values, now)
      })
    },
    reportedKey(provider, keyId) {
      const now = seconds()
      const known = reported.get(JSON.stringify([provider, keyId]), async () => [provider, await hashOf(keyId), await identity])
      void known.then((values) => lastReport.set(values, now))
    },
  }
}

/** `server` is this server's identity; empty: none. */
export function createEncryptionMetrics(registry: MetricsRegistry, clock: Clock, server = ''): EncryptionMetrics {
  return {
    ...transformations(registry),
    ...versionOne(registry, clock),
    ...plugins(registry),
    ...keys(registry, clock, server),
    ...createReloadMetrics(registry, clock, 'encryption', server),
  }
}
