/** Servers of one cluster that have different keys of service account tokens. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import type { KeyValueStore, Logger } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { startInProcess } from '../../../support/in-process.ts'

const newKey = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey

/** Starts a server on the store; returns its warnings about keys. */
async function warningsOf(t: TestContext, store: KeyValueStore, identity: string, signingKey: string, accepted = [signingKey]) {
  const warnings: object[] = []
  const warn = (fields: object, text: string) => {
    if (/keys of service accounts/.test(text)) warnings.push(fields)
  }
  const logger: Logger = { debug() {}, info() {}, warn, error() {} }
  const serviceAccounts = { signingKey, verificationKeys: accepted, issuers: ['https://own'], audiences: ['https://own'] } as const
  const options = { platform: createPlatform('kubernetes'), controllers: [], identity, hostname: `host-of-${identity}`, serviceAccounts }
  await startInProcess({ ...options, store, telemetry: { logger } }, t)
  return warnings
}

test('a server warns when tokens of another one would be refused, or its own would be', async (t) => {
  const [one, two] = [newKey(), newKey()]
  const store = memoryStore()
  assert.deepEqual(await warningsOf(t, store, 'first', one), [])
  assert.deepEqual(await warningsOf(t, store, 'same', one), [])
  const [warning, ...others] = await warningsOf(t, store, 'stranger', two)
  assert.deepEqual(
    [warning, ...others].map((each) => (each as { server: string }).server),
    ['first', 'same'],
  )
  // It accepts theirs, but they do not accept its own.
  assert.equal((await warningsOf(t, store, 'stranger', two, [two, one])).length, 2)
})

test('a server that accepts all keys, and signs with one that all accept, has nothing to warn of', async (t) => {
  const [one, two] = [newKey(), newKey()]
  const store = memoryStore()
  assert.deepEqual(await warningsOf(t, store, 'first', one, [one, two]), [])
  assert.deepEqual(await warningsOf(t, store, 'second', two, [two, one]), [])
})
