import assert from 'node:assert/strict'
import { assertFailure, type TestObject } from '../support/api.ts'
import { type On, unchanged } from './http-suite.ts'
import { deployment, pod } from './samples.ts'

/** Status, scale, binding, finalize. */
export function subresources(on: On): void {
  on('/status changes the status and nothing else', async ({ api, under }) => {
    const url = under('apps/v1', 'deployments/d')
    const created = await api.create(under('apps/v1', 'deployments'), deployment('d'))
    const mixed = { ...created, spec: { ...created.spec, replicas: 9 }, status: { replicas: 4, observedGeneration: 1 } }
    const put = await api.send('PUT', `${url}/status`, mixed)
    assert.equal(put.status, 200)
    assert.deepEqual(put.body.status, { replicas: 4, observedGeneration: 1 })
    assert.deepEqual(put.body.spec, created.spec)
    assert.equal(put.body.metadata.generation, 1)
    const main = await api.send('PUT', url, { ...put.body, status: { replicas: 5 } })
    assert.deepEqual(main.body, put.body)
    const patched = await api.patch(`${url}/status`, { status: { readyReplicas: 1 }, spec: { replicas: 9 } })
    assert.deepEqual(patched.body.status, { replicas: 4, observedGeneration: 1, readyReplicas: 1 })
    assert.deepEqual(patched.body.spec, created.spec)
    assert.deepEqual((await api.get(`${url}/status`)).body, patched.body)
  })

  on('/scale reads and sets the number of replicas', async ({ api, under, namespace }) => {
    const url = under('apps/v1', 'deployments/d')
    const created = await api.create(under('apps/v1', 'deployments'), deployment('d'))
    await api.patch(`${url}/status`, { status: { replicas: 1 } })
    const { body: parent } = await api.get(url)
    const { status, body: scale } = await api.get(`${url}/scale`)
    assert.equal(status, 200)
    const { name, uid, creationTimestamp } = created.metadata
    assert.deepEqual(scale, {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion: parent.metadata.resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=web' },
    })
    const put = await api.send('PUT', `${url}/scale`, { ...scale, spec: { replicas: 5 } })
    assert.equal(put.status, 200)
    assert.deepEqual(put.body.spec, { replicas: 5 })
    const { body: scaled } = await api.get(url)
    assert.equal(scaled.spec?.['replicas'], 5)
    assert.equal(scaled.metadata.generation, 2)
    assert.equal(put.body.metadata.resourceVersion, scaled.metadata.resourceVersion)
    assertFailure(await api.send('PUT', `${url}/scale`, { ...scale, spec: { replicas: 6 } }), 409, 'Conflict')
    const patched = await api.patch(`${url}/scale`, { spec: { replicas: 0 } })
    assert.deepEqual(patched.body.spec, {})
    assert.equal((await api.get(url)).body.spec?.['replicas'], 0)
    await unchanged(api, under('apps/v1', 'deployments'), async () => {
      const negative = await api.patch(`${url}/scale`, { spec: { replicas: -1 } })
      assertFailure(negative, 422, 'Invalid', /spec\.replicas: Invalid value: -1: must be greater than or equal to 0$/)
    })
  })

  on('binds a pod to a node once', async ({ api, at, namespace }) => {
    await api.create(at('pods'), pod('p'))
    const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } }
    const bound = await api.send<{ kind: string; status: string }>('POST', at('pods/p/binding'), binding)
    assert.equal(bound.status, 201)
    assert.equal(bound.body.kind, 'Status')
    assert.equal(bound.body.status, 'Success')
    const { body } = await api.get(at('pods/p'))
    assert.equal(body.spec?.['nodeName'], 'n1')
    const conditions = body.status?.['conditions'] as readonly { type: string; status: string }[]
    assert.equal(conditions.find(({ type }) => type === 'PodScheduled')?.status, 'True')
    await unchanged(api, at('pods'), async () => {
      const again = await api.send('POST', at('pods/p/binding'), { ...binding, target: { kind: 'Node', name: 'n2' } })
      assertFailure(again, 409, 'Conflict', 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"')
    })
    assert(namespace)
  })

  on('/finalize removes finalizers of a namespace', async ({ api, namespace }) => {
    const url = `/api/v1/namespaces/${namespace}`
    const { body } = await api.get<TestObject>(url)
    assert.equal((body.spec?.['finalizers'] as unknown[] | undefined)?.length, 1)
    const kept = await api.send('PUT', url, { ...body, spec: { finalizers: [] } })
    assert.deepEqual(kept.body.spec, body.spec)
    const finalized = await api.send('PUT', `${url}/finalize`, { ...kept.body, spec: { finalizers: ['example.com/f'] } })
    assert.equal(finalized.status, 200)
    assert.deepEqual(finalized.body.spec?.['finalizers'], ['example.com/f'])
  })

  on('answers 404 for unknown subresources', async ({ api, at }) => {
    await api.create(at('pods'), pod('p'))
    assert.equal((await api.get(at('pods/p/scale'))).status, 404)
    assert.equal((await api.get(at('pods/p/nothing'))).status, 404)
    assert.equal((await api.get(at('configmaps/p/status'))).status, 404)
  })
}
