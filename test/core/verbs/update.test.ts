/** Updates: what is answered, and what an update of metadata can't change. What every runtime answers: test/conformance/http-writes.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../support/in-process.ts'
import { causesOf, startServer, withChanges } from '../resources/support.ts'

const client = startServer()
const path = '/api/v1/namespaces/default/configmaps'
const create = async (metadata: { [name: string]: unknown }) => {
  const made = await (await client).send('POST', path, { kind: 'ConfigMap', apiVersion: 'v1', metadata })
  assert.equal(made.code, 201, JSON.stringify(made.body))
  return made.body
}

/** The kind finds errors of metadata once more. */
const onceEach = (causes: readonly string[]) => [...new Set(causes)]

test('an update is answered with the stored object, and one that changes nothing writes nothing', async () => {
  const { send } = await client
  const made = await create({ name: 'plain' })
  const changed = await send('PUT', `${path}/plain`, withChanges(made, { data: { a: 'b' } }))
  assert.equal(changed.code, 200, JSON.stringify(changed.body))
  assert.notEqual(changed.body.metadata['resourceVersion'], made.metadata['resourceVersion'])
  assert.equal(changed.body.metadata['uid'], made.metadata['uid'])
  assert.deepEqual((await send('GET', `${path}/plain`)).body, changed.body)
  assert.deepEqual((await send('PUT', `${path}/plain`, changed.body)).body, changed.body)
  const stale = await send('PUT', `${path}/plain`, withChanges(made, { data: { a: 'c' } }))
  assert.equal(stale.code, 409)
  const absent = await send('PUT', `${path}/absent`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'absent' } })
  assert.equal(absent.code, 404)
  const renamed = await send('PUT', `${path}/plain`, withChanges(changed.body, { 'metadata.name': 'other' }))
  assert.equal(renamed.code, 400)
})

test('an update can not start a deletion', async () => {
  const { send } = await client
  const made = await create({ name: 'begin' })
  const time = '2026-01-02T03:04:05Z'
  const dated = await send('PUT', `${path}/begin`, withChanges(made, { 'metadata.deletionTimestamp': time }))
  assert.equal(dated.code, 422, JSON.stringify(dated.body))
  assert.match(onceEach(causesOf(dated)).join(), /^metadata\.deletionTimestamp: Invalid value: .*: field is immutable$/)
  const graced = await send('PUT', `${path}/begin`, withChanges(made, { 'metadata.deletionGracePeriodSeconds': 5 }))
  assert.deepEqual(onceEach(causesOf(graced)), ['metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable'])
})

test('an update can neither undo nor change a deletion', async () => {
  const { send } = await client
  await create({ name: 'end', finalizers: ['example.com/x'] })
  const terminating = (await send('DELETE', `${path}/end`)).body
  assert.ok(terminating.metadata['deletionTimestamp'], 'it waits for its finalizer')
  const without = { 'metadata.deletionTimestamp': undefined, 'metadata.deletionGracePeriodSeconds': undefined, data: { a: 'b' } }
  const kept = await send('PUT', `${path}/end`, withChanges(terminating, without))
  assert.equal(kept.code, 200, JSON.stringify(kept.body))
  assert.equal(kept.body.metadata['deletionTimestamp'], terminating.metadata['deletionTimestamp'])
  assert.equal(kept.body.metadata['deletionGracePeriodSeconds'], terminating.metadata['deletionGracePeriodSeconds'])
  const longer = await send('PUT', `${path}/end`, withChanges(kept.body, { 'metadata.deletionGracePeriodSeconds': 100 }))
  assert.deepEqual(onceEach(causesOf(longer)), ['metadata.deletionGracePeriodSeconds: Invalid value: 100: field is immutable'])
  await send('PUT', `${path}/end`, withChanges(kept.body, { 'metadata.finalizers': undefined }))
})

test('generateName is kept as sent, also on updates', async () => {
  const { send } = await client
  const made = await create({ generateName: 'made-' })
  const name = String(made.metadata['name'])
  const without = await send('PUT', `${path}/${name}`, withChanges(made, { 'metadata.generateName': undefined }))
  assert.equal(without.code, 200, JSON.stringify(without.body))
  assert.equal(without.body.metadata['generateName'], undefined)
})

test('another uid is another object in a PUT, and a change that is refused in a PATCH', async () => {
  const { send } = await client
  const { metadata } = await create({ name: 'unique' })
  const precondition = `Precondition failed: UID in precondition: x, UID in object meta: ${metadata['uid']}`
  for (const [query, prefix] of [
    ['', '/registry'],
    ['?dryRun=All', ''],
  ]) {
    const put = await send('PUT', `${path}/unique${query}`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'unique', uid: 'x' } })
    assert.equal(put.code, 409, JSON.stringify(put.body))
    const message = (put.body as unknown as { message: string }).message
    assert(message.endsWith(`Key: ${prefix}/configmaps/default/unique, ResourceVersion: 0, AdditionalErrorMsg: ${precondition}`), message)
  }
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml']) {
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { uid: 'x' } }
    const patched = await send('PATCH', `${path}/unique?fieldManager=m`, body, type)
    assert.deepEqual(onceEach(causesOf(patched)), ['metadata.uid: Invalid value: "x": field is immutable'])
  }
})

const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'

test('status updates of some kinds neither change nor own metadata', async () => {
  const { send } = await client
  const schema = {
    kind: 'FlowSchema',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    metadata: { name: 'mine', labels: { a: '1' } },
    spec: { priorityLevelConfiguration: { name: 'x' } },
  }
  const made = await send('POST', schemas, schema)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const condition = { type: 'Dangling', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'x', message: '' }
  const patch = { apiVersion: schema.apiVersion, kind: schema.kind, metadata: { labels: { b: '2' } }, status: { conditions: [condition] } }
  const answer = await send('PATCH', `${schemas}/mine/status?fieldManager=me&force=true`, patch, 'application/apply-patch+yaml')
  assert.equal(answer.code, 200, JSON.stringify(answer.body))
  assert.deepEqual(answer.body.metadata['labels'], { a: '1' })
  const entries = answer.body.metadata['managedFields'] as { manager: string; fieldsV1: object }[]
  assert.deepEqual(Object.keys(entries.find(({ manager }) => manager === 'me')?.fieldsV1 ?? {}), ['f:status'])
})

test('a write of ephemeral containers owns all that the client sends, as in the reference', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'debugged' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const { send } = await client
  const made = await send('POST', pods, pod)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const debug = { ...pod, metadata: { labels: { a: 'b' } }, spec: { ...pod.spec, ephemeralContainers: [{ name: 'd', image: 'i' }] } }
  const path = `${pods}/debugged/ephemeralcontainers?fieldManager=me&force=true`
  const answer = await send('PATCH', path, debug, 'application/apply-patch+yaml')
  assert.equal(answer.code, 200, JSON.stringify(answer.body))
  const entries = answer.body.metadata['managedFields'] as { manager: string; fieldsV1: { [name: string]: object } }[]
  const own = entries.find(({ manager }) => manager === 'me')?.fieldsV1
  assert.deepEqual(Object.keys(own ?? {}), ['f:metadata', 'f:spec'])
  assert.deepEqual(Object.keys(own?.['f:spec'] ?? {}), ['f:containers', 'f:ephemeralContainers'])
})

test('requests for deprecated versions are counted in the metrics', async (t) => {
  const { api } = await startInProcess({ controllers: [] }, t)
  await api.get('/api/v1/componentstatuses')
  assert.match(
    (await api.get<string>('/metrics')).body,
    /^apiserver_requested_deprecated_apis\{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"\} 1$/m,
  )
})
