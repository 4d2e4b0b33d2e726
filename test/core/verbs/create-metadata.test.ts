/** Metadata of created objects: what belongs to the server, and finalizers without a domain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [] })

const create = (path: string, metadata: object, rest: object = {}) => api.send('POST', `${path}?dryRun=All`, { metadata, ...rest })
const maps = '/api/v1/namespaces/default/configmaps'

test('fields that only the server sets have no manager on create', async () => {
  const system = {
    uid: 'x',
    creationTimestamp: '2020-01-01T00:00:00Z',
    deletionTimestamp: '2020-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 5,
  }
  for (const [name, value] of Object.entries(system)) {
    const { status, body } = await create(maps, { name: 'a', [name]: value })
    assert.equal(status, 201, name)
    const shown = body.metadata as unknown as Record<string, unknown>
    assert.equal(shown['managedFields'], undefined, name)
    assert.notEqual(shown[name], value)
  }
})

test('a dry run shows the resourceVersion that was sent', async () => {
  for (const resourceVersion of ['abc', '0', '-1', '5', '"'])
    assert.equal((await create(maps, { name: 'a', resourceVersion })).body.metadata.resourceVersion, resourceVersion)
})

test('finalizers without a domain are refused for the kinds that the reference refuses them for', async () => {
  const rules = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }
  const metadata = { name: 'a', finalizers: ['unqualified'] }
  for (const [path, code, rest] of [
    [maps, 422, {}],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 422, rules],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 201, { spec: {} }],
    ['/apis/node.k8s.io/v1/runtimeclasses', 201, { handler: 'any' }],
    ['/api/v1/namespaces/default/events', 201, { involvedObject: { namespace: 'default' } }],
  ] as const)
    assert.equal((await create(path, metadata, rest)).status, code, path)
})

test('a default that is not written has no manager', async () => {
  const labels = { a: 'b' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
  const { body } = await create(
    '/api/v1/namespaces/default/replicationcontrollers',
    { name: 'a' },
    { spec: { selector: labels, template } },
  )
  const owned = JSON.stringify(body.metadata)
  assert.ok(owned.includes('f:replicas'))
  assert.ok(!owned.includes('f:minReadySeconds'))
})

test('events of v1 may have any name that fits into a path', async () => {
  const events = '/api/v1/namespaces/default/events'
  const event = { involvedObject: { namespace: 'default' } }
  assert.equal((await create(events, { name: 'Any_Name-' }, event)).status, 201)
  assert.equal((await create(events, { name: 'a/b' }, event)).status, 422)
})
