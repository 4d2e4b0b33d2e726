/** Files of bbolt: what is written is read, and a damaged file is refused or read, but never for ever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BboltReader } from '../../../runtimes/etcd-server/bbolt/read.ts'
import { bboltPages } from '../../../runtimes/etcd-server/bbolt/write.ts'
import { type RandomNumbers, randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'

const readerOf = (file: Buffer) => new BboltReader((position, length) => file.subarray(position, position + length))

function entriesOf(random: RandomNumbers, count: number, largest: number) {
  const keys = [...new Set(Array.from({ length: count }, () => `${random.integer(1e9)}${'k'.repeat(random.integer(40))}`))].sort()
  return keys.map((key) => ({ key: Buffer.from(key), value: Buffer.alloc(random.integer(random.chance(0.02) ? largest : 100), key) }))
}

const shown = (entries: Iterable<{ key: Buffer; value: Uint8Array }>) =>
  [...entries].map(({ key, value }) => `${key} ${Buffer.from(value).toString('hex')}`)

test('buckets of all sizes are read as they were written', async () => {
  const random = randomNumbers(1)
  for (const count of [0, 1, 2, 100, 5_000]) {
    const buckets = ['a', 'key', 'z'].map((name, index) => ({ name, entries: entriesOf(random, index === 1 ? count : 3, 20_000) }))
    const reader = readerOf(Buffer.concat(await bboltPages(buckets)))
    for (const { name, entries } of buckets) assert.deepEqual(shown(reader.bucket(name)), shown(entries))
    assert.deepEqual([...reader.bucket('none')], [])
  }
})

const damages = trials(3_000, 100_000)

test(`a file with damaged bytes is read to its end or refused (${damages} times)`, async () => {
  const random = randomNumbers(2)
  const file = Buffer.concat(await bboltPages([{ name: 'key', entries: entriesOf(random, 1_000, 9_000) }]))
  let refused = 0
  for (let i = 0; i < damages; i++) {
    const damaged = Buffer.from(file)
    // Descriptions and headers, mostly.
    for (let bytes = 1 + random.integer(3); bytes > 0; bytes--) {
      const page = random.integer(file.length / 4096) * 4096
      damaged[page + random.integer(random.chance(0.7) ? 64 : 4096)] = random.integer(256)
    }
    try {
      for (const _ of readerOf(damaged).bucket('key'));
    } catch (error) {
      assert.equal((error as Error).message, 'is damaged or truncated')
      refused++
    }
  }
  assert(refused > damages / 10)
})
