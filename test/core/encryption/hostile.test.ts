/** Hostile values in the store are read or refused with a TransformError: no other error, and never another plain text. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { aesGcm } from '../../../core/encryption/aes-gcm.ts'
import { envelopeV1 } from '../../../core/encryption/kms/envelope-v1.ts'
import { envelopeV2 } from '../../../core/encryption/kms/envelope-v2.ts'
import { rotatingKey } from '../../../core/encryption/kms/write-key.ts'
import { transformerOf } from '../../../core/encryption/providers.ts'
import { TransformError, type Transformer } from '../../../core/encryption/transformer.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { ManualClock } from '../../support/clock.ts'
import fc from '../../support/fast-check.ts'
import { silentLogger } from '../../support/logger.ts'
import { trials } from '../../support/soak.ts'
import { keys } from './support.ts'

const clock = new ManualClock()
const path = new TextEncoder().encode('/registry/secrets/default/x')
const plain = new TextEncoder().encode('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}')

const context = { outbound: createOutbound(), clock, logger: silentLogger }
/** A KMS plugin in this process that wraps keys with AES-GCM. */
const wrap = await aesGcm(new Uint8Array(32).fill(9))
const encrypt = (key: Uint8Array) => wrap.toStored(key, path)
const decrypt = async (key: Uint8Array) => (await wrap.fromStored(key, path)).bytes
const serviceV2 = {
  status: async () => ({ version: 'v2', healthz: 'ok', keyId: '1' }),
  encrypt: async (key: Uint8Array) => ({ ciphertext: await encrypt(key), keyId: '1', annotations: new Map([['a.b', new Uint8Array(3)]]) }),
  decrypt: ({ ciphertext }: { readonly ciphertext: Uint8Array }) => decrypt(ciphertext),
}
const key = rotatingKey(serviceV2, 'vault', clock)
before(() => key.check())

const rows: readonly { readonly name: string; readonly transformer: Transformer; readonly authenticates: boolean }[] = [
  { name: 'aesgcm', transformer: await transformerOf([{ aesgcm: keys(['k', 1]) }], context, []), authenticates: true },
  { name: 'aescbc', transformer: await transformerOf([{ aescbc: keys(['k', 1]) }], context, []), authenticates: false },
  { name: 'secretbox', transformer: await transformerOf([{ secretbox: keys(['k', 1]) }], context, []), authenticates: true },
  {
    name: 'all, identity last',
    transformer: await transformerOf(
      [{ aesgcm: keys(['k', 1]) }, { aescbc: keys(['k', 1]) }, { secretbox: keys(['k', 1]) }, { identity: {} }],
      context,
      [],
    ),
    authenticates: false,
  },
  { name: 'kms v1', transformer: envelopeV1({ encrypt, decrypt }, 10), authenticates: false },
  { name: 'kms v2', transformer: envelopeV2(serviceV2, key), authenticates: true },
]

/** The plain text of stored bytes; undefined when they are refused. */
async function attempt(transformer: Transformer, stored: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return (await transformer.fromStored(stored, path)).bytes
  } catch (error) {
    assert.ok(error instanceof TransformError, `a TransformError, not ${error instanceof Error ? error.stack : String(error)}`)
    return undefined
  }
}

for (const { name, transformer, authenticates } of rows) {
  test(`${name}: truncated, modified and random values`, async () => {
    const stored = await transformer.toStored(plain, path)
    const changed = fc.oneof(
      fc.nat(stored.length - 1).map((length) => stored.slice(0, length)),
      fc.tuple(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => stored.with(at, (stored[at] ?? 0) ^ bits)),
      fc.uint8Array({ maxLength: 200 }).map((tail) => new Uint8Array([...stored.subarray(0, 25), ...tail])),
      fc.uint8Array({ maxLength: 100 }),
    )
    await fc.assert(
      fc.asyncProperty(changed, async (bytes) => {
        const read = await attempt(transformer, bytes)
        if (authenticates) assert.ok(read === undefined || Buffer.from(read).equals(plain), 'modified values are refused')
      }),
      { numRuns: trials(300, 20_000) },
    )
    assert.deepEqual(await attempt(transformer, stored), plain)
  })
}
