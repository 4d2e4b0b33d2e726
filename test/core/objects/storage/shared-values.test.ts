/** Objects are kept once in memory: cache entries share the bytes that the store holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DerivedBudget } from '../../../../core/objects/storage/derived-budget.ts'
import { createObjectStore } from '../../../../core/objects/storage/object-store.ts'
import type { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { bind } from '../../../../core/resources/bind.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { concatenate } from '../../../../core/schema/bytes.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'

const definition = bind(
  builtInResources.find(({ kind, version }) => kind === 'ConfigMap' && version === 'v1') ?? assert.fail(),
  createPlatform(),
)

/** Objects written by one server, and a reader of another server, which has nothing cached. */
async function stored(store: KeyValueStore, lengths: { readonly [name: string]: number }) {
  const objects = createObjectStore(store, definition, '/registry')
  const { keys } = objects
  for (const [name, length] of Object.entries(lengths)) {
    const metadata = { name, namespace: 'default' }
    const object = objects.canonical({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(length) } } as never)
    assert.ok((await objects.put({ namespace: 'default', name }, objects.print(object), 0)).ok)
  }
  const { reader } = createObjectStore(store, definition, '/registry')
  return { reader, value: async (name: string) => (await store.get(keys.of('default', name))).kv ?? assert.fail() }
}

for (const holdsValues of [true, false]) {
  test(`values are served from the bytes of a store that ${holdsValues ? 'holds them' : 'reads them each time, where they are large'}`, async () => {
    const { reader, value } = await stored({ ...memoryStore({ clock: webClock }), holdsValues }, { large: 50_000, small: 100 })
    for (const name of ['large', 'small']) {
      const kv = await value(name)
      const shown = new TextDecoder().decode(kv.value).replace('"default"', `"default","resourceVersion":"${kv.modRevision}"`)
      const part = new Uint8Array(kv.value.length + 1)
      part.set(kv.value)
      for (const bytes of [kv.value, part.subarray(0, -1)]) {
        const entry = reader.one({ ...kv, value: bytes })
        assert.equal(JSON.stringify(entry.copy()), shown)
        const isShared = holdsValues || (name === 'large' && bytes === kv.value)
        const { pieces } = entry
        const joined = concatenate(pieces)
        for (const served of [joined, entry.json, entry.json]) assert.equal(new TextDecoder().decode(served), shown)
        assert.equal(
          pieces.some(({ buffer }) => buffer === bytes.buffer),
          isShared,
          'lists copy a stored value only into their response',
        )
        assert.equal(entry.copy().metadata.name, name)
        assert.equal(entry.size, isShared ? kv.value.length : shown.length)
      }
    }
  })
}

for (const holdsValues of [true, false]) {
  test(`what a server has written is known to be canonical, ${holdsValues ? 'in' : 'without'} a store that holds it`, async () => {
    const store = { ...memoryStore({ clock: webClock }), holdsValues }
    const objects = createObjectStore(store, definition, '/registry')
    const of = { namespace: 'default', name: 'own' }
    const printed = (text: string, name = 'own') => {
      const metadata = { name, namespace: 'default' }
      return objects.print(objects.canonical({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text } } as never))
    }
    assert.ok((await objects.put(of, printed('one'), 0)).ok)
    const own = (await objects.get(of)) ?? assert.fail()
    assert.equal(own.isCanonical, true)
    assert.equal(own.equals(printed('one')), true)
    assert.equal(own.equals(printed('two')), false)
    assert.equal(own.equals(printed('one', 'another')), false)
    const another = (await createObjectStore(store, definition, '/registry').get(of)) ?? assert.fail()
    assert.equal(another.isCanonical, false, 'another server wrote it')
    assert.equal(another.equals(printed('two')), false)
    assert.equal(another.isCanonical, false)
    assert.equal(another.equals(printed('one')), true)
    assert.equal(another.isCanonical, true, 'it equals what this one would write')
    const withLineFeed = concatenate([new TextEncoder().encode(printed('one').json), new TextEncoder().encode('\n')])
    const kv = (await store.get(objects.keys.of('default', 'own'))).kv ?? assert.fail()
    assert.equal(objects.reader.one({ ...kv, value: withLineFeed }).equals(printed('one')), true, 'as kube-apiserver stores it')
  })
}

/** The JSON for the second of two requests. */
const readAgain = (entry: StoredObject) => [entry.json, entry.json].at(-1) as Uint8Array

test('JSON is cached when it is requested again, within a total size, while the entry is in a cache', async () => {
  const { reader, value } = await stored(memoryStore({ clock: webClock }), { first: 1_000, second: 1_000, third: 1_000 })
  const [first, second, third] = [reader.one(await value('first')), reader.one(await value('second')), reader.one(await value('third'))]
  const budget = new DerivedBudget(15_000)
  for (const each of [first, second, third]) each.enter(budget)
  assert.notEqual(first.json, first.json, 'a first request')
  const before = first.json
  assert.equal(first.json, before, 'kept')
  assert.equal(readAgain(second), second.json)
  assert.notEqual(readAgain(third), third.json, 'no room')
  first.leave()
  assert.notEqual(first.json, before, 'let go')
  assert.deepEqual(first.json, before)
  assert.equal(readAgain(third), third.json, 'in its room')
})

test('large JSON is not cached, nor that of an entry in no cache', async () => {
  const { reader, value } = await stored(memoryStore({ clock: webClock }), { large: 20_000, small: 100 })
  const [large, small] = [reader.one(await value('large')), reader.one(await value('small'))]
  large.enter(new DerivedBudget())
  assert.notEqual(readAgain(large), large.json)
  assert.notEqual(readAgain(small), small.json)
  small.enter(new DerivedBudget())
  assert.equal(small.json, small.json)
})
