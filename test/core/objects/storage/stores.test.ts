/** Separate stores for some resources, and metrics and health checks of all stores. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { configMap } from '../../../support/api.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { configMaps, owned, ownedBy, secrets, start } from '../../controllers/support.ts'

const keysOf = async (store: KeyValueStore) => (await store.list({ prefix: '/registry/' })).items.map(({ key }) => key)
const secretsElsewhere = (store: KeyValueStore) => ({ overrides: [{ store, resources: [{ group: '', resource: 'secrets' }] }] })

test('a resource with its own store is kept only there', async (t) => {
  const [store, other] = [memoryStore(), memoryStore()]
  const server = await start(t, { store, ...secretsElsewhere(other), controllers: [] })
  await server.create(secrets, { metadata: { name: 's' } })
  await server.create(configMaps, configMap('c'))
  assert.deepEqual(await keysOf(other), ['/registry/secrets/default/s'])
  assert((await keysOf(store)).includes('/registry/configmaps/default/c'))
  assert.deepEqual((await server.list(secrets)).metadata.resourceVersion, String(await other.currentRevision()))
  assert.equal((await server.patch(`${secrets}/s`, { data: { k: 'dg==' } })).status, 200)
  assert.equal((await server.delete(`${secrets}/s`)).status, 200)
  assert.deepEqual(await keysOf(other), [])
})

test('garbage collection across stores', async (t) => {
  const server = await start(t, secretsElsewhere(memoryStore()))
  // Moves the revisions of the two stores apart; they can not be compared.
  for (let i = 0; i < 40; i++) await server.create(configMaps, configMap(`filler-${i}`))
  const owner = await server.create(configMaps, configMap('owner'))
  await server.create(secrets, { metadata: { name: 'owned', ownerReferences: [ownedBy(owner)] } })
  await server.gone(`${secrets}/owned`, () => server.remove(`${configMaps}/owner`))
  const second = await server.create(secrets, { metadata: { name: 'owner' } })
  await server.create(configMaps, owned('owned', [ownedBy(second, { blockOwnerDeletion: true })]))
  await server.gone(`${secrets}/owner`, () => server.remove(`${secrets}/owner`, 'Foreground'))
  assert.equal((await server.get(`${configMaps}/owned`)).status, 404)
})

test('each store has its own health checks', async (t) => {
  let down = false
  const other: KeyValueStore = memoryStore()
  const failing: KeyValueStore = {
    ...other,
    currentRevision: () => (down ? Promise.reject(new StoreError('unavailable', 'down')) : other.currentRevision()),
  }
  const server = await start(t, { ...secretsElsewhere(failing), controllers: [], telemetry: { logger: silentLogger } })
  const readyz = async () => (await server.send<string>('GET', '/readyz?verbose')).body
  assert.match(await readyz(), /\[\+\]kvstore-override-0 ok\n(.*\n)*\[\+\]kvstore-override-readiness-0 ok\n/)
  down = true
  assert.match(await readyz(), /\[\+\]kvstore ok\n\[-\]kvstore-override-0 failed/)
  assert.equal(
    (await server.send('GET', '/readyz?exclude=kvstore&exclude=kvstore-readiness')).status,
    200,
    'excluded together with their group',
  )
})

test('metrics count the objects and measure the store sizes', async (t) => {
  const server = await start(t, { ...secretsElsewhere(memoryStore()), controllers: [], countInterval: 10, sizeInterval: 10 })
  for (let i = 0; i < 3; i++) await server.create(secrets, { metadata: { name: `s${i}` } })
  await server.create('/apis/apps/v1/namespaces/default/controllerrevisions', {
    metadata: { name: 'r' },
    revision: 1,
    data: { any: 'thing' },
  })
  const wanted = [
    /^apiserver_resource_objects\{group="",resource="secrets"\} 3$/m,
    /^apiserver_storage_objects\{resource="secrets"\} 3$/m,
    /^apiserver_resource_objects\{group="apps",resource="controllerrevisions"\} 1$/m,
    /^apiserver_storage_objects\{resource="controllerrevisions.apps"\} 1$/m,
    /^apiserver_storage_size_bytes\{storage_cluster_id="kvstore-0"\} [1-9]\d*$/m,
    /^apiserver_storage_size_bytes\{storage_cluster_id="kvstore-1"\} [1-9]\d*$/m,
  ]
  await eventually('all metrics', async () => {
    const { body } = await server.send<string>('GET', '/metrics')
    return wanted.every((line) => line.test(body))
  })
})

test('without the garbage collector, Orphan and Foreground deletions do not wait for it', async (t) => {
  const server = await start(t, { garbageCollection: false })
  const owner = await server.create(configMaps, configMap('owner'))
  await server.create(configMaps, owned('owned', [ownedBy(owner)]))
  for (const propagationPolicy of ['Orphan', 'Foreground']) {
    await server.create(configMaps, configMap(propagationPolicy.toLowerCase()))
    const { status, body } = await server.delete(`${configMaps}/${propagationPolicy.toLowerCase()}`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy,
    })
    assert.deepEqual([status, body.kind], [200, 'Status'])
  }
  await server.remove(`${configMaps}/owner`, 'Foreground')
  assert.equal((await server.get(`${configMaps}/owner`)).status, 404)
  assert.equal((await server.get(`${configMaps}/owned`)).status, 200)
})

test('a resource without watch cache reads the store', async (t) => {
  const store = memoryStore()
  let watches = 0
  const counting: KeyValueStore = {
    ...store,
    watch(prefix, after, watcher) {
      if (prefix.startsWith('/registry/secrets')) watches++
      return store.watch(prefix, after, watcher)
    },
  }
  const server = await start(t, { store: counting, uncached: [{ group: '', resource: 'secrets' }], controllers: [] })
  for (let i = 0; i < 4; i++) await server.create(secrets, { metadata: { name: `s${i}` } })
  const { items, metadata } = await server.list(`${secrets}?limit=1`)
  assert.deepEqual([items.length, metadata.remainingItemCount], [1, 3])
  assert.equal(watches, 0)
  await server.gone(`${secrets}/s0`, () => server.remove(`${secrets}/s0`))
  assert.equal(watches, 1, 'each watch is a watch of the store')
})
