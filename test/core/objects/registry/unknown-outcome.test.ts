/** Writes with an unknown outcome, as when etcd changes its leader: they must not be reported as not done. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

/** A store that, while `losing`, executes writes of keys containing `part` and answers with a timeout. */
function forgetful(part: string) {
  const store = memoryStore()
  const state = { losing: false, writes: 0 }
  const answer = async <T>(key: string, done: Promise<T>): Promise<T> => {
    const result = await done
    if (!key.includes(part)) return result
    state.writes++
    if (state.losing) throw new StoreError('timeout', 'request timed out')
    return result
  }
  const lossy: KeyValueStore = {
    ...store,
    put: (key, ...args) => answer(key, store.put(key, ...args)),
    delete: (key, ...args) => answer(key, store.delete(key, ...args)),
  }
  return { store: lossy, state }
}

async function start(t: TestContext, part: string) {
  const { store, state } = forgetful(part)
  const { api } = await startInProcess({ store, controllers: [] }, t)
  return { api, state }
}

test('an update, patch or delete with an unknown outcome answers 504 and is not retried', async (t) => {
  const { api, state } = await start(t, 'configmaps/')
  const path = '/api/v1/namespaces/default/configmaps'
  const cached = async (version: string) =>
    assert.ok(
      await eventually('the cache', async () => {
        const { items } = await api.list(`${path}?resourceVersion=0`)
        return items.some(({ metadata }) => metadata.resourceVersion === version)
      }),
    )
  const created = await api.create(path, { ...configMap('lost', { n: '0' }), metadata: { name: 'lost', finalizers: ['example.com/a'] } })
  await cached(created.metadata.resourceVersion)
  state.losing = true
  state.writes = 0
  const update = await api.send('PUT', `${path}/lost`, { ...created, data: { n: '1' } })
  assert.equal(update.status, 504, JSON.stringify(update.body))
  assert.equal(state.writes, 1)
  const { body: updated } = await api.get(`${path}/lost`)
  assert.deepEqual(updated.data, { n: '1' }, 'the update was stored')
  await cached(updated.metadata.resourceVersion)

  const add = [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' }]
  const patch = await api.patch(`${path}/lost`, add, 'application/json-patch+json')
  assert.equal(patch.status, 504)
  assert.equal(state.writes, 2)
  const { body: patched } = await api.get(`${path}/lost`)
  assert.deepEqual(patched.metadata.finalizers, ['example.com/a', 'example.com/b'])
  await cached(patched.metadata.resourceVersion)

  assert.equal((await api.delete(`${path}/lost`)).status, 504)
  assert.equal(state.writes, 3)
  const { body: terminating } = await api.get(`${path}/lost`)
  await cached(terminating.metadata.resourceVersion)
  const last = await api.patch(`${path}/lost`, { metadata: { finalizers: null } })
  assert.equal(last.status, 504)
  assert.equal(state.writes, 4)
  assert.equal((await api.get(`${path}/lost`)).status, 404)
})

test('a service with an unknown outcome of its create keeps its address', async (t) => {
  const { api, state } = await start(t, 'services/specs/')
  const path = '/api/v1/namespaces/default/services'
  const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } })
  state.losing = true
  assert.equal((await api.send('POST', path, service('lost'))).status, 504)
  state.losing = false
  const { body } = await api.get(`${path}/lost`)
  const { items } = await api.list('/apis/networking.k8s.io/v1/ipaddresses')
  assert.ok(
    items.some(({ metadata }) => metadata.name === body.spec?.['clusterIP']),
    `${body.spec?.['clusterIP']} is taken`,
  )
})
