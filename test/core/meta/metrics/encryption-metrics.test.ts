/** Metrics of encryption at rest. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { encryptionRows, keyUses } from '../../../../core/encryption/metrics.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { ManualClock } from '../../../support/clock.ts'
import { type KmsPlugin, startKmsPlugin } from '../../../support/kms-plugin.ts'
import { eventually } from '../../../support/wait.ts'
import {
  configuration,
  keyOf,
  keys,
  type ServerSettings,
  secret,
  secretOf,
  secrets,
  secretsPath,
  startEncrypted,
} from '../../encryption/support.ts'

const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const envelope = 'apiserver_envelope_encryption'
const self = `apiserver_id_hash="${hash('server-1')}"`

let plugin: KmsPlugin
before(async () => {
  plugin = await startKmsPlugin()
})
beforeEach(() => plugin.reset())
after(() => plugin.stop())
const kms = (apiVersion: string, more: object = {}) => ({ kms: { apiVersion, name: 'vault', endpoint: plugin.endpoint, ...more } })

async function start(t: TestContext, text: string, settings: ServerSettings = {}) {
  const clock = new ManualClock()
  const server = await startEncrypted(text, { identity: 'server-1', clock, watchCache: false, ...settings })
  t.after(() => server.close())
  const content = async () => (await server.api.get<string>('/metrics')).body
  /** Samples of a metric, by their labels. */
  const samples = async (name: string): Promise<{ readonly [labels: string]: number }> =>
    Object.fromEntries(
      (await content())
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  /** Waits for the metric, because key IDs are hashed asynchronously. */
  const shows = (name: string, expected: { readonly [labels: string]: number }) =>
    eventually(name, async () => {
      assert.deepEqual(await samples(name), expected)
      return true
    })
  return { ...server, clock, text: content, samples, shows }
}

test('transformations are counted by resource, direction, transformer and result', async (t) => {
  const { api, store, samples, text } = await start(
    t,
    configuration({ resources: ['secrets', 'controllerrevisions.apps'], providers: [{ aesgcm: keys(['k1', 1]) }, { identity: {} }] }),
  )
  const operations = 'apiserver_storage_transformation_operations_total'
  assert.deepEqual(await samples(operations), {})
  await api.create(secretsPath, secret('a'))
  await api.get(`${secretsPath}/a`)
  await api.get(`${secretsPath}/a`)
  const data = { kind: 'ControllerRevision', apiVersion: 'apps/v1', metadata: { name: 'r' }, revision: 1, data: {} }
  await api.create('/apis/apps/v1/namespaces/default/controllerrevisions', data)
  await store.put(keyOf('plain'), Buffer.from(JSON.stringify(secret('plain'))), 0)
  await api.get(`${secretsPath}/plain`)
  await store.put(keyOf('broken'), Buffer.from('k8s:enc:aesgcm:v1:k1:x'), 0)
  await api.get(`${secretsPath}/broken`)
  await store.put(keyOf('foreign'), Buffer.from('k8s:enc:secretbox:v1:k1:x'), 0)
  await api.get(`${secretsPath}/foreign`)

  const ofSecrets = (direction: string, prefix: string, status: string) =>
    `{resource="secrets",status="${status}",transformation_type="${direction}",transformer_prefix="${prefix}"}`
  const ofRevisions = (prefix: string) =>
    `{resource="controllerrevisions.apps",status="OK",transformation_type="to_storage",transformer_prefix="${prefix}"}`
  const failed = 'unknown-non-grpc'
  assert.deepEqual(await samples(operations), {
    [ofSecrets('to_storage', 'k1:', 'OK')]: 1,
    [ofSecrets('to_storage', 'k8s:enc:aesgcm:v1:', 'OK')]: 1,
    [ofSecrets('from_storage', 'k1:', 'OK')]: 2,
    [ofSecrets('from_storage', 'k8s:enc:aesgcm:v1:', 'OK')]: 2,
    [ofRevisions('k1:')]: 1,
    [ofRevisions('k8s:enc:aesgcm:v1:')]: 1,
    [ofSecrets('from_storage', 'identity', 'OK')]: 1,
    [ofSecrets('from_storage', 'k1:', failed)]: 1,
    [ofSecrets('from_storage', 'k8s:enc:aesgcm:v1:', failed)]: 1,
    [ofSecrets('from_storage', 'unknown', failed)]: 1,
  })
  const durations = 'apiserver_storage_transformation_duration_seconds'
  assert.equal((await samples(`${durations}_count`))['{transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"}'], 2)
  const bounds = Object.keys(await samples(`${durations}_bucket`)).filter((labels) =>
    labels.includes('"to_storage",transformer_prefix="k1:"'),
  )
  assert.equal(bounds.length, 26)
  assert.match(bounds[0] ?? '', /,le="5e-06"\}$/)
  assert.match(bounds.at(-2) ?? '', /,le="83.88608"\}$/)
  assert.ok(!(await text()).includes(secretOf(1)), 'no secret is shown')
})

test('KMS v2: calls, hashed key IDs and cached keys; a rotated key and an unusable one', async (t) => {
  const { api, clock, samples, shows, text } = await start(t, secrets(kms('v2')))
  const calls = async (method: string, status = 'OK') =>
    (await samples(`${envelope}_kms_operations_latency_seconds_count`))[
      `{grpc_status_code="${status}",method_name="/v2.KeyManagementService/${method}",provider_name="vault"}`
    ]
  const key = (direction: string, id: string) =>
    `{${self},key_id_hash="${hash(id)}",provider_name="vault",transformation_type="${direction}"}`
  const reported = (id: string) => `{${self},key_id_hash="${hash(id)}",provider_name="vault"}`
  /** Triggers another status poll of the plugin. */
  const look = async () => {
    const before = (await calls('Status')) ?? 0
    const timers = clock.pending
    clock.advance(60_000)
    // Handling of a poll has ended when the timer of the next one is set.
    await eventually('a status poll', async () => ((await calls('Status')) ?? 0) > before && clock.pending >= timers)
  }

  const since = clock.now() / 1000
  await api.create(secretsPath, secret('a'))
  await api.get(`${secretsPath}/a`)
  assert.deepEqual([await calls('Status'), await calls('Encrypt'), await calls('Decrypt')], [1, 1, undefined])
  await shows(`${envelope}_key_id_hash_total`, { [key('to_storage', '1')]: 1, [key('from_storage', '1')]: 1 })
  assert.deepEqual(await samples(`${envelope}_dek_source_cache_size`), { '{provider_name="vault"}': 1 })
  assert.deepEqual(await samples('apiserver_storage_data_key_generation_duration_seconds_count'), { '': 1 })
  assert.deepEqual(await samples('apiserver_storage_data_key_generation_failures_total'), { '': 0 })
  assert.deepEqual(await samples('apiserver_storage_envelope_transformation_cache_misses_total'), { '': 0 })

  await plugin.behave({ keyId: '2' })
  await look()
  await api.create(secretsPath, secret('b'))
  await api.get(`${secretsPath}/a`)
  await shows(`${envelope}_key_id_hash_total`, {
    [key('to_storage', '1')]: 1,
    [key('from_storage', '1')]: 2,
    [key('to_storage', '2')]: 1,
  })
  await shows(`${envelope}_key_id_hash_last_timestamp_seconds`, {
    [key('to_storage', '1')]: since,
    [key('from_storage', '1')]: since + 60,
    [key('to_storage', '2')]: since + 60,
  })
  await shows(`${envelope}_key_id_hash_status_last_timestamp_seconds`, {
    [reported('1')]: since,
    [reported('2')]: since + 60,
  })
  assert.deepEqual(await samples(`${envelope}_dek_source_cache_size`), { '{provider_name="vault"}': 2 })

  assert.deepEqual(await samples(`${envelope}_invalid_key_id_from_status_total`), {})
  await plugin.behave({ keyId: '' })
  await look()
  await plugin.behave({ keyId: 'x'.repeat(1025) })
  await look()
  await plugin.behave({ failing: ['Status'] })
  clock.advance(60_000)
  await eventually('a call that fails', async () => (await calls('Status', 'FailedPrecondition')) === 1)
  assert.deepEqual(await samples(`${envelope}_invalid_key_id_from_status_total`), {
    '{error="empty",provider_name="vault"}': 1,
    '{error="too_long",provider_name="vault"}': 1,
  })
  assert.match(
    await text(),
    /_latency_seconds_bucket\{grpc_status_code="OK",method_name="[^"]*Status",provider_name="vault",le="52.4288"\}/,
  )
})

test('KMS v2: a restarted server requests seeds, and failures are counted by status', async (t) => {
  const first = await start(t, secrets(kms('v2')))
  await first.api.create(secretsPath, secret('a'))
  // A start reads one of the encrypted objects.
  await plugin.behave({ failing: ['Decrypt'] })
  const { api, samples } = await start(t, secrets(kms('v2')), { store: first.store })
  await plugin.behave({ failing: [] })
  await api.get(`${secretsPath}/a`)
  await api.get(`${secretsPath}/a`)
  assert.deepEqual(await samples('apiserver_storage_envelope_transformation_cache_misses_total'), { '': 2 })
  const labels = (status: string) =>
    `{resource="secrets",status="${status}",transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:vault:"}`
  assert.deepEqual(await samples('apiserver_storage_transformation_operations_total'), {
    [labels('FailedPrecondition')]: 1,
    [labels('OK')]: 2,
  })
})

test('KMS v1: each value has a new key, and the cache fills', async (t) => {
  const { api, clock, samples } = await start(t, secrets(kms('v1', { cachesize: 4 })), { gates: ['KMSv1'] })
  await api.create(secretsPath, secret('a'))
  clock.advance(90_000)
  await api.create(secretsPath, secret('b'))
  await api.get(`${secretsPath}/a`)
  assert.deepEqual(await samples(`${envelope}_dek_cache_fill_percent`), { '': 0.5 })
  const between = `${envelope}_dek_cache_inter_arrival_time_seconds`
  assert.deepEqual(await samples(`${between}_sum`), { '{transformation_type="to_storage"}': 90, '{transformation_type="from_storage"}': 0 })
  assert.deepEqual(await samples(`${between}_count`), {
    '{transformation_type="to_storage"}': 2,
    '{transformation_type="from_storage"}': 1,
  })
  assert.deepEqual(await samples('apiserver_storage_data_key_generation_duration_seconds_count'), { '': 2 })
  assert.deepEqual(await samples('apiserver_storage_envelope_transformation_cache_misses_total'), { '': 0 })
  assert.deepEqual(await samples(`${envelope}_kms_operations_latency_seconds_count`), {}, 'absent, as in kube-apiserver')
})

test('reloads of the file: successes, failures, times, and the hash of the active content', async (t) => {
  const controller = 'apiserver_encryption_config_controller'
  const text = secrets({ aesgcm: keys(['k1', 1]) })
  const { file, clock, samples, shows } = await start(t, text, { automaticReload: true })
  const reloads = () => samples(`${controller}_automatic_reloads_total`)
  const inUse = (content: string) => ({ [`{${self},hash="${hash(content)}"}`]: 1 })
  const row = (status: string) => `{${self},status="${status}"}`
  assert.deepEqual(await reloads(), {})
  await shows(`${controller}_last_config_info`, inUse(text))

  const since = clock.now() / 1000
  file.write('nonsense: [')
  await eventually('the failure', async () => (await reloads())[row('failure')] === 1)
  await shows(`${controller}_last_config_info`, inUse(text))
  clock.advance(5_000)
  const better = secrets({ aesgcm: keys(['k2', 2], ['k1', 1]) })
  file.write(better)
  await eventually('the success', async () => (await reloads())[row('success')] === 1)
  assert.deepEqual(await samples(`${controller}_automatic_reload_last_timestamp_seconds`), {
    [row('failure')]: since,
    [row('success')]: since + 5,
  })
  await shows(`${controller}_last_config_info`, inUse(better))
})

test('metrics keep at most a hundred key IDs, dropping the least recently used', async () => {
  const registry = createMetrics()
  const clock = new ManualClock()
  const metrics = keyUses(registry.record(encryptionRows), clock, 'server-1')
  for (let id = 0; id < 105; id++) {
    metrics.usedKey('to_storage', 'vault', String(id))
    metrics.reportedKey('vault', String(id))
    metrics.usedKey('to_storage', 'vault', '0')
  }
  const lines = (name: string) =>
    registry
      .text()
      .split('\n')
      .filter((line) => line.startsWith(`${envelope}_${name}{`))
  const names = ['key_id_hash_total', 'key_id_hash_last_timestamp_seconds', 'key_id_hash_status_last_timestamp_seconds']
  await eventually('hashes', async () => names.every((name) => lines(name).length === 100))
  assert.ok(
    lines('key_id_hash_total').some((line) => line.includes(hash('0')) && line.endsWith(' 106')),
    'the key in use stays',
  )
  assert.ok(!registry.text().includes(hash('1')), 'the oldest is dropped')
})
