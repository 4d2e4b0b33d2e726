import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { conditionOf, pod, pods } from './objects.ts'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess()
  api = running.api
})
after(() => running.close())

const binding = (name: string, node: object = { kind: 'Node', name: 'node-1' }, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  target: node,
})
const bind = (name: string, ...rest: [node?: object, metadata?: object]) =>
  api.send('POST', `${pods}/${name}/binding`, binding(name, ...rest))

test('assigns a pod to a node and sets labels, annotations and the PodScheduled condition', async () => {
  const { metadata } = await api.create(pods, pod('web'))
  const answer = await bind('web', undefined, { labels: { zone: 'a' }, annotations: { note: 'b' } })
  assert.deepEqual(answer.body, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
  assert.equal(answer.status, 201)
  const { body } = await api.get(`${pods}/web`)
  assert.equal(body.spec?.['nodeName'], 'node-1')
  assert.deepEqual([body.metadata.labels, body.metadata.annotations], [{ app: 'web', zone: 'a' }, { note: 'b' }])
  assert.equal(conditionOf(body, 'PodScheduled')?.status, 'True')
  assert.equal(body.metadata.generation, metadata.generation)
})

test('once', async () => {
  await api.create(pods, pod('once'))
  await bind('once')
  const expected = 'Operation cannot be fulfilled on pods/binding "once": pod once is already assigned to node "node-1"'
  assertFailure(await bind('once', { name: 'node-2' }), 409, 'Conflict', expected)
})

test('refuses to bind a pod that is gated or terminating', async () => {
  await api.create(pods, pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }))
  assertFailure(await bind('gated'), 409, 'Conflict', /pod gated has non-empty .spec.schedulingGates$/)
  await api.create(pods, { ...pod('leaving'), metadata: { name: 'leaving', finalizers: ['example.com/wait'] } })
  await api.delete(`${pods}/leaving`)
  assertFailure(await bind('leaving'), 409, 'Conflict', /pod leaving is being deleted, cannot be assigned to a host$/)
})

test('refuses to bind another pod of the same name', async () => {
  await api.create(pods, pod('known'))
  assertFailure(await bind('known', undefined, { uid: 'other' }), 409, 'Conflict', /UID in precondition: other/)
  assertFailure(await bind('nobody'), 404, 'NotFound', 'pods "nobody" not found')
})

test('requires the names of a pod and a node', async () => {
  await api.create(pods, pod('strict'))
  for (const [target, message] of [
    [{ name: '' }, 'target.name: Required value'],
    [{ kind: 'Rack', name: 'x' }, 'target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>"'],
    [{ kind: 'Rack' }, '[target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>", target.name: Required value]'],
  ] as const) {
    const { status, body } = await bind('strict', target)
    const { reason, message: told } = body as { reason?: string; message?: string }
    assert.deepEqual([status, reason, told], [500, undefined, message])
  }
  const other = await api.send('POST', `${pods}/strict/binding`, binding('other'))
  assertFailure(other, 400, 'BadRequest', 'name in URL does not match name in Binding object')
})

test('a dry run binds nothing', async () => {
  await api.create(pods, pod('dry'))
  assert.equal((await api.send('POST', `${pods}/dry/binding?dryRun=All`, binding('dry'))).status, 201)
  assert.equal((await api.get(`${pods}/dry`)).body.spec?.['nodeName'], undefined)
})

test('through the legacy collection bindings', async () => {
  await api.create(pods, pod('old'))
  assert.equal((await api.send('POST', '/api/v1/namespaces/default/bindings', binding('old'))).status, 201)
  assert.equal((await api.get(`${pods}/old`)).body.spec?.['nodeName'], 'node-1')
  assertFailure(await api.send('POST', '/api/v1/bindings', binding('old')), 404, 'NotFound')
})

test('answers in protobuf on request', async () => {
  await api.create(pods, pod('compact'))
  const { status, headers } = await api.send('POST', `${pods}/compact/binding`, binding('compact'), {
    accept: 'application/vnd.kubernetes.protobuf',
  })
  assert.deepEqual([status, headers.get('content-type')], [201, 'application/vnd.kubernetes.protobuf'])
})
