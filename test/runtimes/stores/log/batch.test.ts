import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined, RecordBuffer, sealBatch } from '../../../../runtimes/stores/log/batch.ts'
import { type Entry, encodeEntry } from '../../../../runtimes/stores/log/entry.ts'

const change = (key: string, value?: Uint8Array, lease = 0n, version?: number): Entry => ({
  change: { key, revision: 2 ** 40, createRevision: 7, lease, ...(value && { value }), ...(version !== undefined && { version }) },
})
const bytes = (length: number, byte: number) => new Uint8Array(length).fill(byte)

/** Batches of one, of all kinds, and larger than what is kept; smaller ones come after larger ones. */
const batches: readonly (readonly Entry[])[] = [
  [change('a', bytes(100, 1))],
  [
    ...[change('ä', bytes(0, 0)), change('b'), change('c', bytes(3, 9), -1n), change('d', bytes(5, 7), 3n, 12)],
    ...[{ lease: { id: 5n, expires: 1 } }, { lease: { id: 2n ** 62n, expires: 0, seconds: 9 } }, { ended: 5n }, { compacted: 12 }],
  ],
  [change('e', bytes(3_000_000, 2)), change('f', bytes(70_000, 3))],
  Array.from({ length: 1_000 }, (_, index) => change(`g${index}`, bytes(index, 4))),
  [change('h', bytes(1, 5))],
]

for (const keys of ['utf8', 'latin1'] as const)
  test(`a buffer that is used again encodes batches as new buffers do, with keys in ${keys}`, () => {
    const buffer = new RecordBuffer(keys)
    for (const [offset, entries] of batches.entries()) {
      const expected = sealBatch(joined(entries.map((entry) => encodeEntry(entry, keys))), offset, 3, 4)
      const { bytes, checksum, offsets } = sealBatch(buffer.encode(entries), offset, 3, 4)
      assert.ok(bytes.equals(expected.bytes))
      assert.equal(checksum, expected.checksum)
      assert.deepEqual(offsets, expected.offsets)
    }
  })
