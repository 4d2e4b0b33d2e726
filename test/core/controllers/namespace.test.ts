import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../../runtimes/testing/index.ts'
import { apiOf, assertFailure, configMap, type TestObject } from '../../support/api.ts'
import { eventually } from '../../support/wait.ts'
import { start } from './support.ts'

const namespaces = '/api/v1/namespaces'
const team = `${namespaces}/team`
const namespace = (name: string) => ({ kind: 'Namespace', apiVersion: 'v1', metadata: { name } })

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}
const conditionsOf = ({ status }: TestObject) => new Map(((status?.['conditions'] ?? []) as Condition[]).map((each) => [each.type, each]))

test('a namespace that is deleted has no grace period', async (t) => {
  const server = await start(t)
  await server.create(namespaces, namespace('team'))
  const { body } = await server.send('DELETE', `${team}?dryRun=All`)
  assert.ok(body.metadata.deletionTimestamp)
  assert.ok(!('deletionGracePeriodSeconds' in body.metadata))
})

test('deleting a namespace deletes its content first', async (t) => {
  const server = await start(t)
  await server.create(namespaces, namespace('team'))
  await server.create(`${team}/configmaps`, configMap('settings'))
  await server.create(`${team}/secrets`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'key' } })
  await server.create(`${team}/services`, {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: { type: 'ClusterIP', clusterIP: '10.0.0.5', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }] },
  })
  await server.create('/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles', {
    kind: 'Role',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name: 'reader' },
    rules: [],
  })
  await server.create('/api/v1/namespaces/default/configmaps', configMap('elsewhere'))
  await server.gone(team, () => server.remove(team))
  for (const path of ['/api/v1/configmaps', '/api/v1/secrets', '/api/v1/services', '/apis/rbac.authorization.k8s.io/v1/roles']) {
    const { items } = await server.list(path)
    assert.deepEqual(
      items.filter(({ metadata }) => metadata.namespace === 'team'),
      [],
      path,
    )
  }
  assert.equal((await server.get('/api/v1/namespaces/default/configmaps/elsewhere')).status, 200)
  assert.equal((await server.get('/apis/networking.k8s.io/v1/ipaddresses/10.0.0.5')).status, 404)
})

test('content with finalizers delays the deletion, and the status says so', async (t) => {
  const server = await start(t)
  await server.create(namespaces, namespace('team'))
  for (const name of ['one', 'two']) {
    await server.create(`${team}/configmaps`, configMap(name, {}, { finalizers: ['example.org/hold'] }))
  }
  await server.remove(team)
  const held = await server.reached(team, (object) => conditionsOf(object).has('NamespaceContentRemaining'))
  assert.equal(held.status?.['phase'], 'Terminating')
  const shown = [...conditionsOf(held).values()].map(({ type, status, reason, message }) => [type, status, reason, message])
  assert.deepEqual(shown, [
    ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
    ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ['NamespaceContentRemaining', 'True', 'SomeResourcesRemain', 'Some resources are remaining: configmaps. has 2 resource instances'],
    [
      'NamespaceFinalizersRemaining',
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: example.org/hold in 2 resource instances',
    ],
  ])
  assertFailure(await server.send('POST', `${team}/configmaps`, configMap('late')), 403, 'Forbidden', /because it is being terminated$/)
  await server.gone(team, async () => {
    for (const name of ['one', 'two']) await server.patch(`${team}/configmaps/${name}`, { metadata: { finalizers: null } })
  })
})

test('pods end before anything else of a namespace is deleted, such as the network policies that isolate them', async (t) => {
  const server = await start(t, { admissionPlugins: { disable: ['ServiceAccount'] } })
  await server.create(namespaces, namespace('team'))
  const policies = '/apis/networking.k8s.io/v1/namespaces/team/networkpolicies'
  await server.create(policies, {
    kind: 'NetworkPolicy',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'deny' },
    spec: { podSelector: {} },
  })
  await server.create(`${team}/configmaps`, configMap('settings'))
  await server.create(`${team}/pods`, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    // On a node, so that its agent has to stop it.
    spec: { nodeName: 'node', containers: [{ name: 'web', image: 'web' }] },
  })
  await server.remove(team)
  const waiting = await server.reached(team, (object) => conditionsOf(object).has('NamespaceContentRemaining'))
  assert.ok((await server.get(`${team}/pods/web`)).body.metadata.deletionTimestamp)
  const { status, message } = conditionsOf(waiting).get('NamespaceContentRemaining') as Condition
  assert.deepEqual([status, message], ['False', 'All content successfully removed'])
  for (const path of [`${policies}/deny`, `${team}/configmaps/settings`]) {
    const { status: code, body } = await server.get(path)
    assert.deepEqual([code, body.metadata.deletionTimestamp], [200, undefined], path)
  }
  await server.gone(team, () => server.delete(`${team}/pods/web`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 }))
  assert.equal((await server.get(`${policies}/deny`)).status, 404)
})

test('a finalizer on the namespace delays its deletion when it is empty', async (t) => {
  const server = await start(t)
  await server.create(namespaces, { ...namespace('team'), metadata: { name: 'team', finalizers: ['example.org/hold'] } })
  await server.create(`${team}/configmaps`, configMap('settings'))
  await server.remove(team)
  await server.reached(team, ({ spec }) => ((spec?.['finalizers'] ?? []) as string[]).length === 0)
  assert.deepEqual((await server.list(`${team}/configmaps`)).items, [])
  await server.gone(team, () => server.patch(team, { metadata: { finalizers: null } }))
})

test('without the controller the namespace and its content stay', async (t) => {
  const server = await start(t, { controllers: ['garbage-collector'] })
  await server.create(namespaces, namespace('team'))
  const kept = await server.create(`${team}/configmaps`, configMap('settings'))
  await server.remove(team)
  const orphan = configMap('probe', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: crypto.randomUUID() }] })
  await server.gone('/api/v1/namespaces/default/configmaps/probe', () => server.create('/api/v1/namespaces/default/configmaps', orphan))
  assert.equal((await server.get(team)).body.status?.['phase'], 'Terminating')
  assert.equal((await server.get(`${team}/configmaps/settings`)).body.metadata.uid, kept.metadata.uid)
})

test('content that does not go is asked for less and less often, and its end is noticed at once', async (t) => {
  const server = await startTestServer({ controllers: ['namespace'] })
  t.after(() => server.close())
  const api = apiOf((path, init) => server.fetch(new Request(`http://test${path}`, init)))
  await api.create(namespaces, namespace('team'))
  await api.create(`${team}/configmaps`, configMap('kept', {}, { finalizers: ['example.org/hold'] }))
  await api.delete(team)
  const deletes = async () => {
    const { body } = await api.get<string>('/metrics')
    return [...body.matchAll(/^apiserver_request_total\{.*resource="configmaps",scope="namespace".*verb="DELETE".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
  await eventually('the first delete', async () => (await deletes()) > 0)
  for (let second = 0; second < 600; second++) {
    await server.clock.advance(1_000)
    await api.get(team)
  }
  const asked = await deletes()
  assert.ok(asked >= 10 && asked <= 20, `${asked} deletes in ten minutes`)
  assert.equal((await api.patch(`${team}/configmaps/kept`, { metadata: { finalizers: null } })).status, 200)
  await eventually(
    'the namespace is gone, before the next check, which is a minute away',
    async () => (await api.get(team)).status === 404,
    25_000,
  )
})
