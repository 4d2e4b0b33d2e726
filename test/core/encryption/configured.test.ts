/** Reloading of an EncryptionConfiguration, with a KMS plugin in a separate process and a manual clock. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseFeatureGates } from '../../../core/config/feature-gates.ts'
import { reloadReports } from '../../../core/config/reload-metrics.ts'
import { createEncryption } from '../../../core/encryption/configured.ts'
import { encryptionFileRows, unmeasured } from '../../../core/encryption/metrics.ts'
import { createMetrics } from '../../../core/meta/metrics/registry.ts'
import { builtInRows } from '../../../core/objects/registry/built-in.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Logger } from '../../../core/ports.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { ManualClock } from '../../support/clock.ts'
import { type KmsPlugin, startKmsPlugin } from '../../support/kms-plugin.ts'
import { eventually } from '../../support/wait.ts'
import { configuration, file, keyOf, keys, MemoryFile, secrets } from './support.ts'

let plugin: KmsPlugin
before(async () => {
  plugin = await startKmsPlugin()
})
after(() => plugin.stop())

const platform = createPlatform()
const kms = (name = 'vault') => ({ kms: { apiVersion: 'v2', name, endpoint: plugin.endpoint } })

async function follow(text: string) {
  const clock = new ManualClock()
  const files = new MemoryFile(text)
  const lines: string[] = []
  const log = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug() {}, info: log, warn: log, error: log }
  const encryption = await createEncryption(
    { file, automaticReload: true },
    {
      platform,
      gates: parseFeatureGates([], platform),
      ports: { clock, files, outbound: createOutbound(), telemetry: { logger } },
      prefix: '/registry',
      definitions: builtInRows(builtInResources, platform),
      measures: unmeasured,
      reloads: reloadReports(createMetrics().record(encryptionFileRows), clock, ''),
    },
  )
  const raw = memoryStore()
  const store = encryption.decorate(raw)
  let count = 0
  /** Prefix of a value that is written now. */
  const prefix = async () => {
    const key = keyOf(`s${count++}`)
    await store.put(key, new TextEncoder().encode('{}'), 0)
    return Buffer.from((await raw.get(key)).kv?.value.subarray(0, 27) ?? '').toString()
  }
  const logs = (text: string, step = 0) =>
    eventually(text, async () => {
      clock.advance(step)
      return lines.some((line) => line.includes(text))
    })
  const [check] = encryption.checks
  assert.ok(check, 'the health check exists')
  return { clock, files, encryption, check, prefix, logs, lines }
}

test('the old content stays while a plugin of the new content is unhealthy; the new one is retried', async () => {
  const { files, encryption, check, prefix, logs, lines } = await follow(secrets({ aesgcm: keys(['k1', 1]) }))
  assert.match(await prefix(), /^k8s:enc:aesgcm:v1:k1:/)
  await plugin.behave({ healthz: 'sick' })
  files.write(secrets(kms(), { aesgcm: keys(['k1', 1]) }))
  await logs('encryption configuration not reloaded; the last valid one stays in use', 1_000)
  assert.match(lines.join('\n'), /kms-provider-0: kmsv2 Provider vault is not healthy, error: got unexpected healthz status: sick/)
  assert.match(await prefix(), /^k8s:enc:aesgcm:v1:k1:/)
  await check.check()

  await plugin.behave({ healthz: 'ok' })
  await logs('encryption configuration reloaded', 10_000)
  assert.match(await prefix(), /^k8s:enc:kms:v2:vault:/)
  assert.equal(check.name, 'kms-providers')
  await check.check()
  encryption.close()
})

test('unchanged content is ignored', async () => {
  await plugin.reset()
  const { files, encryption, prefix, logs, lines } = await follow(secrets(kms()))
  const seeds = () => plugin.calls('v2.KeyManagementService/Encrypt')
  assert.equal(await seeds(), 1)
  files.write(secrets(kms()))
  files.write(secrets(kms(), { identity: {} }))
  await logs('encryption configuration reloaded')
  assert.match(await prefix(), /^k8s:enc:kms:v2:vault:/)
  assert.equal(await seeds(), 2, 'one more for the changed content')
  assert.equal(lines.length, 1)
  encryption.close()
})

test('providers of a resource in several entries are joined', async () => {
  await plugin.reset()
  const { encryption, prefix } = await follow(
    configuration(
      { resources: ['secrets'], providers: [{ aescbc: keys(['k2', 2]) }] },
      { resources: ['configmaps', 'secrets'], providers: [{ aesgcm: keys(['k1', 1]) }] },
    ),
  )
  assert.match(await prefix(), /^k8s:enc:aescbc:v1:k2:/)
  const raw = memoryStore()
  const old = await follow(secrets({ aesgcm: keys(['k1', 1]) }))
  await old.encryption.decorate(raw).put(keyOf('old'), new TextEncoder().encode('{"a":1}'), 0)
  const { kv } = await encryption.decorate(raw).get(keyOf('old'))
  assert.equal(new TextDecoder().decode(kv?.value), '{"a":1}')
  assert.equal(kv?.isStale?.(), true)
  encryption.close()
  old.encryption.close()
})
