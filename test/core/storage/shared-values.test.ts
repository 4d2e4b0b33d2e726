/** Large objects are not kept twice: entries share the value that the store holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { createObjectStore } from '../../../core/storage/object-store.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

test('a large value is served from the bytes of the store, a small one and a part of larger bytes from a copy', async () => {
  const row = builtInResources.find(({ kind, version }) => kind === 'ConfigMap' && version === 'v1') ?? assert.fail()
  const store = memoryStore({ clock: webClock })
  const objects = createObjectStore(store, bind(row, createPlatform()), '/registry', {})
  const { codec, keys, reader } = objects
  for (const [name, length] of [
    ['large', 50_000],
    ['small', 100],
  ] as const) {
    const metadata = { name, namespace: 'default' }
    const printed = codec.print(
      codec.canonical({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(length) } } as never),
    )
    assert.ok((await objects.put(keys.of('default', name), printed, 0)).ok)
    const { kv = assert.fail() } = await store.get(keys.of('default', name))
    const stored = new TextDecoder().decode(kv.value)
    const shown = stored.replace('"metadata":{', `"metadata":{"resourceVersion":"${kv.modRevision}",`)
    const part = new Uint8Array(kv.value.length + 1)
    part.set(kv.value)
    for (const value of [kv.value, part.subarray(0, -1)]) {
      const entry = reader.one({ ...kv, value })
      assert.equal(new TextDecoder().decode(entry.bytes), shown)
      assert.equal(entry.decode().metadata.name, name)
      const isShared = entry.size === kv.value.length
      assert.equal(isShared, name === 'large' && value === kv.value)
    }
  }
})
