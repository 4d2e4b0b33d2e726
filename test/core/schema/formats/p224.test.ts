/** Signatures with ECDSA over P-224, beside OpenSSL. */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { bitsOf, childrenOf, readDer } from '../../../../core/schema/formats/der.ts'
import { verifiesP224 } from '../../../../core/schema/formats/p224.ts'
import { randomNumbers } from '../../../support/random.ts'
import { trials } from '../../../support/soak.ts'

const order = 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn
const hashes = ['sha1', 'sha256', 'sha384', 'sha512']
const random = randomNumbers(224)

function pair() {
  const keys = generateKeyPairSync('ec', { namedCurve: 'secp224r1' })
  const [, bits] = childrenOf(readDer(new Uint8Array(keys.publicKey.export({ type: 'spki', format: 'der' }))))
  return { ...keys, point: bitsOf(bits!) }
}

/** A signature of two positive numbers. */
function signatureOf(...numbers: bigint[]): Buffer {
  const parts = numbers.map((value) => {
    const content = Buffer.from(`00${value.toString(16).padStart(56, '0')}`, 'hex')
    return Buffer.concat([Buffer.from([2, content.length]), content])
  })
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}

function judged(point: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifiesP224(point, hash, signature)
  } catch {
    return false
  }
}

const openssl = (key: KeyObject, hash: string, text: Buffer, signature: Buffer) => verify(hash, text, key, signature)

test('a signature is valid if OpenSSL says so, in every hash, and damaged in any bit', () => {
  for (let trial = 0; trial < trials(20, 2_000); trial++) {
    const { publicKey, privateKey, point } = pair()
    const text = Buffer.from(`text ${trial}`)
    const hash = random.pick(hashes)
    const digest = createHash(hash).update(text).digest()
    const signature = sign(hash, text, privateKey)
    assert.equal(judged(point, digest, signature), true, signature.toString('hex'))
    const damaged = Buffer.from(signature)
    damaged[random.integer(damaged.length)]! ^= 1 << random.integer(8)
    const expected = openssl(publicKey, hash, text, damaged)
    assert.equal(judged(point, digest, damaged), expected, `${point} ${damaged.toString('hex')}`)
    assert.equal(judged(point, createHash(hash).update('another').digest(), signature), false)
    assert.equal(judged(pair().point, digest, signature), false)
  }
})

test('numbers that no signature has, and keys that are not on the curve', () => {
  const { point } = pair()
  const hash = createHash('sha256').update('text').digest()
  for (const number of [0n, order, order + 1n, 2n ** 224n - 1n]) {
    assert.equal(judged(point, hash, signatureOf(number, 1n)), false)
    assert.equal(judged(point, hash, signatureOf(1n, number)), false)
  }
  assert.equal(judged(point, hash, signatureOf(1n)), false)
  assert.equal(judged(point, hash, signatureOf(1n, 1n, 1n)), false)
  const moved = point.slice()
  moved[40]! ^= 1
  for (const key of [moved, point.slice(0, 29), new Uint8Array(57), Uint8Array.of(0)])
    assert.equal(judged(key, hash, signatureOf(1n, 1n)), false)
})
