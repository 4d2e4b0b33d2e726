/** PUT and apply of objects that do not exist yet, as kube-apiserver answers them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authorizer } from '../../../runtimes/web/index.ts'
import { serverForTests } from '../../support/in-process.ts'

/** Called when a create is authorized, before anything is stored. */
let beforeCreate: (() => Promise<unknown>) | undefined

const calling: Authorizer = {
  name: 'calls before a create',
  async authorize({ verb }) {
    const call = beforeCreate
    if (verb !== 'create' || call === undefined) return { verdict: 'allow', reason: '' }
    beforeCreate = undefined
    await call()
    return { verdict: 'allow', reason: '' }
  },
}

const api = serverForTests({ platform: 'kubernetes', controllers: [], authorizers: [calling] })

const maps = '/api/v1/namespaces/default/configmaps'
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const map = (name: string, metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } })
const role = (name: string, metadata: object = {}) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name, ...metadata },
})
const lease = (name: string, metadata: object) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, ...metadata } })

const apply = (path: string, body: object) =>
  api.send('PATCH', `${path}${path.includes('?') ? '&' : '?'}fieldManager=m`, body, { 'content-type': 'application/apply-patch+yaml' })

interface Failure {
  readonly message: string
  readonly reason?: string
}

const messageOf = (body: unknown) => (body as Failure).message

test('a resourceVersion is no precondition of an apply or PUT of an absent object, and is not stored', async () => {
  const applied = await apply(`${maps}/a`, map('a', { resourceVersion: '5' }))
  assert.equal(applied.status, 201, JSON.stringify(applied.body))
  assert.notEqual(applied.body.metadata.resourceVersion, '5')
  const put = await api.send('PUT', `${roles}/a`, role('a', { resourceVersion: '5' }))
  assert.equal(put.status, 201, JSON.stringify(put.body))
  assert.equal((await api.get(`${roles}/a`)).body.metadata.resourceVersion, put.body.metadata.resourceVersion)
})

test('a dry run shows the resourceVersion that was sent', async () => {
  const applied = await apply(`${maps}/dry?dryRun=All`, map('dry', { resourceVersion: '5' }))
  assert.deepEqual([applied.status, applied.body.metadata.resourceVersion], [201, '5'])
  const put = await api.send('PUT', `${roles}/dry?dryRun=All`, role('dry', { resourceVersion: '5' }))
  assert.deepEqual([put.status, put.body.metadata.resourceVersion], [201, '5'])
})

test('a malformed resourceVersion of an absent object is an error of the server', async () => {
  const text = 'strconv.ParseUint: parsing "abc": invalid syntax'
  const applied = await apply(`${maps}/bad`, map('bad', { resourceVersion: 'abc' }))
  assert.deepEqual([applied.status, messageOf(applied.body)], [500, text])
  const put = await api.send('PUT', `${roles}/bad`, role('bad', { resourceVersion: 'abc' }))
  assert.deepEqual([put.status, messageOf(put.body)], [500, text])
})

test('the uid of a PUT is a precondition, which no absent object meets', async () => {
  const rows = [
    [leases, 'leases', lease('u', { uid: 'x' })],
    [roles, 'roles', role('u', { uid: 'x' })],
  ] as const
  for (const [path, plural, body] of rows)
    for (const [query, prefix] of [
      ['', '/registry'],
      ['?dryRun=All', ''],
    ]) {
      const put = await api.send('PUT', `${path}/u${query}`, body)
      assert.equal(put.status, 409, JSON.stringify(put.body))
      const end = 'AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: '
      assert.ok(messageOf(put.body).endsWith(`Key: ${prefix}/${plural}/default/u, ResourceVersion: 0, ${end}`), messageOf(put.body))
    }
  const applied = await apply(`${maps}/u`, map('u', { uid: 'x' }))
  assert.deepEqual(
    [applied.status, messageOf(applied.body)],
    [
      409,
      'Operation cannot be fulfilled on configmaps "u": uid mismatch: the provided object specified uid x, and no existing object was found',
    ],
  )
})

test('a PUT that another create comes before becomes an update', async () => {
  beforeCreate = () => api.create(roles, role('raced', { labels: { by: 'other' } }))
  const put = await api.send('PUT', `${roles}/raced`, role('raced', { labels: { by: 'put' } }))
  assert.equal(put.status, 200, JSON.stringify(put.body))
  assert.deepEqual(put.body.metadata.labels, { by: 'put' })
})
