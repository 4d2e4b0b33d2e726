/** What entries of watch caches keep of what is derived from their bytes: as far as the budget goes, and until the entry is replaced. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codec } from '../../../../core/objects/storage/codec.ts'
import { DerivedBudget, type DerivedKind } from '../../../../core/objects/storage/derived-budget.ts'
import { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { SortedEntries } from '../../../../core/objects/watch/sorted-entries.ts'

const entryOf = (name: string) => new StoredObject(`/r/${name}`, 1, new Uint8Array(), {} as Codec)
const bytes = new Uint8Array(1_000)

/** How many values of this size there is room for. */
function roomFor(budget: DerivedBudget, kind: DerivedKind = 'encoding', size = bytes.length): number {
  let count = 0
  while (budget.take(kind, size)) count++
  for (let given = 0; given < count; given++) budget.give(kind, size)
  return count
}

/** Whether the entry encodes again. */
function encodes(entry: StoredObject, name = 'f'): boolean {
  let made = false
  entry.encoding(name, () => {
    made = true
    return bytes
  })
  return made
}

test('entries of a cache keep what there is room for, and give the room back when they leave', () => {
  const budget = new DerivedBudget(4_000)
  const entries = new SortedEntries(budget)
  const [a, b, c] = ['a', 'b', 'c'].map(entryOf) as [StoredObject, StoredObject, StoredObject]
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
  assert.equal(roomFor(budget), 2)
})

test('an expired encoding is replaced', () => {
  const budget = new DerivedBudget(4_000)
  const entry = entryOf('a')
  entry.enter(budget)
  const aging = (now: number) =>
    entry.encoding(
      'aging',
      (changesAt) => {
        changesAt(now + 10)
        return bytes
      },
      now,
    )
  assert.equal(aging(0).until, 10)
  assert.equal(roomFor(budget), 1)
  assert.equal(aging(9).until, 10)
  assert.equal(aging(20).until, 30)
  assert.equal(roomFor(budget), 1, 'in its place')
  entry.leave()
  assert.equal(roomFor(budget), 2)
})

test('the size of an encoding is known although there was no room for it', () => {
  const entry = entryOf('a')
  entry.enter(new DerivedBudget(1_000))
  assert.equal(entry.sizeOf('f'), undefined)
  assert.ok(encodes(entry) && encodes(entry))
  assert.equal(entry.sizeOf('f'), bytes.length)
})

test('an entry that no cache holds keeps nothing', () => {
  const entry = entryOf('a')
  assert.ok(encodes(entry) && encodes(entry))
  assert.equal(entry.sizeOf('f'), undefined)
})

test('other versions of an object keep what is derived from them as long as it is in the cache', () => {
  const budget = new DerivedBudget(4_000)
  const entry = entryOf('a')
  const codec = {} as Codec
  const before = entry.setVersion(codec, bytes, false)
  entry.enter(budget)
  assert.ok(encodes(before) && !encodes(before))
  const after = entry.setVersion(codec, bytes, false)
  assert.equal(entry.version(codec), after)
  assert.equal(roomFor(budget), 2, 'the one before gives its room back')
  assert.ok(encodes(after) && !encodes(after) && encodes(before) && encodes(before))
  entry.leave()
  assert.equal(roomFor(budget), 2)
})

test('the decoded object is cached when it is read again, while the entry is in the cache', () => {
  const codec: Pick<Codec, 'decode'> = { decode: () => ({ apiVersion: 'v1', kind: 'Thing', metadata: {} }) }
  const entry = new StoredObject('/r/a', 1, new Uint8Array(100), codec as Codec)
  const budget = new DerivedBudget(4_000)
  entry.enter(budget)
  assert.notEqual(entry.object, entry.object, 'a first read')
  const { object } = entry
  assert.equal(entry.object, object)
  assert.ok(Object.isFrozen(object.metadata))
  const left = roomFor(budget, 'read', 100)
  entry.leave()
  assert.ok(roomFor(budget, 'read', 100) > left)
  assert.notEqual(entry.object, object)
})

test('encodings leave room for what is read object by object', () => {
  const codec: Pick<Codec, 'decode'> = { decode: () => ({ apiVersion: 'v1', kind: 'Thing', metadata: {} }) }
  const entry = new StoredObject('/r/a', 1, new Uint8Array(100), codec as Codec)
  entry.enter(new DerivedBudget(4_000))
  for (let made = 0; made < 10; made++) encodes(entry, String(made))
  for (let read = 0; read < 2; read++) assert.ok(entry.object)
  assert.equal(entry.object, entry.object)
})
