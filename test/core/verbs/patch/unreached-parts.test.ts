/** A patch shares with the stored object what it does not reach: what is done with its result must not reach the stored object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin } from '../../../../core/admission/attributes.ts'
import { badRequest } from '../../../../core/answers/status.ts'
import { startInProcess } from '../../../support/in-process.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const resources = [{ group: '', resource: 'configmaps' }]

interface ConfigMap {
  readonly metadata: { readonly labels?: { readonly [key: string]: string }; readonly resourceVersion: string }
  readonly data: { readonly [key: string]: string }
}

/** Changes all of an object that says so, and then refuses it. */
const spoiling: AdmissionPlugin = {
  name: 'Spoiling',
  operations: ['UPDATE'],
  resources,
  mutate({ object }) {
    if (object?.metadata.annotations?.['spoil'] === undefined) return
    Object.assign(object['data'] as object, { text: 'spoilt' })
    Object.assign(object.metadata.labels ?? {}, { of: 'spoilt' })
    const [entry] = (object.metadata.managedFields ?? []) as { manager?: string }[]
    if (entry) entry.manager = 'spoilt'
  },
  validate({ object }) {
    if (object?.metadata.annotations?.['spoil'] !== undefined) throw badRequest('spoilt')
  },
}

const patches = {
  'application/merge-patch+json': { metadata: { annotations: { spoil: 'yes' } } },
  'application/strategic-merge-patch+json': { metadata: { annotations: { spoil: 'yes' } } },
  'application/json-patch+json': [{ op: 'add', path: '/metadata/annotations', value: { spoil: 'yes' } }],
}

for (const [type, body] of Object.entries(patches))
  test(`the stored object stays as it is when a patch is refused: ${type}`, async (t) => {
    const { api, fetch } = await startInProcess({ controllers: [], extraPlugins: [spoiling] }, t)
    const patch = (content: unknown) =>
      fetch(`${configMaps}/one`, { method: 'PATCH', headers: { 'content-type': type }, body: JSON.stringify(content) })
    await api.create(configMaps, { metadata: { name: 'one', labels: { of: 'all' } }, data: { text: 'stored' } })
    const read = async () => (await fetch(`${configMaps}/one`)).text()
    const before = await read()
    for (let at = 0; at < 3; at++) {
      assert.equal((await patch(body)).status, 400)
      assert.equal(await read(), before)
    }
    // The next write starts from the stored object, too.
    const data = Array.isArray(body) ? [{ op: 'add', path: '/data/more', value: 'yes' }] : { data: { more: 'yes' } }
    const after = (await (await patch(data)).json()) as ConfigMap
    assert.deepEqual([after.data, after.metadata.labels], [{ more: 'yes', text: 'stored' }, { of: 'all' }])
    assert.doesNotMatch(await read(), /spoilt/)
  })
