import { counter, doubling, gauge, histogram } from '../metric-row.ts'

const storage = 'apiserver_storage'
const envelope = 'apiserver_envelope_encryption'
const pluginKey = ['provider_name', 'key_id_hash', 'apiserver_id_hash'] as const

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
  size: gauge('apiserver_storage_size_bytes', {
    stability: 'STABLE',
    help: 'Physical size of the database in bytes.',
    labels: ['storage_cluster_id'],
  }),
}

export const transformationRows = {
  durations: histogram(`${storage}_transformation_duration_seconds`, {
    help: 'Duration of the encryption or decryption of a value, in seconds.',
    labels: ['transformation_type', 'transformer_prefix'],
    buckets: doubling(5e-6, 25),
  }),
  operations: counter(`${storage}_transformation_operations_total`, {
    help: 'Encryptions and decryptions of values.',
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
    maxSeries: 10_000,
  }),
  misses: counter(`${storage}_envelope_transformation_cache_misses_total`, {
    help: 'Keys decrypted by a plugin because they were not cached.',
  }),
  made: histogram(`${storage}_data_key_generation_duration_seconds`, {
    help: 'Duration of data key generation, in seconds.',
    buckets: doubling(5e-6, 14),
  }),
  failures: counter(`${storage}_data_key_generation_failures_total`, { help: 'Failed data key generations.' }),
}

/** KMS v1. */
export const keyCacheRows = {
  filled: gauge(`${envelope}_dek_cache_fill_percent`, { help: 'Fill ratio of the cache of keys (KMS v1).' }),
  between: histogram(`${envelope}_dek_cache_inter_arrival_time_seconds`, {
    help: 'Time between two encryptions or decryptions (KMS v1), in seconds.',
    labels: ['transformation_type'],
    buckets: doubling(60, 10),
  }),
}

export const kmsRows = {
  calls: histogram(`${envelope}_kms_operations_latency_seconds`, {
    help: 'Duration of a call to a KMS plugin, in seconds.',
    labels: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: doubling(0.0001, 20),
  }),
  refused: counter(`${envelope}_invalid_key_id_from_status_total`, {
    help: 'Status responses of a KMS plugin with an invalid key ID.',
    labels: ['provider_name', 'error'],
  }),
  kept: gauge(`${envelope}_dek_source_cache_size`, { help: 'Cached decrypted seeds.', labels: ['provider_name'] }),
  uses: counter(`${envelope}_key_id_hash_total`, {
    help: 'Values encrypted or decrypted under a key of a KMS plugin.',
    labels: ['transformation_type', ...pluginKey],
  }),
  lastUse: gauge(`${envelope}_key_id_hash_last_timestamp_seconds`, {
    help: 'Last use of a key of a KMS plugin, in seconds since the epoch.',
    labels: ['transformation_type', ...pluginKey],
  }),
  lastReport: gauge(`${envelope}_key_id_hash_status_last_timestamp_seconds`, {
    help: 'Time when the status of a KMS plugin last had this key ID, in seconds since the epoch.',
    labels: pluginKey,
  }),
}
