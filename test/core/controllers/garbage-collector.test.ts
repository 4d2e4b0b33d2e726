import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { configMap } from '../../support/api.ts'
import { configMaps, owned, ownedBy, ownersOf, start } from './support.ts'

const at = (name: string) => `${configMaps}/${name}`
const hold = { finalizers: ['example.org/hold'] }

test('background deletion: dependents and their dependents are deleted after the owner', async (t) => {
  const server = await start(t)
  const owner = await server.create(configMaps, configMap('owner'))
  const child = await server.create(configMaps, owned('child', [ownedBy(owner)]))
  await server.create(configMaps, owned('grandchild', [ownedBy(child)]))
  await server.gone(at('grandchild'), () => server.remove(at('owner')))
  assert.equal((await server.get(at('child'))).status, 404)
  assert.equal((await server.get(at('owner'))).status, 404)
})

test('an object whose owner never existed is deleted at once; an owner with another name or kind does not count', async (t) => {
  const server = await start(t)
  const owner = await server.create(configMaps, configMap('owner'))
  await server.gone(at('orphaned'), () => server.create(configMaps, owned('orphaned', [{ ...ownedBy(owner), uid: crypto.randomUUID() }])))
  await server.gone(at('misnamed'), () => server.create(configMaps, owned('misnamed', [{ ...ownedBy(owner), name: 'other' }])))
  await server.gone(at('mistyped'), () => server.create(configMaps, owned('mistyped', [{ ...ownedBy(owner), kind: 'Secret' }])))
  assert.equal((await server.get(at('owner'))).status, 200)
})

test('an owner of an unknown kind counts as present', async (t) => {
  const server = await start(t)
  const foreign = { apiVersion: 'example.org/v1', kind: 'Widget', name: 'w', uid: crypto.randomUUID() }
  await server.create(configMaps, owned('kept', [foreign]))
  await server.gone(at('probe'), () => server.create(configMaps, owned('probe', [{ ...foreign, apiVersion: 'v1', kind: 'ConfigMap' }])))
  assert.equal((await server.get(at('kept'))).status, 200)
})

test('an object with several owners loses the deleted one, and is deleted with the last', async (t) => {
  const server = await start(t)
  const owners = [await server.create(configMaps, configMap('a')), await server.create(configMaps, configMap('b'))]
  await server.create(
    configMaps,
    owned(
      'shared',
      owners.map((each) => ownedBy(each)),
    ),
  )
  await server.remove(at('a'))
  await server.reached(at('shared'), (object) => ownersOf(object).join() === 'b')
  await server.gone(at('shared'), () => server.remove(at('b')))
})

test('updates that keep the owners of an object are not looked at; those that change them are, and so is the end of an owner', async (t) => {
  const server = await start(t)
  const looked = async () => {
    const text = await (await server.fetch('/metrics')).text()
    return Number(/^workqueue_adds_total\{name="garbage-collector"\} (\d+)/m.exec(text)?.[1])
  }
  const owner = await server.create(configMaps, configMap('owner'))
  const absent = { ...ownedBy(owner), uid: crypto.randomUUID() }
  for (const name of ['child', 'changed']) await server.create(configMaps, owned(name, [ownedBy(owner)]))
  const probe = () => server.gone(at('probe'), () => server.create(configMaps, owned('probe', [absent])))
  await probe()
  const before = await looked()
  assert.ok(before >= 3, String(before))
  for (let count = 0; count < 20; count++) await server.patch(at('child'), { data: { count: String(count) } })
  // Queued behind the updates.
  await probe()
  const after = await looked()
  assert.ok(after > before && after < before + 10, `${before} to ${after}`)
  await server.gone(at('changed'), () => server.patch(at('changed'), { metadata: { ownerReferences: [absent] } }))
  await server.gone(at('child'), () => server.remove(at('owner')))
})

test('foreground deletion: the owner waits for blocking dependents', async (t) => {
  const server = await start(t)
  const owner = await server.create(configMaps, configMap('owner'))
  await server.create(configMaps, owned('blocking', [ownedBy(owner, { blockOwnerDeletion: true })], hold))
  await server.create(configMaps, owned('other', [ownedBy(owner)], hold))
  const { body } = await server.delete(at('owner'), { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' })
  assert.deepEqual(body.metadata.finalizers, ['foregroundDeletion'])
  for (const name of ['blocking', 'other']) await server.reached(at(name), ({ metadata }) => metadata.deletionTimestamp !== undefined)
  assert.equal((await server.get(at('owner'))).status, 200)
  await server.gone(at('owner'), () => server.patch(at('blocking'), { metadata: { finalizers: null } }))
  assert.equal((await server.get(at('other'))).status, 200, 'it does not block')
})

test('foreground deletion ends when the last blocking dependent no longer blocks', async (t) => {
  const server = await start(t)
  const owner = await server.create(configMaps, configMap('owner'))
  await server.create(configMaps, owned('blocking', [ownedBy(owner, { blockOwnerDeletion: true })], hold))
  await server.remove(at('owner'), 'Foreground')
  await server.reached(at('blocking'), ({ metadata }) => metadata.deletionTimestamp !== undefined)
  await server.gone(at('owner'), () => server.patch(at('blocking'), { metadata: { ownerReferences: [ownedBy(owner)] } }))
})

test('foreground deletion resolves ownership cycles', async (t) => {
  const server = await start(t)
  const blocked = { blockOwnerDeletion: true }
  const a = await server.create(configMaps, configMap('a'))
  const b = await server.create(configMaps, owned('b', [ownedBy(a, blocked)]))
  await server.patch(at('a'), { metadata: { ownerReferences: [ownedBy(b, blocked)] } })
  await server.gone(at('a'), () => server.remove(at('a'), 'Foreground'))
})

test('orphan deletion: dependents lose the owner reference and stay', async (t) => {
  const server = await start(t)
  const [owner, other] = [await server.create(configMaps, configMap('owner')), await server.create(configMaps, configMap('other'))]
  await server.create(configMaps, owned('only', [ownedBy(owner)]))
  await server.create(configMaps, owned('shared', [ownedBy(owner), ownedBy(other)]))
  await server.gone(at('owner'), () => server.remove(at('owner'), 'Orphan'))
  assert.deepEqual(ownersOf((await server.get(at('only'))).body), [])
  assert.deepEqual(ownersOf((await server.get(at('shared'))).body), ['other'])
})

test('cluster-scoped owners and dependents', async (t) => {
  const server = await start(t)
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const role = (name: string, metadata: object = {}) => ({
    kind: 'ClusterRole',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name, ...metadata },
    rules: [],
  })
  const owner = await server.create(roles, role('owner'))
  await server.create(roles, role('child', { ownerReferences: [ownedBy(owner)] }))
  const inNamespace = await server.create(configMaps, owned('child', [ownedBy(owner)]))
  await server.create(roles, role('confused', { ownerReferences: [{ ...ownedBy(inNamespace), uid: crypto.randomUUID() }] }))
  const since = (await server.list(configMaps)).metadata.resourceVersion
  await server.gone(`${roles}/child`, () => server.remove(`${roles}/owner`))
  await server.gone(at('child'), async () => {}, since)
  assert.equal((await server.get(`${roles}/confused`)).status, 200, 'a cluster-scoped object can not have a namespaced owner, so it stays')
})

test('a restarted server finds all dependents before it deletes an owner', async (t) => {
  const store = memoryStore()
  const before = await start(t, { store, controllers: [] })
  const owner = await before.create(configMaps, configMap('aaa-owner'))
  const names = Array.from({ length: 20 }, (_, index) => `dependent-${index}`)
  for (const name of names) await before.create(configMaps, owned(name, [ownedBy(owner)]))
  await before.remove(at('aaa-owner'), 'Orphan')
  assert.equal((await before.get(at('aaa-owner'))).status, 200)

  const since = (await before.list(configMaps)).metadata.resourceVersion
  const after = await start(t, { store })
  await after.gone(at('aaa-owner'), async () => {}, since)
  const { items } = await after.list(configMaps)
  const left = new Map(items.map((each) => [each.metadata.name, ownersOf(each)]))
  for (const name of names) assert.deepEqual(left.get(name), [], name)
})

test('without the garbage collector dependents stay', async (t) => {
  const server = await start(t, { controllers: ['namespace'] })
  const owner = await server.create(configMaps, configMap('owner'))
  await server.create(configMaps, owned('child', [ownedBy(owner)]))
  await server.remove(at('owner'))
  await server.create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'passing' } })
  await server.gone('/api/v1/namespaces/passing', () => server.remove('/api/v1/namespaces/passing'))
  assert.equal((await server.get(at('child'))).status, 200)
})
