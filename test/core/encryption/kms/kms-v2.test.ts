/** KMS v2 with a plugin in a separate process and a manual clock. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { EncryptedObject } from '../../../../core/encryption/kms/messages.ts'
import { type Plugin, transformerOf } from '../../../../core/encryption/providers.ts'
import { type Plain, TransformError, type Transformer } from '../../../../core/encryption/transformer.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { ManualClock } from '../../../support/clock.ts'
import { type KmsPlugin, startKmsPlugin } from '../../../support/kms-plugin.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { bytes, isRead, path, plain } from '../stored-secret.ts'

const prefix = 'k8s:enc:kms:v2:vault:'
const encrypts = 'v2.KeyManagementService/Encrypt'
const decrypts = 'v2.KeyManagementService/Decrypt'
const statuses = 'v2.KeyManagementService/Status'

let plugin: KmsPlugin
let clock: ManualClock
let plugins: Plugin[]
const outbound = createOutbound()

/** Connects as one replica of the server would; several share the plugin. */
const connect = (timeout = 60_000): Promise<Transformer> =>
  transformerOf(
    [{ kms: { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint, timeout } }],
    { outbound, clock, logger: silentLogger },
    plugins,
  )
const write = (transformer: Transformer) => transformer.toStored(plain, path)
const read = (transformer: Transformer, stored: Uint8Array): Promise<Plain> => transformer.fromStored(stored, path)
const objectOf = (stored: Uint8Array) => EncryptedObject.decode(stored.subarray(prefix.length))
const fails = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TransformError, `a TransformError, not ${String(error)}`)
  assert.match(error.message, pattern)
  return true
}
const check = () => {
  const [{ probe }] = plugins as [Plugin]
  return probe.check()
}

/** Advances the clock until the plugin's status has been polled once more. */
async function pass(milliseconds: number): Promise<void> {
  const seen = await plugin.calls(statuses)
  clock.advance(milliseconds)
  await eventually('a status poll', async () => (await plugin.calls(statuses)) > seen && clock.pending > 0)
}

before(async () => {
  plugin = await startKmsPlugin()
})
after(() => plugin.stop())
beforeEach(async () => {
  clock = new ManualClock()
  plugins = []
  await plugin.reset()
})
afterEach(() => {
  for (const { probe } of plugins) probe.close()
})

describe('a healthy KMS v2 plugin', () => {
  test('one seed serves all writes; other replicas decrypt it once', async () => {
    await plugin.behave({ annotations: { 'version.vault.example.com': '7' } })
    const writer = await connect()
    const values = await Promise.all(Array.from({ length: 20 }, () => write(writer)))
    for (const value of values) isRead(await read(writer, value), false)
    assert.equal(await plugin.calls(encrypts), 1, 'the seed is encrypted once')
    assert.equal(await plugin.calls(decrypts), 0, 'the replica that made the seed does not decrypt it')

    const [first, second] = values.map(objectOf)
    assert.ok(first && second, 'two values')
    assert.equal(first.keyId, '1')
    assert.equal(first.encryptedDekSourceType, 1, 'a seed')
    assert.equal(Buffer.from(first.annotations.get('version.vault.example.com') ?? '').toString(), '7')
    assert.deepEqual(first.encryptedDekSource, second.encryptedDekSource)
    assert.notDeepEqual(first.encryptedData.subarray(0, 32), second.encryptedData.subarray(0, 32))

    const reader = await connect()
    await Promise.all(values.map((value) => read(reader, value)))
    assert.equal(await plugin.calls(decrypts), 1)
  })

  test('values can only be read under their own store key', async () => {
    const transformer = await connect()
    const stored = await write(transformer)
    await assert.rejects(
      transformer.fromStored(stored, bytes('/registry/secrets/default/y')),
      fails(/^cipher: message authentication failed$/),
    )
  })

  test('a new key ID of the plugin gives a new seed and makes old values stale', async () => {
    const transformer = await connect()
    const old = await write(transformer)
    await plugin.behave({ keyId: '2' })
    assert.equal(objectOf(await write(transformer)).keyId, '1', 'the new key ID is not known yet')
    await pass(60_000)
    await eventually('the new seed', async () => objectOf(await write(transformer)).keyId === '2')
    assert.equal(await plugin.calls(encrypts), 2)
    isRead(await read(transformer, old), true)
    isRead(await read(transformer, await write(transformer)), false)
    await pass(60_000)
    assert.equal(await plugin.calls(encrypts), 2, 'an unchanged key ID keeps the seed')
  })

  test('the status is cached', async () => {
    await connect()
    await Promise.all([check(), check(), check()])
    assert.equal(await plugin.calls(statuses), 1)
    clock.advance(20_000)
    await Promise.all([check(), check()])
    assert.equal(await plugin.calls(statuses), 2)
  })
})

describe('a failing KMS v2 plugin', () => {
  test('missing at start: reads and writes fail until it appears', async () => {
    await plugin.kill()
    const transformer = await connect(500)
    const complaint =
      /^failed to perform status section of the healthz check for KMS Provider vault, error: rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix \/.*: connect: connection refused"$/
    await eventually('the error is logged', async () => {
      clock.advance(10_000)
      return check().then(
        () => false,
        (error: Error) => complaint.test(error.message),
      )
    })
    await assert.rejects(write(transformer), fails(/^got unexpected nil transformer$/))
    await plugin.start()
    await eventually('the plugin', async () => {
      clock.advance(10_000)
      return write(transformer).then(
        () => true,
        () => false,
      )
    })
    isRead(await read(transformer, await write(transformer)), false)
  })

  test('stopped: known keys serve reads without limit and writes for three minutes', async () => {
    const transformer = await connect()
    const stored = await write(transformer)
    await plugin.kill()
    clock.advance(179_000)
    isRead(await read(transformer, await write(transformer)), false)
    clock.advance(2_000)
    await assert.rejects(
      write(transformer),
      fails(/^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at \S+Z \(current time is \S+Z\)$/),
    )
    isRead(await read(transformer, stored), false)
    await plugin.start()
    await eventually('writes again', async () => {
      clock.advance(10_000)
      return write(transformer).then(
        () => true,
        () => false,
      )
    })
  })

  const unwell = [
    { behaviour: { healthz: 'sick' }, pattern: /^kmsv2 Provider vault is not healthy, error: got unexpected healthz status: sick$/ },
    { behaviour: { version: 'v3' }, pattern: /expected KMSv2 API version v2, got v3/ },
    { behaviour: { keyId: '' }, pattern: /got invalid KMSv2 KeyID hash "": keyID is empty/ },
    { behaviour: { keyId: 'x'.repeat(1025) }, pattern: /keyID is 1025 bytes, which exceeds the max size of 1024/ },
    {
      behaviour: { encryptKeyId: '9' },
      pattern: /failed to rotate DEK errGen=<nil>, statusKeyIDHash="sha256:\w+", encryptKeyIDHash="sha256:\w+"/,
    },
    { behaviour: { ciphertextLength: 0 }, pattern: /failed to validate encrypted DEK source: encrypted DEK source is empty/ },
    { behaviour: { ciphertextLength: 1025 }, pattern: /encrypted DEK source is 1025 bytes, which exceeds the max size of 1024/ },
    { behaviour: { annotations: { short: 'x' } }, pattern: /failed to validate annotations: .*at least two segments/ },
    {
      behaviour: { annotations: { 'a.b': 'x'.repeat(32 * 1024) } },
      pattern: /total size of annotations is 32771, which exceeds the max size of 32768/,
    },
    {
      behaviour: { failing: ['Encrypt'] },
      pattern: /failed to encrypt DEK, error: rpc error: code = FailedPrecondition desc = the key is locked away/,
    },
    { behaviour: { failing: ['Status'] }, pattern: /status section .*rpc error: code = FailedPrecondition/ },
  ]
  for (const { behaviour, pattern } of unwell) {
    test(`${JSON.stringify(behaviour).slice(0, 60)}: the error is reported`, async () => {
      await plugin.behave(behaviour)
      await connect()
      await assert.rejects(check(), fails(pattern))
    })
  }

  test('slow: calls time out', async () => {
    await plugin.behave({ delay: 2_000 })
    await connect(100)
    await assert.rejects(check(), fails(/rpc error: code = DeadlineExceeded desc = context deadline exceeded$/))
  })

  test('a key that could not be decrypted is requested again', async () => {
    const stored = await write(await connect())
    const reader = await connect()
    await plugin.behave({ failing: ['Decrypt'] })
    await assert.rejects(
      read(reader, stored),
      fails(/^failed to decrypt DEK, error: rpc error: code = FailedPrecondition desc = the key is locked away$/),
    )
    await plugin.behave({ failing: [] })
    isRead(await read(reader, stored), false)
  })

  test('wrong key: the value is not read', async () => {
    const stored = await write(await connect())
    await plugin.behave({ lies: true })
    await assert.rejects(read(await connect(), stored), fails(/^cipher: message authentication failed$/))
  })
})
