import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32c } from '../../../../runtimes/stores/log/crc32c.ts'

/** RFC 3720, appendix B.4, and the check value of the CRC catalogue. */
const known: readonly (readonly [what: string, bytes: Uint8Array, checksum: number])[] = [
  ['nothing', new Uint8Array(0), 0],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['ascending', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['descending', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
]

for (const [what, bytes, checksum] of known)
  test(`CRC32C of ${what}`, () => {
    assert.equal(crc32c(bytes), checksum)
    for (let at = 0; at <= bytes.length; at++) assert.equal(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at))), checksum)
  })

test('CRC32C of long input, from any offset, is that of its pieces', () => {
  const bytes = Uint8Array.from({ length: 2_000 }, (_, i) => (i * 31 + (i >> 5)) & 255)
  for (let from = 0; from < 20; from++)
    for (const to of [from + 255, from + 256, from + 259, from + 1_000, bytes.length]) {
      let pieces = 7
      for (let at = from; at < to; at += 100) pieces = crc32c(bytes, pieces, at, Math.min(to, at + 100))
      assert.equal(crc32c(bytes, 7, from, to), pieces, `${from} to ${to}`)
      assert.equal(crc32c(bytes.slice(from, to), 7), pieces)
    }
})
