/** Objects that the watch cache returns without reading the store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import { createObjectStore } from '../../../../core/objects/storage/object-store.ts'
import { createWatchCache } from '../../../../core/objects/watch/cache.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { bind } from '../../../../core/resources/bind.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { bytes } from '../../../../runtimes/testing/store/recorder.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'

const platform = createPlatform()
const definition = builtInResources.map((row) => bind(row, platform)).find(({ kind }) => kind === 'ConfigMap')
assert(definition, 'the kind is built in')

/** A cache, and the number of times that it listed the store. */
function cacheOn(store: KeyValueStore) {
  let loads = 0
  const counted: KeyValueStore = {
    ...store,
    list(options) {
      loads++
      return store.list(options)
    },
  }
  const objects = createObjectStore(counted, definition as NonNullable<typeof definition>, '/registry')
  return {
    cache: createWatchCache({ objects, store: counted, clock: webClock, logger: silentLogger, pauses: new Pauses(webClock) }),
    objects,
    loads: () => loads,
  }
}

test('the first lookup starts the cache, which then follows the store', async () => {
  const store = memoryStore()
  const { cache, objects, loads } = cacheOn(store)
  const a = { namespace: 'default', name: 'a' }
  const write = (value: string, expected: number) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default' }, data: { value } }
    return objects.put(a, objects.print(objects.canonical(object)), expected)
  }
  const first = await write('1', 0)
  assert(first.ok, 'a write')
  assert.equal(cache.known(a), undefined, 'not cached yet')
  assert.equal((await eventually('it is known', async () => cache.known(a)))?.revision, first.entry.revision)
  const second = await write('2', first.entry.revision)
  assert(second.ok, 'another write')
  await eventually('the change is known', async () => cache.known(a)?.revision === second.entry.revision)
  assert.deepEqual(cache.known(a)?.object['data'], { value: '2' })
  assert.equal(loads(), 1, 'the store was listed once')
  cache.close()
})

test('frequent reads of single objects start the cache', async () => {
  const store = memoryStore()
  const { cache, objects, loads } = cacheOn(store)
  const a = { namespace: 'default', name: 'a' }
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default' } }
  assert((await objects.put(a, objects.print(objects.canonical(object)), 0)).ok)
  for (let i = 0; i < 31; i++) assert((await cache.get(a)) !== undefined)
  assert.equal(loads(), 0)
  const last = await cache.get(a)
  await eventually('it is cached', async () => {
    const [one, other] = [await cache.get(a), await cache.get(a)]
    return one === other
  })
  assert.equal((await cache.get(a))?.revision, last?.revision)
  assert.equal(loads(), 1)
  cache.close()
})

test('when the cache can not start, lookups do not retry but lists do', async () => {
  const store = memoryStore()
  await store.put('/registry/configmaps/default/broken', bytes('no object'), 0)
  const { cache, loads } = cacheOn(store)
  const ask = () => assert.equal(cache.known({ namespace: 'default', name: 'broken' }), undefined)
  ask()
  await eventually('it was tried', async () => loads() > 0)
  await assert.rejects(cache.list({ namespace: '' }), 'the list reports the error')
  const before = loads()
  for (let i = 0; i < 10; i++) {
    ask()
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(loads(), before, 'lookups did not read the store')
  await assert.rejects(cache.list({ namespace: '' }))
  assert(loads() > before, 'a list retries')
  cache.close()
})

test('a live read is synchronous when the cache is ready and the store knows its revision synchronously', async () => {
  const store = memoryStore()
  let late = false
  const slow: KeyValueStore = {
    ...store,
    currentRevision: () => (late ? Promise.resolve(store.currentRevision()) : store.currentRevision()),
  }
  const { cache, objects } = cacheOn(slow)
  const a = { namespace: 'default', name: 'a' }
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default' } }
  assert.ok(cache.live(a) instanceof Promise, 'the cache has not started')
  await cache.list({ namespace: '' })
  assert.equal(cache.live(a), undefined)
  const swap = await objects.put(a, objects.print(objects.canonical(object)), 0)
  assert(swap.ok, 'a write')
  assert.equal((await cache.live(a))?.revision, swap.entry.revision, 'reads its own write')
  await eventually('the change is known', async () => cache.known(a) !== undefined)
  assert.equal((cache.live(a) as { revision?: number }).revision, swap.entry.revision)
  late = true
  const asked = cache.live(a)
  assert.ok(asked instanceof Promise, 'waits for the revision of the store')
  assert.equal((await asked)?.revision, swap.entry.revision)
  cache.close()
})

test('a consistent read behind writes of other resources asks for the progress it needs, and no more', async () => {
  const store = memoryStore()
  const asked: (number | undefined)[] = []
  const watched: KeyValueStore = {
    ...store,
    watch(...parameters) {
      const watch = store.watch(...parameters)
      return {
        ...watch,
        requestProgress(to) {
          asked.push(to)
          watch.requestProgress(to)
        },
      }
    },
  }
  const { cache } = cacheOn(watched)
  await cache.list({ namespace: '' })
  const elsewhere = () => store.put(`/registry/secrets/default/${asked.length}`, bytes('secret'), 0)
  const one = await elsewhere()
  assert.equal(await cache.live({ namespace: 'default', name: 'a' }), undefined)
  const two = await elsewhere()
  assert.equal((await cache.list({ namespace: '' })).revision, two.revision)
  assert.deepEqual(asked, [one.revision, two.revision], 'the revisions that the store was at')
  cache.close()
})
