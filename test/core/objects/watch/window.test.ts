import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { Change } from '../../../../core/objects/watch/change.ts'
import { Window, type WindowBounds, windowBounds } from '../../../../core/objects/watch/window.ts'

const entry = (revision: number, size: number) => ({ revision, size, forget() {} }) as StoredObject
const change = (revision: number, size: number) => new Change(entry(revision, size), entry(revision - 1, size), false)
const windowOf = (bounds: Partial<WindowBounds>) => new Window(0, { ...windowBounds, ...bounds })
const revisions = (window: Window, after: number) => window.after(after)?.map((each) => each.revision)

test('keeps at most the configured number of changes', () => {
  const window = windowOf({ changes: 3 })
  for (let revision = 1; revision <= 10; revision++) window.push(change(revision, 1), 0)
  assert.equal(window.oldest, 7)
  assert.deepEqual(revisions(window, 7), [8, 9, 10])
  assert.deepEqual(revisions(window, 9), [10])
  assert.equal(window.after(6), undefined)
})

test('keeps at most the configured number of bytes, and always the newest change', () => {
  const window = windowOf({ bytes: 1_000 })
  for (let revision = 1; revision <= 100; revision++) window.push(change(revision, 300), 0)
  assert.ok(window.bytes <= 1_000)
  assert.deepEqual(revisions(window, window.oldest), [98, 99, 100])
  window.push(change(101, 5_000), 0)
  assert.deepEqual(revisions(window, window.oldest), [101])
})

test('encoded frames count as well, until they are dropped', () => {
  const window = windowOf({ bytes: 1_000 })
  const changes = [1, 2, 3].map((revision) => change(revision, 100))
  for (const each of changes) window.push(each, 0)
  changes[2]?.keepFrame('json', new Uint8Array(800))
  assert.deepEqual(revisions(window, window.oldest), [2, 3])
  changes[0]?.keepFrame('json', new Uint8Array(800))
  assert.equal(window.bytes, 1_000)
  window.push(change(4, 100), 0)
  assert.deepEqual(revisions(window, window.oldest), [3, 4])
  assert.equal(window.bytes, 1_000)
  changes[2]?.dropEncoded()
  assert.equal(changes[2]?.frame('json'), undefined)
  assert.equal(window.bytes, 200)
})

test('old changes are dropped when new ones come, except the newest few', () => {
  const window = windowOf({ age: 1_000, aged: 3 })
  for (let revision = 1; revision <= 10; revision++) window.push(change(revision, 1), revision * 100)
  assert.equal(window.oldest, 0)
  window.push(change(11, 1), 1_500)
  assert.deepEqual(revisions(window, window.oldest), [5, 6, 7, 8, 9, 10, 11])
  window.push(change(12, 1), 100_000)
  assert.deepEqual(revisions(window, window.oldest), [10, 11, 12])
  assert.equal(window.bytes, 3)
})
