/** Objects are kept once in memory: cache entries share the bytes that the store holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import type { KeyValueStore } from '../../../core/ports.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { concatenate } from '../../../core/schema/bytes.ts'
import type { Entry } from '../../../core/storage/entry.ts'
import { createObjectStore } from '../../../core/storage/object-store.ts'
import { ServedBytes } from '../../../core/storage/served-bytes.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

const definition = bind(
  builtInResources.find(({ kind, version }) => kind === 'ConfigMap' && version === 'v1') ?? assert.fail(),
  createPlatform(),
)

/** Objects written by one server, and a reader of another server, which has nothing cached. */
async function stored(store: KeyValueStore, lengths: { readonly [name: string]: number }, servedBytes = new ServedBytes()) {
  const objects = createObjectStore(store, definition, '/registry')
  const { codec, keys } = objects
  for (const [name, length] of Object.entries(lengths)) {
    const metadata = { name, namespace: 'default' }
    const object = codec.canonical({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(length) } } as never)
    assert.ok((await objects.put(keys.of('default', name), codec.print(object), 0)).ok)
  }
  const { reader } = createObjectStore(store, definition, '/registry', { servedBytes })
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
        assert.equal(JSON.stringify(entry.decode()), shown)
        const isShared = holdsValues || (name === 'large' && bytes === kv.value)
        const { pieces } = entry
        const joined = concatenate(pieces)
        for (const served of [joined, entry.bytesOnce, entry.bytes, entry.bytes]) assert.equal(new TextDecoder().decode(served), shown)
        assert.equal(
          pieces.some(({ buffer }) => buffer === bytes.buffer),
          isShared,
          'lists copy a stored value only into their response',
        )
        assert.equal(entry.decode().metadata.name, name)
        assert.equal(entry.content === bytes, isShared)
        assert.equal(entry.size, isShared ? kv.value.length : shown.length)
      }
    }
  })
}

/** The bytes for the second of two requests. */
const readAgain = (entry: Entry) => [entry.bytes, entry.bytes].at(-1) as Uint8Array

test('served bytes are cached when they are requested again, within a total size', async () => {
  const { reader, value } = await stored(
    memoryStore({ clock: webClock }),
    { first: 1_000, second: 1_000, third: 1_000 },
    new ServedBytes(3_000),
  )
  const [first, second, third] = [reader.one(await value('first')), reader.one(await value('second')), reader.one(await value('third'))]
  assert.notEqual(first.bytes, first.bytes, 'a first request')
  const before = first.bytes
  assert.equal(first.bytes, before, 'kept')
  assert.equal(readAgain(second), second.bytes)
  const newest = readAgain(third)
  assert.notEqual(first.bytes, before, 'let go')
  assert.deepEqual(first.bytes, before)
  assert.equal(third.bytes, newest, 'the newest is kept')
})

test('bytes requested once are not cached, and neither are large ones', async () => {
  const { reader, value } = await stored(memoryStore({ clock: webClock }), { large: 20_000, small: 100 })
  const [large, small] = [reader.one(await value('large')), reader.one(await value('small'))]
  assert.notEqual(readAgain(large), large.bytes)
  assert.notEqual(small.bytesOnce, small.bytesOnce)
  assert.equal(readAgain(small), small.bytes)
  assert.equal(small.bytesOnce, small.bytes)
})
