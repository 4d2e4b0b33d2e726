import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Codec, createCodec, Printed } from '../../../../core/objects/storage/codec.ts'
import { RecentWrites } from '../../../../core/objects/storage/recent-writes.ts'
import { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { bind } from '../../../../core/resources/bind.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'

/** Marks the bytes that it serves with their revision. */
const codec = {
  serve: (stored: Uint8Array, revision: number) => bytes(`${text(stored)}@${revision}`),
  show: ({ json }: Printed, revision: number) => bytes(`${json}@${revision}`),
} as Codec
const printed = (json: string) => new Printed({ metadata: {} } as Printed['object'], json)
const show = (writes: RecentWrites, key: string, stored: string, revision: number) => text(writes.serve(key, bytes(stored), revision))

test('a recent write is served from its printed form, once for each revision', () => {
  const writes = new RecentWrites(codec)
  writes.note('k', bytes('stored'), printed('printed'))
  const first = writes.serve('k', bytes('stored'), 7)
  assert.equal(text(first), 'printed@7')
  assert.equal(writes.serve('k', bytes('stored'), 7), first, 'the same bytes again')
  assert.equal(show(writes, 'k', 'stored', 8), 'printed@8')
})

test('another value or key is decoded', () => {
  const writes = new RecentWrites(codec)
  writes.note('k', bytes('stored'), printed('printed'))
  assert.equal(show(writes, 'k', 'other!', 7), 'other!@7')
  assert.equal(show(writes, 'l', 'stored', 7), 'stored@7')
})

test('an earlier value of a key is served from its printed form too: its event may come after the next write', () => {
  const writes = new RecentWrites(codec)
  writes.note('k', bytes('stored'), printed('printed'))
  writes.note('k', bytes('newer'), printed('newer printed'))
  assert.equal(show(writes, 'k', 'stored', 7), 'printed@7')
  assert.equal(show(writes, 'k', 'newer', 8), 'newer printed@8')
})

/** Keys that are still served from what was printed. */
const keptOf = (writes: RecentWrites, keys: readonly string[]) => keys.filter((key) => show(writes, key, 'stored', 1) !== 'stored@1')
const keysUpTo = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`)

test('the last writes are kept, more than are in flight to etcd at a time', () => {
  const writes = new RecentWrites(codec)
  const keys = keysUpTo(200)
  for (const key of keys) writes.note(key, bytes('stored'), printed('printed'))
  assert.deepEqual(keptOf(writes, keys), keys.slice(-64))
})

test('large writes are few, and very large ones are not kept', () => {
  const writes = new RecentWrites(codec)
  const keys = keysUpTo(100)
  for (const key of keys) writes.note(key, bytes('stored'), printed('x'.repeat(16_384)))
  assert.deepEqual(keptOf(writes, keys), keys.slice(-16))
  writes.note('larger', bytes('stored'), printed('x'.repeat(16_385)))
  assert.deepEqual(keptOf(writes, [...keys, 'larger']), keys.slice(-16))
  for (const key of keys) writes.note(key, bytes('stored'), printed('small'))
  assert.deepEqual(keptOf(writes, keys), keys.slice(-64))
})

test('decoding a recent write equals parsing it, and gives a new object each time', () => {
  const row = builtInResources.find(({ kind }) => kind === 'Pod')
  assert.ok(row)
  const own = createCodec(bind(row, createPlatform()))
  const writes = new RecentWrites(own)
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'n', labels: { a: 'b' }, managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }] },
    spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } } }] },
  }
  const value = own.print(own.canonical(object as unknown as ApiObject))
  const stored = own.store(value)
  writes.note('k', stored, value)
  const served = writes.serve('k', new Uint8Array(stored), 7)
  const entry = new StoredObject('k', 7, served, { ...own, written: (key, bytes) => writes.written(key, bytes) })
  assert.equal(entry.object['spec'], writes.written('k', served)?.['spec'], 'readers share it')
  assert.equal(writes.written('k', stored), writes.written('k', served), 'by the stored value, too')
  const first = entry.copy()
  assert.equal(JSON.stringify(first), JSON.stringify(own.decode(served)))
  first.metadata.labels = {}
  assert.equal(JSON.stringify(entry.copy()), JSON.stringify(own.decode(served)))
  assert.equal(JSON.stringify(entry.written), JSON.stringify(own.canonical(own.decode(served))), 'known without decoding')
  for (let i = 0; i < 64; i++) writes.note(`other${i}`, bytes('other'), printed('other'))
  assert.equal(JSON.stringify(entry.copy()), JSON.stringify(own.decode(served)), 'parsed after eviction')
  assert.equal(entry.written, undefined)
})
