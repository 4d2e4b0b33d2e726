/** Encodings that entries of watch caches keep: as long as there is room, and until the entry is replaced. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codec } from '../../../core/storage/codec.ts'
import { Entry } from '../../../core/storage/entry.ts'
import { FormBytes } from '../../../core/storage/form-bytes.ts'
import { SortedEntries } from '../../../core/watch/sorted-entries.ts'

const entryOf = (name: string) => new Entry(`/r/${name}`, 1, new Uint8Array(), {} as Codec)
const bytes = new Uint8Array(1_000)

/** Whether the entry encodes again. */
function encodes(entry: Entry, form = 'f'): boolean {
  let made = false
  entry.sharedForm(form, () => {
    made = true
    return bytes
  })
  return made
}

test('entries of a cache keep what there is room for, and give the room back when they leave', () => {
  const room = new FormBytes(3_000)
  const entries = new SortedEntries(room)
  const [a, b, c] = ['a', 'b', 'c'].map(entryOf) as [Entry, Entry, Entry]
  for (const each of [a, b, c]) entries.set(each)
  for (const each of [a, b, c]) assert.ok(encodes(each), each.key)
  assert.deepEqual(
    [a, b, c].map((each) => encodes(each)),
    [false, false, true],
    'two fit',
  )
  const newer = entryOf('a')
  entries.set(newer)
  assert.ok(encodes(newer), 'a new version')
  assert.deepEqual(
    [newer, b, c].map((each) => encodes(each)),
    [false, false, true],
  )
  entries.delete('/r/b')
  assert.ok(encodes(c), 'not kept yet')
  assert.ok(!encodes(c), 'in the room of the deleted one')
  entries.clear()
  assert.equal(room.taken, 0)
})

test('what was encoded before an entry entered the cache counts too; an expired encoding is replaced', () => {
  const room = new FormBytes(3_000)
  const entry = entryOf('a')
  entry.form('f', () => bytes)
  entry.enter(room)
  const { taken } = room
  assert.ok(taken >= bytes.length)
  const aging = (now: number) =>
    entry.formAt('aging', now, (changesAt) => {
      changesAt(now + 10)
      return bytes
    })
  aging(0)
  assert.equal(room.taken, 2 * taken)
  aging(20)
  assert.equal(room.taken, 2 * taken)
  entry.leave()
  assert.equal(room.taken, 0)
})

test('an entry that no cache holds keeps nothing for a long list', () => {
  const entry = entryOf('a')
  assert.ok(encodes(entry) && encodes(entry))
})

test('the decoded object is kept while the entry is in the cache', () => {
  const codec: Pick<Codec, 'decode'> = { decode: () => ({ apiVersion: 'v1', kind: 'Thing', metadata: {} }) }
  const entry = new Entry('/r/a', 1, bytes, codec as Codec)
  entry.enter(new FormBytes(3_000))
  const { object } = entry
  assert.equal(entry.object, object)
  entry.leave()
  assert.notEqual(entry.object, object)
})
