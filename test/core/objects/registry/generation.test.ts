/** What increments the generation besides changes of the spec, for kinds that differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../../support/in-process.ts'

const template = { spec: { containers: [{ name: 'main', image: 'nginx' }] } }

const rows: readonly { path: string; object: object; raise: object; keep: object }[] = [
  {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    object: { addressType: 'IPv4', endpoints: [], ports: [] },
    raise: { metadata: { labels: { 'kubernetes.io/service-name': 'web' } } },
    keep: { metadata: { annotations: { note: 'x' } } },
  },
  {
    path: '/api/v1/namespaces/default/podtemplates',
    object: { template },
    raise: { template: { metadata: { labels: { app: 'web' } } } },
    keep: { metadata: { labels: { app: 'web' } } },
  },
]

for (const { path, object, raise, keep } of rows)
  test(`generation of ${path.split('/').at(-1)}`, async (t) => {
    const { api } = await startInProcess({ controllers: [] }, t)
    assert.equal((await api.create(path, { metadata: { name: 'a' }, ...object })).metadata.generation, 1)
    assert.equal((await api.patch(`${path}/a`, keep)).body.metadata.generation, 1)
    assert.equal((await api.patch(`${path}/a`, raise)).body.metadata.generation, 2)
  })
