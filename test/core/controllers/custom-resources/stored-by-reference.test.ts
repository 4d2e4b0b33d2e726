/** Definitions and objects as stored by kube-apiserver: definitions in v1beta1, all with sorted keys and a final line feed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { condition, type Definition, definitionsPath } from '../../../conformance/custom-resources.ts'
import { startInProcess } from '../../../support/in-process.ts'

const conditions = ['NamesAccepted', 'Established'].map((type) => ({
  lastTransitionTime: '2026-01-01T00:00:00Z',
  message: 'the initial names have been accepted',
  reason: 'InitialNamesAccepted',
  status: 'True',
  type,
}))
const names = { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' }
const metadata = { creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, name: 'widgets.example.com', uid: crypto.randomUUID() }
const openAPIV3Schema = {
  properties: { spec: { properties: { size: { default: 'small', type: 'string' } }, type: 'object' } },
  type: 'object',
}

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  metadata,
  spec: {
    group: 'example.com',
    version: 'v1',
    names,
    scope: 'Namespaced',
    validation: { openAPIV3Schema },
    subresources: { status: {} },
    versions: [
      { name: 'v1', served: true, storage: true },
      { name: 'v1alpha1', served: true, storage: false },
    ],
    additionalPrinterColumns: [{ name: 'Size', type: 'string', JSONPath: '.spec.size' }],
    conversion: { strategy: 'None' },
    preserveUnknownFields: false,
  },
  status: { conditions, acceptedNames: names, storedVersions: ['v1'] },
}

const object = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, name: 'first', namespace: 'default', uid: crypto.randomUUID() },
  spec: { size: 'large' },
}

test('definitions are served, and rewritten in v1', async (t) => {
  const store = memoryStore()
  const put = (key: string, value: object) => store.put(key, new TextEncoder().encode(`${JSON.stringify(value)}\n`), 0)
  await put('/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com', definition)
  await put('/registry/example.com/widgets/default/first', object)
  const { aardvark, ...early } = { aardvark: 'before kind', ...object, metadata: { ...object.metadata, name: 'early' } }
  await put('/registry/example.com/widgets/default/early', { aardvark, ...early })
  const { api } = await startInProcess({ store }, t)

  const { items } = await api.list('/apis/example.com/v1alpha1/namespaces/default/widgets')
  assert.deepEqual(
    items.map(({ apiVersion, metadata: { name, uid }, spec, ...rest }) => [apiVersion, name, uid, spec, Object.keys(rest)]),
    ['early', 'first'].map((name) => ['example.com/v1alpha1', name, object.metadata.uid, { size: 'large' }, ['kind']]),
  )
  const { body } = await api.get<Definition>(`${definitionsPath}/widgets.example.com`)
  assert.equal(body.apiVersion, 'apiextensions.k8s.io/v1')
  const columns = [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }]
  assert.deepEqual(
    body.spec.versions,
    definition.spec.versions.map((each) => ({
      ...each,
      schema: { openAPIV3Schema },
      subresources: { status: {} },
      additionalPrinterColumns: columns,
    })),
  )
  assert.equal(condition(body, 'Established')?.[0], 'True')
  const patched = await api.patch(`${definitionsPath}/widgets.example.com`, { metadata: { labels: { a: 'b' } } })
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  const { kv } = await store.get('/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com')
  assert.match(new TextDecoder().decode(kv?.value), /^\{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io\/v1"/)
})

test('objects with metadata that is no longer valid can be read and deleted', async (t) => {
  const store = memoryStore()
  const put = (key: string, value: object) => store.put(key, new TextEncoder().encode(`${JSON.stringify(value)}\n`), 0)
  await put('/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com', definition)
  const { generation: _, ...own } = object.metadata
  const odd = { ...own, annotations: { a: 42 }, labels: { a: 'x y' }, finalizers: 'none' }
  await put('/registry/example.com/widgets/default/first', { ...object, metadata: odd })
  const { api } = await startInProcess({ store }, t)
  const path = '/apis/example.com/v1/namespaces/default/widgets/first'
  const { resourceVersion: _version, ...metadata } = (await api.get(path)).body.metadata
  assert.deepEqual(metadata, { ...own, generation: 1, labels: { a: 'x y' } })
  assert.equal((await api.delete(path)).status, 200)
  assert.equal((await api.get(path)).status, 404)
})

test('a definition with preserveUnknownFields still validates objects by its schema', async (t) => {
  const store = memoryStore()
  const put = (key: string, value: object) => store.put(key, new TextEncoder().encode(`${JSON.stringify(value)}\n`), 0)
  const schema = { properties: { spec: { properties: { size: { type: 'string' } }, required: ['size'] } } }
  const legacy = { ...definition, spec: { ...definition.spec, preserveUnknownFields: true, validation: { openAPIV3Schema: schema } } }
  await put('/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com', legacy)
  const { api } = await startInProcess({ store }, t)
  const path = '/apis/example.com/v1/namespaces/default/widgets'
  const of = (name: string, spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec })
  const made = await api.create(path, of('a', { size: 'small', other: { kept: true } }))
  assert.deepEqual(made.spec, { size: 'small', other: { kept: true } })
  const refused = await api.send('POST', path, of('b', { size: 5 }))
  assert.match(JSON.stringify(refused.body), /spec\.size in body must be of type string/)
  assert.equal((await api.send('POST', path, of('b', {}))).status, 422)
})
