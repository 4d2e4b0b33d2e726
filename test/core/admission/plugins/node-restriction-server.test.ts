/** A kubelet's requests to a server with Node, RBAC and NodeRestriction, as kubeadm configures it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Authenticator } from '../../../../core/access/authn/authenticator.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { userOf } from '../../access/authz/attributes.ts'

const byHeader: Authenticator = { name: 'header', authenticate: async (request) => ({ user: userOf(request.headers.get('who') ?? '') }) }
const root = { who: 'root+system:masters' }
const node = { who: 'system:node:n1+system:nodes+system:authenticated' }
const nodes = '/api/v1/nodes'
const pods = '/api/v1/namespaces/default/pods'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess({
    platform: createPlatform('kubernetes'),
    authorizationModes: ['Node', 'RBAC'],
    authenticators: [byHeader],
    admissionPlugins: { enable: ['NodeRestriction'] },
  })
  api = running.api
})
after(() => running.close())

const merge = (path: string, patch: object, headers = node) =>
  api.send('PATCH', path, patch, { ...headers, 'content-type': 'application/merge-patch+json' })

test('a node registers, reports its status and can not change other nodes', async () => {
  assert.equal((await api.send('POST', nodes, { metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux' } } }, node)).status, 201)
  const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  assert.equal((await merge(`${nodes}/n1/status`, ready)).status, 200, 'its status')
  assertFailure(
    await merge(`${nodes}/n1`, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
    403,
    'Forbidden',
    'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
  )
  assertFailure(
    await api.send('POST', nodes, { metadata: { name: 'n2' } }, node),
    403,
    'Forbidden',
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  )
  const lease = { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1' } }
  assert.equal(
    (await api.send('POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease, node)).status,
    201,
    'its lease',
  )
})

test('a node creates mirror pods, reports the status of its pods and deletes them', async () => {
  const { uid } = (await api.get(`${nodes}/n1`, root)).body.metadata
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true }
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] }
  const annotations = { 'kubernetes.io/config.mirror': 'hash' }
  const mirror = { metadata: { name: 'static', annotations, ownerReferences: [owner] }, spec }
  const made = await api.send('POST', pods, mirror, node)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assertFailure(await api.send('POST', pods, { metadata: { name: 'plain' }, spec }, node), 403, 'Forbidden', /can only create mirror pods$/)
  await api.send('POST', pods, { metadata: { name: 'theirs' }, spec: { ...spec, nodeName: 'n2' } }, root)
  const phase = { status: { phase: 'InProcess' } }
  assert.equal((await merge(`${pods}/static/status`, phase)).status, 200, 'status of its own pod')
  const onlyOwn = (what: string) => `pods "theirs" is forbidden: node "n1" can only ${what} pods with spec.nodeName set to itself`
  assertFailure(await merge(`${pods}/theirs/status`, phase), 403, 'Forbidden', onlyOwn('update pod status for'))
  const now = { gracePeriodSeconds: 0 }
  assertFailure(await api.send('DELETE', `${pods}/theirs`, now, node), 403, 'Forbidden', onlyOwn('delete'))
  assertFailure(await api.send('DELETE', `${pods}/nowhere`, now, node), 404, 'NotFound', 'pods "nowhere" not found')
  assert.equal((await api.send('DELETE', `${pods}/static`, now, node)).status, 200, 'deletes its own pod')
})

test('other users are not restricted', async () => {
  assert.equal((await merge(`${nodes}/n1`, { spec: { unschedulable: true } }, root)).status, 200)
})
