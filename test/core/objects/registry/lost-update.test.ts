/** Updates that another server overtakes: they start again from what the client sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { startInProcess } from '../../../support/in-process.ts'

const path = '/api/v1/namespaces/default/services'
const service = (labels: object, port: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', labels },
  spec: { ports: [{ port: 80, ...port }] },
})

test('an update without a resourceVersion that loses a race is made again, as if it had come later', async (t) => {
  const store = memoryStore()
  let before: (() => Promise<unknown>) | undefined
  let lost = 0
  const contended: KeyValueStore = {
    ...store,
    async put(key, ...args) {
      if (!key.endsWith('/web') || before === undefined) return store.put(key, ...args)
      const first = before
      before = undefined
      await first()
      const result = await store.put(key, ...args)
      if (!result.ok) lost++
      return result
    },
  }
  const { api: other } = await startInProcess({ store, controllers: [] }, t)
  const { api } = await startInProcess({ store: contended, controllers: [] }, t)
  await api.create(path, service({ of: 'creation' }, {}))
  const put = () =>
    api.send('PUT', `${path}/web?fieldManager=late&fieldValidation=Warn`, service({ of: 'late' }, { targetPort: 8080, unknown: 1 }))
  const patch = { metadata: { labels: { of: 'other' }, annotations: { of: 'other' } } }
  before = () => other.patch(`${path}/web?fieldManager=other`, patch, 'application/merge-patch+json')
  const raced = await put()
  assert.equal(lost, 1)
  assert.equal(raced.status, 200, JSON.stringify(raced.body))
  assert.deepEqual(raced.headers.get('warning')?.match(/unknown field/g), ['unknown field'])
  const { metadata, spec } = raced.body as unknown as {
    metadata: { [field: string]: unknown; managedFields: { manager: string; fieldsV1: object }[] }
    spec: { ports: object[] }
  }
  assert.deepEqual(spec.ports, [{ protocol: 'TCP', port: 80, targetPort: 8080 }])
  assert.deepEqual([metadata['labels'], metadata['annotations']], [{ of: 'late' }, undefined])
  const owned = metadata.managedFields.find(({ manager }) => manager === 'late')?.fieldsV1
  assert.deepEqual(owned, {
    'f:metadata': { 'f:labels': { 'f:of': {} } },
    'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:targetPort': {} } } },
  })
})
