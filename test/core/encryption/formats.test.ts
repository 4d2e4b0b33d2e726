/** Stored formats of encrypted values, compatible with kube-apiserver; checked against node:crypto and published vectors. */
import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aesCbc } from '../../../core/encryption/aes-cbc.ts'
import { aesGcm } from '../../../core/encryption/aes-gcm.ts'
import { byPrefix, either } from '../../../core/encryption/choice.ts'
import { derivedKeys } from '../../../core/encryption/derived-keys.ts'
import { identity } from '../../../core/encryption/identity.ts'
import { EncryptedObject } from '../../../core/encryption/kms/messages.ts'
import { secretbox } from '../../../core/encryption/secretbox.ts'
import { TransformError, type Transformer } from '../../../core/encryption/transformer.ts'
import { bytes, isRead, path, plain } from './stored-secret.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const toHex = (value: Uint8Array) => Buffer.from(value).toString('hex')

const failsWith = (message: string) => (error: unknown) => error instanceof TransformError && error.message === message

async function readsBack(transformer: Transformer): Promise<void> {
  for (const length of [0, 1, 15, 16, 17, 100_000]) {
    const value = new Uint8Array(randomBytes(length))
    const read = await transformer.fromStored(await transformer.toStored(value, path), path)
    assert.equal(toHex(read.bytes), toHex(value), `${length} bytes`)
    assert.equal(read.isStale(), false)
  }
}

describe('aesgcm', () => {
  for (const length of [16, 24, 32]) {
    test(`AES-${length * 8}-GCM: nonce, ciphertext, tag; the store key is authenticated`, async () => {
      const key = randomBytes(length)
      const transformer = await aesGcm(key)
      await readsBack(transformer)

      const stored = Buffer.from(await transformer.toStored(plain, path))
      const algorithm = `aes-${length * 8}-gcm` as 'aes-256-gcm'
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, 12)).setAAD(path).setAuthTag(stored.subarray(-16))
      assert.equal(Buffer.concat([decipher.update(stored.subarray(12, -16)), decipher.final()]).toString(), '{"kind":"Secret"}')

      const nonce = randomBytes(12)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(path)
      const foreign = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      assert.deepEqual((await transformer.fromStored(foreign, path)).bytes, plain)
      const elsewhere = transformer.fromStored(foreign, bytes('/registry/secrets/default/y'))
      await assert.rejects(elsewhere, failsWith('cipher: message authentication failed'))
    })
  }

  test('a published vector (GCM specification, test case 16)', async () => {
    const transformer = await aesGcm(hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'))
    const stored = hex(
      'cafebabefacedbaddecaf888522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
    )
    const read = await transformer.fromStored(stored, hex('feedfacedeadbeeffeedfacedeadbeefabaddad2'))
    assert.equal(
      toHex(read.bytes),
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    )
  })

  test('refuses short values and keys of other lengths', async () => {
    const transformer = await aesGcm(randomBytes(32))
    await assert.rejects(transformer.fromStored(new Uint8Array(11), path), failsWith('the stored data was shorter than the required size'))
    await assert.rejects(transformer.fromStored(new Uint8Array(12), path), failsWith('cipher: message authentication failed'))
    await assert.rejects(aesGcm(randomBytes(31)), failsWith('crypto/aes: invalid key size 31'))
  })
})

describe('aescbc', () => {
  const key = randomBytes(32)

  test('initialization vector, padded ciphertext', async () => {
    const transformer = await aesCbc(key)
    await readsBack(transformer)
    const stored = Buffer.from(await transformer.toStored(plain, path))
    const decipher = createDecipheriv('aes-256-cbc', key, stored.subarray(0, 16))
    assert.equal(Buffer.concat([decipher.update(stored.subarray(16)), decipher.final()]).toString(), '{"kind":"Secret"}')
    const iv = randomBytes(16)
    const cipher = createCipheriv('aes-256-cbc', key, iv)
    assert.deepEqual((await transformer.fromStored(Buffer.concat([iv, cipher.update(plain), cipher.final()]), path)).bytes, plain)
  })

  test('accepts shorter keys of existing clusters', async () => {
    for (const bytes of [16, 24]) {
      const short = randomBytes(bytes)
      const transformer = await aesCbc(short)
      await readsBack(transformer)
      const stored = Buffer.from(await transformer.toStored(plain, path))
      const decipher = createDecipheriv(`aes-${bytes * 8}-cbc`, short, stored.subarray(0, 16))
      assert.equal(Buffer.concat([decipher.update(stored.subarray(16)), decipher.final()]).toString(), '{"kind":"Secret"}')
    }
  })

  test('refuses values that are empty, not whole blocks or badly padded', async () => {
    const transformer = await aesCbc(key)
    const rows = [
      [0, 'the stored data was shorter than the required size'],
      [15, 'the stored data was shorter than the required size'],
      [16, 'invalid PKCS7 data (empty or not padded)'],
      [17, 'the stored data is not a multiple of the block size'],
    ] as const
    for (const [length, message] of rows) await assert.rejects(transformer.fromStored(new Uint8Array(length), path), failsWith(message))
    const iv = randomBytes(16)
    const unpadded = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
    const stored = Buffer.concat([iv, unpadded.update(new Uint8Array(16)), unpadded.final()])
    await assert.rejects(transformer.fromStored(stored, path), failsWith('invalid padding on input'))
  })
})

describe('secretbox', () => {
  test('a test vector of NaCl: nonce, tag, ciphertext', async () => {
    const transformer = secretbox(hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389'))
    const nonce = '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'
    const box =
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5'
    const message =
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705'
    assert.equal(toHex((await transformer.fromStored(hex(nonce + box), path)).bytes), message)
    await readsBack(transformer)
  })

  test('refuses short and modified values', async () => {
    const transformer = secretbox(randomBytes(32))
    await assert.rejects(transformer.fromStored(new Uint8Array(39), path), failsWith('the stored data was shorter than the required size'))
    await assert.rejects(transformer.fromStored(new Uint8Array(40), path), failsWith('output array was not large enough for encryption'))
  })
})

describe('keys derived from a seed', () => {
  test('32 bytes of info, then AES-256-GCM under the first block of HKDF-Expand', async () => {
    const seed = randomBytes(32)
    const transformer = await derivedKeys(seed)
    await readsBack(transformer)
    const stored = Buffer.from(await transformer.toStored(plain, path))
    const [info, nonce] = [stored.subarray(0, 32), stored.subarray(32, 44)]
    const key = createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest()
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(path).setAuthTag(stored.subarray(-16))
    assert.equal(Buffer.concat([decipher.update(stored.subarray(44, -16)), decipher.final()]).toString(), '{"kind":"Secret"}')
    const again = Buffer.from(await transformer.toStored(plain, path))
    assert.notDeepEqual(again.subarray(0, 32), info, 'each value has a new key')
    await assert.rejects(derivedKeys(randomBytes(31)), failsWith('invalid seed length 31 used for key generation'))
  })
})

describe('choice', () => {
  test('writes with the first transformer, reads with any; values of the others are stale', async () => {
    const [one, two] = [secretbox(new Uint8Array(32).fill(1)), secretbox(new Uint8Array(32).fill(2))]
    const before = byPrefix({ prefix: 'k8s:enc:secretbox:v1:one:', transformer: one }, [], 'none')
    const after = byPrefix(
      { prefix: 'k8s:enc:secretbox:v1:two:', transformer: two },
      [{ prefix: 'k8s:enc:secretbox:v1:one:', transformer: one }],
      'none',
    )
    const old = await before.toStored(plain, path)
    assert.equal(Buffer.from(old.subarray(0, 25)).toString(), 'k8s:enc:secretbox:v1:one:')
    isRead(await after.fromStored(old, path), true)
    isRead(await after.fromStored(await after.toStored(plain, path), path), false)
    await assert.rejects(before.fromStored(await after.toStored(plain, path), path), failsWith('none'))
  })

  test('transformers with the same prefix are tried in order', async () => {
    const prefix = 'k8s:enc:aesgcm:v1:'
    const [one, two] = [await aesGcm(new Uint8Array(32).fill(1)), await aesGcm(new Uint8Array(32).fill(2))]
    const both = byPrefix({ prefix, transformer: one }, [{ prefix, transformer: two }], 'none')
    const stored = await byPrefix({ prefix, transformer: two }, [], 'none').toStored(plain, path)
    isRead(await both.fromStored(stored, path), true)
    await assert.rejects(both.fromStored(bytes(`${prefix}aaaaaaaaaaaaaaaaaaaa`), path), failsWith('cipher: message authentication failed'))
  })

  test('identity does not change values, and refuses to read encrypted ones', async () => {
    const both = byPrefix(
      { prefix: '', transformer: identity },
      [{ prefix: 'k8s:enc:aesgcm:v1:', transformer: await aesGcm(randomBytes(32)) }],
      'none',
    )
    assert.deepEqual(await both.toStored(plain, path), plain)
    isRead(await both.fromStored(plain, path), false)
    await assert.rejects(identity.fromStored(bytes('k8s:enc:x'), path), failsWith('identity transformer tried to read encrypted data'))
    await assert.rejects(both.fromStored(bytes('k8s:enc:x'), path), failsWith('none'))
    assert.deepEqual((await both.fromStored(bytes('k8s\0x'), path)).bytes, bytes('k8s\0x'))
  })

  test('with two identity transformers, values of the second are stale', async () => {
    const [gcm, cbc] = [await aesGcm(randomBytes(32)), await aesCbc(randomBytes(32))]
    const both = either(gcm, cbc)
    isRead(await both.fromStored(await both.toStored(plain, path), path), false)
    isRead(await both.fromStored(await cbc.toStored(plain, path), path), true)
  })
})

test('KMS v2 values are EncryptedObject messages with fields in order', () => {
  const object = {
    encryptedData: bytes('data'),
    keyId: 'id',
    encryptedDekSource: bytes('dek'),
    annotations: new Map([['a.b', bytes('c')]]),
    encryptedDekSourceType: 1,
  }
  const wire = hex(
    `0a04${toHex(bytes('data'))}1202${toHex(bytes('id'))}1a03${toHex(bytes('dek'))}22080a03${toHex(bytes('a.b'))}120163${'2801'}`,
  )
  assert.equal(toHex(EncryptedObject.encode(object)), toHex(wire))
  const read = EncryptedObject.decode(wire)
  assert.deepEqual({ ...read, annotations: Object.fromEntries(read.annotations) }, { ...object, annotations: { 'a.b': bytes('c') } })
  assert.equal(EncryptedObject.encode({}).length, 0, 'zero values are not written')
})
