/** Byte strings of indefinite length (RFC 8949, 3.2.3): as many chunks as a body can have cost memory for their bytes only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCbor } from '../../../../core/schema/cbor/decode.ts'

const stringOf = (...chunks: readonly Uint8Array[]) => Buffer.concat([Buffer.from([0x5f]), ...chunks, Buffer.from([0xff])])

test('chunks are joined in order, and empty ones left out', () => {
  const chunk = (text: string) => Buffer.from([0x40 + text.length, ...Buffer.from(text)])
  assert.equal(decodeCbor(stringOf()), '')
  assert.equal(decodeCbor(stringOf(chunk(''), chunk('ab'), chunk(''), chunk('c'), chunk('defg'), chunk(''))), 'abcdefg')
  assert.equal(decodeCbor(stringOf(...Array.from({ length: 1_000 }, (_, index) => chunk(String(index % 10))))), '0123456789'.repeat(100))
})

test('3 MiB of empty chunks take less than 128 MiB', (t) => {
  const body = stringOf(Buffer.alloc(3 * 1024 * 1024, 0x40))
  const before = process.memoryUsage().rss
  assert.equal(decodeCbor(body), '')
  const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20)
  t.diagnostic(`${grown} MiB`)
  assert.ok(grown < 128, `${grown} MiB`)
})
