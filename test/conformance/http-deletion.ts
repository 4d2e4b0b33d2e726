import assert from 'node:assert/strict'
import { assertFailure, configMap, type TestList, type TestObject } from '../support/api.ts'
import { eventually } from '../support/wait.ts'
import { type On, type TestNamespace, unchanged } from './http-suite.ts'
import { deployment, pod } from './samples.ts'

async function assertGone({ api }: TestNamespace, url: string): Promise<void> {
  assert.equal((await api.get(url)).status, 404)
}

/** Delete, deletecollection, finalizers, preconditions, grace, propagation. */
export function deletion(on: On): void {
  on('answers with a Success status and the uid of the deleted object', async (space) => {
    const { api, at } = space
    const { metadata } = await api.create(at('configmaps'), configMap('a'))
    const answer = await api.delete<object>(at('configmaps/a'))
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    })
    await assertGone(space, at('configmaps/a'))
    assertFailure(await api.delete(at('configmaps/a')), 404, 'NotFound', 'configmaps "a" not found')
  })

  on('keeps a terminating object until its last finalizer is removed', async (space) => {
    const { api, at } = space
    const created = await api.create(at('configmaps'), configMap('a', {}, { finalizers: ['example.com/one', 'example.com/two'] }))
    const deleted = await api.delete(at('configmaps/a'))
    assert.equal(deleted.status, 200)
    assert.equal(deleted.body.kind, 'ConfigMap')
    assert.match(deleted.body.metadata.deletionTimestamp ?? '', /Z$/)
    assert.equal(deleted.body.metadata.deletionGracePeriodSeconds, 0)
    assert.equal(deleted.body.metadata.uid, created.metadata.uid)
    assert.deepEqual((await api.get(at('configmaps/a'))).body, deleted.body)
    await unchanged(api, at('configmaps'), async () => {
      assert.equal((await api.delete(at('configmaps/a'))).status, 200)
      const over = await api.send('POST', at('configmaps'), configMap('a'))
      assertFailure(over, 409, 'AlreadyExists', 'object is being deleted: configmaps "a" already exists')
      const added = await api.patch(at('configmaps/a'), { metadata: { finalizers: ['example.com/one', 'example.com/new'] } })
      assertFailure(
        added,
        422,
        'Invalid',
        'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}',
      )
    })
    const one = await api.patch(at('configmaps/a'), { metadata: { finalizers: ['example.com/two'] } })
    assert.deepEqual(one.body.metadata.finalizers, ['example.com/two'])
    assert.equal(one.body.metadata.deletionTimestamp, deleted.body.metadata.deletionTimestamp)
    assert.equal((await api.patch(at('configmaps/a'), { metadata: { finalizers: null } })).status, 200)
    await assertGone(space, at('configmaps/a'))
  })

  on('deletes an object only if its preconditions match', async (space) => {
    const { api, at } = space
    const { metadata } = await api.create(at('configmaps'), configMap('p'))
    await unchanged(api, at('configmaps'), async () => {
      const uid = await api.delete(at('configmaps/p'), { preconditions: { uid: 'other' } })
      assertFailure(
        uid,
        409,
        'Conflict',
        `Operation cannot be fulfilled on ConfigMap "p": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      )
      const version = await api.delete(at('configmaps/p'), { preconditions: { resourceVersion: '1' } })
      assertFailure(
        version,
        409,
        'Conflict',
        `Operation cannot be fulfilled on ConfigMap "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
      )
    })
    const { uid, resourceVersion } = metadata
    assert.equal((await api.delete(at('configmaps/p'), { preconditions: { uid, resourceVersion } })).status, 200)
    await assertGone(space, at('configmaps/p'))
  })

  on('refuses invalid delete options', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    await unchanged(api, at('configmaps'), async () => {
      const policy = await api.delete(at('configmaps/a'), { propagationPolicy: 'Sideways' })
      assertFailure(policy, 422, 'Invalid', /^DeleteOptions\.meta\.k8s\.io "" is invalid: propagationPolicy: /)
      const both = await api.delete(at('configmaps/a'), { propagationPolicy: 'Orphan', orphanDependents: true })
      assertFailure(both, 422, 'Invalid', /orphanDependents and deletionPropagation cannot be both set/)
      assertFailure(await api.send('DELETE', at('configmaps/a'), '{"gracePeriodSeconds":'), 400, 'BadRequest')
      assertFailure(await api.send('DELETE', at('configmaps/a'), { gracePeriodSeconds: 'soon' }), 400, 'BadRequest')
    })
  })

  on('deletes an unscheduled pod at once and a bound one after its grace period', async (space) => {
    const { api, at } = space
    await api.create(at('pods'), pod('loose'))
    const loose = await api.delete(at('pods/loose'))
    assert.equal(loose.status, 200)
    assert.equal(loose.body.kind, 'Pod')
    await assertGone(space, at('pods/loose'))

    await api.create(at('pods'), pod('bound', { nodeName: 'n1', terminationGracePeriodSeconds: 40 }))
    const first = (await api.delete(at('pods/bound'))).body.metadata
    assert.equal(first.deletionGracePeriodSeconds, 40)
    const shorter = (await api.delete(at('pods/bound'), { gracePeriodSeconds: 5 })).body.metadata
    assert.equal(shorter.deletionGracePeriodSeconds, 5)
    assert.equal(Date.parse(first.deletionTimestamp ?? '') - Date.parse(shorter.deletionTimestamp ?? ''), 35_000)
    const longer = (await api.delete(at('pods/bound'), { gracePeriodSeconds: 60 })).body.metadata
    assert.deepEqual(longer, shorter)
    assert.equal((await api.delete(at('pods/bound?gracePeriodSeconds=0'))).status, 200)
    await assertGone(space, at('pods/bound'))
  })

  on('deletecollection deletes the selected objects and returns them', async (space) => {
    const { api, at } = space
    for (const name of ['a', 'b', 'c', 'd']) {
      const group = name < 'c' ? 'go' : 'stay'
      await api.create(at('configmaps'), configMap(name, {}, { labels: { group }, ...(name === 'b' && { finalizers: ['example.com/f'] }) }))
    }
    const answer = await api.delete<TestList>(at('configmaps?labelSelector=group=go'))
    assert.equal(answer.status, 200)
    assert.equal(answer.body.kind, 'ConfigMapList')
    assert.deepEqual(
      answer.body.items.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    )
    const left = (await api.list(at('configmaps?labelSelector=group'))).items
    assert.deepEqual(
      left.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
      [
        ['b', true],
        ['c', false],
        ['d', false],
      ],
    )
    assert.equal((await api.delete(at('configmaps?fieldSelector=metadata.name=c'))).status, 200)
    await assertGone(space, at('configmaps/c'))
    assert.equal((await api.get(at('configmaps/d'))).status, 200)
    await api.patch(at('configmaps/b'), { metadata: { finalizers: null } })
  })

  const owned = (owner: TestObject, name: string, more: object = {}) =>
    configMap(
      name,
      {},
      {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: owner.metadata.name, uid: owner.metadata.uid, ...more }],
      },
    )

  on('garbage collection: Background, Foreground, Orphan', async (space) => {
    const { api, at, under } = space
    const deployments = under('apps/v1', 'deployments')
    const gone = (url: string) => eventually(`end of ${url}`, async () => (await api.get(url)).status === 404)

    await api.create(at('configmaps'), owned(await api.create(deployments, deployment('background')), 'one'))
    await api.delete(`${deployments}/background`, { propagationPolicy: 'Background' })
    await assertGone(space, `${deployments}/background`)
    await gone(at('configmaps/one'))

    await api.create(at('configmaps'), {
      ...owned(await api.create(deployments, deployment('foreground')), 'two', { blockOwnerDeletion: true }),
    })
    await api.patch(at('configmaps/two'), { metadata: { finalizers: ['example.com/f'] } })
    const waiting = await api.delete(`${deployments}/foreground`, { propagationPolicy: 'Foreground' })
    assert.deepEqual(waiting.body.metadata.finalizers, ['foregroundDeletion'])
    await eventually('deletion of the dependent', async () => (await api.get(at('configmaps/two'))).body.metadata.deletionTimestamp)
    assert.equal((await api.get(`${deployments}/foreground`)).status, 200)
    await api.patch(at('configmaps/two'), { metadata: { finalizers: null } })
    await gone(`${deployments}/foreground`)

    const orphaned = owned(await api.create(deployments, deployment('orphan')), 'three')
    await api.create(at('configmaps'), orphaned)
    await api.delete(`${deployments}/orphan`, { propagationPolicy: 'Orphan' })
    await gone(`${deployments}/orphan`)
    const left = await api.get<{ metadata: { ownerReferences?: unknown } }>(at('configmaps/three'))
    assert.equal(left.status, 200)
    assert.equal(left.body.metadata.ownerReferences, undefined)
  })

  on('empties a terminating namespace before removing it, and refuses new content', async ({ api, at, namespace }) => {
    await api.create(at('configmaps'), configMap('a', {}, { finalizers: ['example.com/f'] }))
    await api.create(at('configmaps'), configMap('b'))
    const url = `/api/v1/namespaces/${namespace}`
    const deleted = await api.delete(url)
    assert.equal(deleted.status, 200)
    assert.equal(deleted.body.status?.['phase'], 'Terminating')
    await eventually('end of b', async () => (await api.get(at('configmaps/b'))).status === 404)
    const status = assertFailure(
      await api.send('POST', at('configmaps'), configMap('c')),
      403,
      'Forbidden',
      `configmaps "c" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    )
    assert.deepEqual(status.details, {
      name: 'c',
      kind: 'configmaps',
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
    })
    assert.equal((await api.get(url)).status, 200)
    await api.patch(at('configmaps/a'), { metadata: { finalizers: null } })
    await eventually('end of the namespace', async () => (await api.get(url)).status === 404)
  })

  on('refuses to delete system namespaces', async ({ api }) => {
    const answer = await api.delete('/api/v1/namespaces/default')
    assertFailure(answer, 403, 'Forbidden', 'namespaces "default" is forbidden: this namespace may not be deleted')
    assert.equal((await api.get('/api/v1/namespaces/default')).body.metadata.deletionTimestamp, undefined)
  })
}
