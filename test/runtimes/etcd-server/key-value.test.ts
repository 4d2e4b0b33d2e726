import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { encode } from '../../../runtimes/etcd-server/message.ts'
import { keyValue } from '../../../runtimes/etcd-server/messages.ts'

const numbers = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40 + 5, 2 ** 53 - 1]

/** The message as the library of protobuf writes it. */
function written(key: string, revision: number, value: Uint8Array, lease: bigint): Uint8Array {
  const writer = new BinaryWriter()
  if (key !== '') writer.uint32(0x0a).bytes(Buffer.from(key, 'latin1'))
  for (const tag of [0x10, 0x18, 0x20]) if (revision !== 0) writer.uint32(tag).int64(revision)
  if (value.length > 0) writer.uint32(0x2a).bytes(value)
  if (lease !== 0n) writer.uint32(0x30).int64(lease)
  return writer.finish()
}

test('keys with their values have the bytes of their table, whatever their lengths and numbers', () => {
  const value = (length: number) => Uint8Array.from({ length }, (_, at) => at)
  for (const number of numbers)
    for (const length of [0, 1, 127, 128, 20_000])
      for (const lease of [0n, 5n, -1n, 2n ** 63n - 1n]) {
        const key = '\0\x7f\x80\xff'.repeat(length / 4)
        const kv = { key, createRevision: number, modRevision: number, version: number, value: value(length), lease }
        assert.deepEqual(Buffer.from(encode(keyValue, kv)), Buffer.from(written(key, number, value(length), lease)), `${number} ${length}`)
      }
  assert.equal(encode(keyValue, {}).length, 0)
})
