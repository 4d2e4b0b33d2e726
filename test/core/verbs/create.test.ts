/** Creates: what is answered, what belongs to the server, and finalizers without a domain. What every runtime answers: test/conformance/http-writes.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [] })

const create = (path: string, metadata: object, rest: object = {}) => api.send('POST', `${path}?dryRun=All`, { metadata, ...rest })
const maps = '/api/v1/namespaces/default/configmaps'

test('a create is answered with the stored object', async () => {
  const sent = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'plain', labels: { a: 'b' } }, data: { key: 'value' } }
  const { status, body } = await api.send('POST', maps, sent)
  assert.equal(status, 201)
  const { name, namespace, labels, uid, resourceVersion, creationTimestamp } = body.metadata
  assert.deepEqual({ ...body, metadata: { name, labels } }, sent)
  assert.equal(namespace, 'default')
  assert.ok(uid !== '' && Number(resourceVersion) > 0 && Date.parse(creationTimestamp) > 0)
  assert.deepEqual(labels, { a: 'b' })
  assert.deepEqual((await api.get(`${maps}/plain`)).body, body)
})

test('what can not be created is refused with the reason', async () => {
  await api.send('POST', maps, { metadata: { name: 'taken' } })
  for (const [code, message, path, body] of [
    [409, 'configmaps "taken" already exists', maps, { metadata: { name: 'taken' } }],
    [422, /^ConfigMap "A" is invalid: metadata\.name: Invalid value: "A": /, maps, { metadata: { name: 'A' } }],
    [422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required', maps, { metadata: {} }],
    [404, 'namespaces "nowhere" not found', '/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } }],
    [
      400,
      /^the namespace of the provided object does not match the namespace sent on the request$/,
      maps,
      { metadata: { name: 'a', namespace: 'other' } },
    ],
    [
      400,
      /^Secret in version "v1" cannot be handled as a ConfigMap: /,
      maps,
      { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } },
    ],
  ] as const) {
    const answer = await api.send<Status>('POST', path, body)
    assert.equal(answer.status, code, JSON.stringify(answer.body))
    if (typeof message === 'string') assert.equal(answer.body.message, message)
    else assert.match(answer.body.message ?? '', message)
  }
})

test('of several faults the first one of the text is told; the members of YAML are sorted', async () => {
  const ports = (text: string) =>
    `{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"c"},{"ports":[${text}],"name":1}]},"metadata":{"name":2}}`
  const rows: readonly (readonly [type: string, text: string, at: string])[] = [
    ['json', '{"hostPort":"x","containerPort":"y"}', 'ContainerPort.spec.containers.ports.hostPort'],
    ['json', '{"containerPort":"x","hostPort":"y"}', 'ContainerPort.spec.containers.ports.containerPort'],
    ['json', '{"containerPort":1},{"protocol":1}', 'ContainerPort.spec.containers.ports.protocol'],
    ['yaml', '{"hostPort":"x","containerPort":"y"}', 'ObjectMeta.metadata.name'],
  ]
  for (const [type, text, at] of rows) {
    const { body } = await api.send<Status>('POST', '/api/v1/namespaces/default/pods', ports(text), {
      'content-type': `application/${type}`,
    })
    assert.match(body.message ?? '', new RegExp(`^Pod in version "v1" cannot be handled as a Pod: json: .* Go struct field ${at} of type`))
  }
})

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
