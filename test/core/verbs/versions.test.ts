/** Resources served in several versions: an object written in one version can be read in all. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { getPath } from '../../../core/schema/accessors.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'
import { allKinds } from '../../support/all-kinds.ts'
import type { TestObject } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { watchAt } from '../../support/watch-reader.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const platform = createPlatform()
const definitions = builtInResources.filter(({ storageKey }) => storageKey !== '').map((definition) => bind(definition, platform))

const api = serverForTests({
  ...allKinds,
  controllers: [],
  admissionPlugins: { disable: ['StorageObjectInUseProtection'] },
})

const siblingsOf = (one: ResourceDefinition) => definitions.filter((other) => other !== one && other.storageKey === one.storageKey)
const several = definitions.filter((definition) => siblingsOf(definition).length > 0)

/** The object in a protobuf response, in the definition's version. */
async function readProtobuf({ schema }: ResourceDefinition, path: string): Promise<JsonObject> {
  const response = await api.fetch(path, { headers: { accept: protobuf } })
  const { kind, apiVersion, raw } = decodeEnvelope(new Uint8Array(await response.arrayBuffer()))
  return { kind, apiVersion, ...(decodeProtobuf(schema, raw) as JsonObject) }
}

test('several resources are served in two or more versions', () => {
  const groups = new Set(several.map(({ storageKey }) => storageKey))
  assert.ok(groups.has('events') && groups.has('horizontalpodautoscalers') && groups.has('resourceclaims'), [...groups].join())
  for (const key of groups)
    assert.equal(several.filter(({ storageKey, storageVersion }) => storageKey === key && !storageVersion).length, 1, key)
})

for (const [index, writer] of several.entries())
  for (const reader of siblingsOf(writer))
    test(`${apiVersionOf(writer)} ${writer.kind} as ${apiVersionOf(reader)}`, async () => {
      const object = minimalObject(writer, `shared-${index}-${reader.version}`)
      const [written, other] = [collectionPath(writer), collectionPath(reader)]
      const path = (collection: string) => `${collection}/${object.metadata.name}`
      const { metadata } = await api.list(other)
      const watch = await watchAt(api.fetch, other, { resourceVersion: metadata.resourceVersion })

      const created = await api.create(written, object)
      const { body: read } = await api.get(path(other))
      assert.deepEqual([read.kind, read.apiVersion], [reader.kind, apiVersionOf(reader)])
      const { uid, resourceVersion, generation } = created.metadata
      assert.deepEqual([read.metadata.uid, read.metadata.resourceVersion, read.metadata.generation], [uid, resourceVersion, generation])
      assert.deepEqual(await readProtobuf(reader, path(other)), read)
      assert.deepEqual((await watch.object()).object, read)
      const { kind: _kind, apiVersion: _apiVersion, ...item } = read
      assert.deepEqual((await api.list(`${other}?fieldSelector=metadata.name%3D${object.metadata.name}`)).items, [item])
      assert.deepEqual((await api.get(path(written))).body, created)

      for (const [label, at] of Object.entries(reader.selectable ?? {})) {
        const value = typeof at === 'string' ? (getPath(read as unknown as ApiObject, at) ?? '') : at(read as unknown as ApiObject)
        const query = new URLSearchParams({ fieldSelector: `metadata.name=${object.metadata.name},${label}=${value}` })
        assert.equal((await api.list(`${other}?${query}`)).items.length, 1, `selected by ${label}`)
        const selected = await watchAt(api.fetch, other, Object.fromEntries(query))
        assert.equal((await selected.object()).object.metadata.uid, uid, `watched by ${label}`)
        await selected.close()
      }

      const patched = await api.patch(path(other), { metadata: { annotations: { through: reader.version } } })
      assert.equal(patched.status, 200, JSON.stringify(patched.body))
      const { body: back } = await api.get(path(written))
      assert.deepEqual(withoutMetadata(back), withoutMetadata(created))
      assert.equal(back.metadata.annotations?.['through'], reader.version)

      const put = await api.send('PUT', path(other), { ...patched.body, metadata: { ...patched.body.metadata, labels: { put: 'yes' } } })
      assert.equal(put.status, 200, JSON.stringify(put.body))
      assert.deepEqual(withoutMetadata((await api.get(path(written))).body), withoutMetadata(created))
      assert.equal((await api.delete(path(other))).status, 200)
      assert.equal((await api.get(path(written))).status, 404)
      await watch.close()
    })

const withoutMetadata = ({ metadata: _metadata, ...rest }: TestObject) => rest

describe('fields at another place in another version', () => {
  const cases: readonly { title: string; from: string; to: string; body: object; expected: object }[] = [
    {
      title: 'autoscaling/v1 target utilization is a metric in v2',
      from: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
      to: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      body: {
        scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
      },
      expected: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }] },
    },
    {
      title: 'v1 wraps a device request in `exactly`',
      from: '/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims',
      to: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
      body: { devices: { requests: [{ name: 'one', deviceClassName: 'gpu.example.com', allocationMode: 'ExactCount', count: 2 }] } },
      expected: {
        devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'gpu.example.com', allocationMode: 'ExactCount', count: 2 } }] },
      },
    },
    {
      title: 'a device is not',
      from: '/apis/resource.k8s.io/v1/resourceslices',
      to: '/apis/resource.k8s.io/v1beta1/resourceslices',
      body: {
        driver: 'gpu.example.com',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'one', attributes: { size: { int: 3 } } }],
      },
      expected: { devices: [{ name: 'one', basic: { attributes: { size: { int: 3 } } } }] },
    },
  ]
  for (const { title, from, to, body, expected } of cases)
    test(title, async () => {
      await api.create(from, { metadata: { name: 'placed' }, spec: body })
      const { spec } = (await api.get(`${to}/placed`)).body
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(spec?.[name], value)
      await api.delete(`${from}/placed`)
    })
})
