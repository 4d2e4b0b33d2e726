/** KMS v1 with a plugin in a separate process. */
import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { serviceV1 } from '../../../../core/encryption/kms/service-v1.ts'
import { type Plugin, transformerOf } from '../../../../core/encryption/providers.ts'
import { TransformError, type Transformer } from '../../../../core/encryption/transformer.ts'
import { concatenate } from '../../../../core/schema/bytes.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { ManualClock } from '../../../support/clock.ts'
import { type KmsPlugin, startKmsPlugin } from '../../../support/kms-plugin.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { bytes, isRead, path, plain } from '../stored-secret.ts'

const prefix = bytes('k8s:enc:kms:v1:vault:')
const method = (name: string) => `v1beta1.KeyManagementService/${name}`

let plugin: KmsPlugin
let clock: ManualClock
let plugins: Plugin[]
const outbound = createOutbound()
const options = () => ({ name: 'vault', endpoint: plugin.endpoint, timeout: 60_000 })
const connect = (cachesize = 1_000, timeout = 60_000): Promise<Transformer> =>
  transformerOf([{ kms: { apiVersion: 'v1', cachesize, ...options(), timeout } }], { outbound, clock, logger: silentLogger }, plugins)
const write = (transformer: Transformer) => transformer.toStored(plain, path)
const fails = (pattern: RegExp) => (error: unknown) => error instanceof TransformError && pattern.test(error.message)
const check = () => {
  const [{ probe }] = plugins as [Plugin]
  return probe.check()
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

test('each value has its own key: key length, encrypted key, value', async () => {
  const transformer = await connect()
  const stored = await write(transformer)
  assert.deepEqual(stored.subarray(0, prefix.length), prefix)
  const length = ((stored[prefix.length] ?? 0) << 8) | (stored[prefix.length + 1] ?? 0)
  assert.equal(length, 1 + 12 + 32 + 16, "the plugin's id, nonce, key and tag")
  assert.equal(stored.length, prefix.length + 2 + length + 12 + plain.length + 16)
  isRead(await transformer.fromStored(stored, path), false)
  await write(transformer)
  assert.equal(await plugin.calls(method('Encrypt')), 2)
  assert.equal(await plugin.calls(method('Version')), 1)
  await assert.rejects(transformer.fromStored(stored, bytes('/elsewhere')), fails(/cipher: message authentication failed/))
})

test('caches decrypted keys up to the cache size', async () => {
  const writer = await connect()
  const [a, b, c] = [await write(writer), await write(writer), await write(writer)]
  const decrypted = async (cachesize: number, ...values: readonly Uint8Array[]) => {
    const earlier = await plugin.calls(method('Decrypt'))
    const reader = await connect(cachesize)
    for (const value of values) isRead(await reader.fromStored(value, path), false)
    return (await plugin.calls(method('Decrypt'))) - earlier
  }
  assert.equal(await decrypted(2, a, b, a, b, b), 2)
  assert.equal(await decrypted(2, a, b, c, a), 4, 'the least recently used key is evicted')
  assert.equal(await decrypted(2, a, b, a, c, a), 3)
  assert.equal(await decrypted(-1, a, a, a), 3, 'a negative size disables the cache')
})

test('values written with AES-CBC by older releases are read, and stale', async () => {
  const key = randomBytes(32)
  const encrypted = await serviceV1(outbound, options()).encrypt(key)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const stored = concatenate([prefix, Uint8Array.of(0, encrypted.length), encrypted, iv, cipher.update(plain), cipher.final()])
  isRead(await (await connect()).fromStored(stored, path), true)
})

test('a plugin with another version is refused until it is replaced', async () => {
  await plugin.behave({ version: 'v9' })
  const transformer = await connect()
  await assert.rejects(write(transformer), fails(/^KMS provider api version v9 is not supported, only v1beta1 is supported now$/))
  await plugin.behave({ version: 'v1beta1' })
  isRead(await transformer.fromStored(await write(transformer), path), false)
})

test('the health check encrypts and decrypts a sample, and its result is cached', async () => {
  await connect()
  await Promise.all([check(), check()])
  await check()
  assert.equal(await plugin.calls(method('Encrypt')), 1)
  assert.equal(await plugin.calls(method('Decrypt')), 1)
  await plugin.behave({ failing: ['Decrypt'] })
  await check()
  clock.advance(20_000)
  const failure =
    /^failed to perform decrypt section of the healthz check for KMS Provider vault, error: rpc error: code = FailedPrecondition/
  await assert.rejects(check(), fails(failure))
  await plugin.behave({ failing: [] })
  await assert.rejects(check(), fails(failure))
  clock.advance(3_000)
  await check()
})

test('truncated values are refused', async () => {
  const transformer = await connect()
  const stored = await write(transformer)
  for (const length of [prefix.length, prefix.length + 1, prefix.length + 2, prefix.length + 40])
    await assert.rejects(
      transformer.fromStored(stored.subarray(0, length), path),
      fails(/^invalid data encountered by envelope transformer: failed to read uint16 length prefixed data$/),
      `${length} bytes`,
    )
})

test('when the plugin is down, cached keys still serve reads and writes fail', async () => {
  const timeout = 500
  const transformer = await connect(1_000, timeout)
  const stored = await eventually('a write in so short a time', () => write(transformer))
  await plugin.kill()
  isRead(await transformer.fromStored(stored, path), false)
  const complaint =
    /^rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix \/.*: connect: connection refused"$/
  await eventually('the error is logged', () =>
    write(transformer).then(
      () => false,
      (error: Error) => complaint.test(error.message),
    ),
  )
  await assert.rejects(
    (await connect(1_000, timeout)).fromStored(stored, path),
    fails(/failed get version from remote KMS provider: rpc error: code = DeadlineExceeded/),
  )
  await plugin.start()
})

test('writes during a restart of the plugin are delayed, not failed', async () => {
  const transformer = await connect()
  const written: Uint8Array[] = []
  let restarted = false
  const writer = async () => {
    while (!restarted) written.push(await write(transformer))
    written.push(await write(transformer))
  }
  const writers = Array.from({ length: 8 }, writer)
  await eventually('writes', async () => written.length > 50)
  await plugin.end()
  const meanwhile = written.length
  await plugin.start()
  restarted = true
  await Promise.all(writers)
  assert.ok(written.length >= meanwhile + writers.length, 'every writer continues')
  for (const stored of written.slice(-8)) isRead(await transformer.fromStored(stored, path), false)
})
