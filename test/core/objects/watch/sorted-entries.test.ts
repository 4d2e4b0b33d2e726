import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codec } from '../../../../core/objects/storage/codec.ts'
import { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { SortedEntries } from '../../../../core/objects/watch/sorted-entries.ts'
import { seeded } from '../../../support/mutate.ts'

const seed = 20_261_122
/** Enough for several chunks, and for chunks that become empty. */
const steps = 6_000
const entryOf = (key: string) => new StoredObject(key, 1, new Uint8Array(), {} as Codec)
const keysOf = (entries: readonly StoredObject[]) => entries.map(({ key }) => key)

test(`ranges equal those of a plain sorted list (seed ${seed})`, () => {
  const random = seeded(seed)
  const sorted = new SortedEntries()
  const plain = new Map<string, StoredObject>()
  const inRange = (prefix: string, from = '') => [...plain.keys()].filter((key) => key.startsWith(prefix) && key >= from).sort()
  const check = () => {
    const prefix = random.pick(['/r/', '/r/a/', '/r/b/', '/r/c/'])
    const from = random.pick([...plain.keys(), `${prefix}5`])
    assert.deepEqual(keysOf(sorted.range(prefix)), inRange(prefix), `all under ${prefix}`)
    assert.equal(sorted.count(prefix), inRange(prefix).length, `number under ${prefix}`)
    if (!from.startsWith(prefix)) return
    const expected = inRange(prefix, from)
    assert.deepEqual(keysOf(sorted.range(prefix, from)), expected, `under ${prefix} from ${from}`)
    assert.equal(sorted.count(prefix, from), expected.length, `number under ${prefix} from ${from}`)
    const most = random.below(1_500)
    assert.deepEqual(keysOf(sorted.range(prefix, from, most)), expected.slice(0, most), `${most} under ${prefix} from ${from}`)
  }
  for (let step = 0; step < steps; step++) {
    // The list grows first and shrinks later.
    const key = `/r/${random.pick(['a', 'b', 'b-1', 'c'])}/${random.below(900)}`
    if (random.below(steps) > step) {
      const entry = entryOf(key)
      sorted.set(entry)
      plain.set(key, entry)
    } else {
      sorted.delete(key)
      plain.delete(key)
    }
    assert.equal(sorted.get(key), plain.get(key), `the entry of ${key}`)
    if (step % 100 === 0) check()
  }
  check()
  for (const key of [...plain.keys()]) {
    sorted.delete(key)
    plain.delete(key)
  }
  assert.deepEqual(sorted.range('/r/'), [], 'empty')
})

test('entries loaded at once are found, listed and changed like entries added one by one', () => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `/r/a/${String(index).padStart(5, '0')}`)
  const sorted = new SortedEntries()
  sorted.set(entryOf('/r/a/before'))
  sorted.replace(keys.map(entryOf))
  assert.deepEqual(keysOf(sorted.range('/r/a/')), keys, 'earlier entries are gone')
  assert.equal(sorted.get('/r/a/00700')?.key, '/r/a/00700')
  const more = Array.from({ length: 600 }, (_, index) => `/r/a/00700-${String(index).padStart(5, '0')}`)
  for (const key of more) sorted.set(entryOf(key))
  sorted.delete('/r/a/00001')
  assert.deepEqual(keysOf(sorted.range('/r/a/')), [...keys, ...more].filter((key) => key !== '/r/a/00001').sort())
})

test('entries in byte order, which differs from the order of strings, are found as well', () => {
  const keys = ['/r/a', '/r/\uff00', '/r/\u{1f600}']
  const sorted = new SortedEntries()
  sorted.replace(keys.map(entryOf))
  for (const key of keys) {
    assert.equal(sorted.get(key)?.key, key)
    sorted.set(entryOf(key))
    sorted.delete(key)
  }
  assert.deepEqual(sorted.range('/r/'), [])
})
