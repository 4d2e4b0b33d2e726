/** The lifecycle of every stored kind in every version through the HTTP API, with all optional APIs enabled. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { apiVersionOf, type ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'
import { allKinds } from '../../support/all-kinds.ts'
import type { TestObject } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'
import { collectionPath, restingObject } from '../../support/minimal-objects.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { withoutDefinitionController } from '../../support/without-definition-controller.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1'
const platform = createPlatform()
const definitions = builtInResources.filter(({ storageKey }) => storageKey !== '').map((definition) => bind(definition, platform))

/** Admission plugins that depend on controllers. */
const withControllers = ['ServiceAccount', 'StorageObjectInUseProtection', 'PodGroupProtection']

const api = serverForTests({
  ...allKinds,
  controllers: [],
  authorizers: [withoutDefinitionController],
  admissionPlugins: { disable: withControllers },
})

async function bytesOf(path: string, accept: string): Promise<Uint8Array> {
  const response = await api.fetch(path, { headers: { accept } })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), accept)
  return new Uint8Array(await response.arrayBuffer())
}

/** The object in a protobuf response. */
function decoded({ schema }: ResourceDefinition, bytes: Uint8Array): JsonObject {
  const { kind, apiVersion, raw } = decodeEnvelope(bytes)
  return { kind, apiVersion, ...(decodeProtobuf(schema, raw) as JsonObject) }
}

function encoded(definition: ResourceDefinition, object: object): Uint8Array {
  const raw = encodeProtobuf(definition.schema, object as JsonObject)
  return encodeEnvelope(apiVersionOf(definition), definition.kind, raw)
}

const stripped = ({ metadata, ...rest }: TestObject) => {
  const { name, namespace, labels } = metadata
  return { metadata: { name, namespace, labels }, ...rest }
}

for (const definition of definitions) {
  const collection = collectionPath(definition)
  const object = restingObject(definition)
  const path = `${collection}/${encodeURIComponent(object.metadata.name)}`

  describe(`${apiVersionOf(definition)} ${definition.kind}`, () => {
    test('lifecycle of every kind', async () => {
      const { metadata } = await api.list(collection)
      // The server registers group versions meanwhile.
      const only = `metadata.name=${object.metadata.name}`
      const watch = await watchAt(api.fetch, collection, { resourceVersion: metadata.resourceVersion, fieldSelector: only })
      const created = await api.create(collection, object)
      assert.deepEqual([created.kind, created.apiVersion], [definition.kind, apiVersionOf(definition)])
      const added = await watch.object()
      assert.deepEqual([added.type, added.object], ['ADDED', created])

      assert.deepEqual((await api.get(path)).body, created)
      assert.deepEqual(decoded(definition, await bytesOf(path, protobuf)), created)
      assert.match(
        new TextDecoder().decode(await bytesOf(path, 'application/yaml')),
        new RegExp(`^apiVersion: ${apiVersionOf(definition)}$`, 'm'),
      )
      const { body: shown } = await api.get<{ kind: string; rows: unknown[] }>(collection, { accept: table })
      assert.equal(shown.kind, 'Table')
      assert.ok(shown.rows.length > 0)
      assert.ok((await api.list(collection)).items.some((item) => item.metadata.uid === created.metadata.uid))

      const patched = await api.patch(path, { metadata: { labels: { patched: 'yes' } } })
      assert.equal(patched.status, 200, JSON.stringify(patched.body))
      assert.deepEqual([patched.body.metadata.labels?.['patched'], patched.body.metadata.uid], ['yes', created.metadata.uid])
      const modified = await watch.object()
      assert.deepEqual([modified.type, modified.object], ['MODIFIED', patched.body])

      const put = await api.send('PUT', path, encoded(definition, patched.body), { 'content-type': protobuf })
      assert.equal(put.status, 200, JSON.stringify(put.body))
      assert.deepEqual(stripped(put.body), stripped(patched.body))

      const change = { metadata: { labels: { dry: 'yes' }, annotations: { dry: 'yes' } } }
      for (const part of definition.status ? [path, `${path}/status`] : [path]) {
        const dry = await api.patch(`${part}?dryRun=All`, change)
        assert.equal(dry.status, 200, JSON.stringify(dry.body))
      }
      const same = await api.patch(path, {})
      const nothingOfIt = 'nothing that a dry run computes is in the object that the next write starts from'
      assert.deepEqual(same.body, put.body, nothingOfIt)
      const changed = await api.patch(path, { metadata: { annotations: { changed: 'yes' } } })
      assert.deepEqual(stripped(changed.body), stripped(put.body), nothingOfIt)
      assert.deepEqual((await watch.object()).object, changed.body)

      const deleted = await api.delete(path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' })
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
      const waits = definition.strategy.prepareDelete !== undefined && !definition.specFinalizers
      if (waits || definition.strategy.gracePeriod) {
        const marked = await watch.object()
        assert.deepEqual(
          [marked.type, marked.object.metadata.deletionTimestamp !== undefined],
          ['MODIFIED', true],
          'its deletion is announced: it waits for its finalizer, or had a grace period',
        )
      }
      if (waits) await api.patch(path, { metadata: { finalizers: null } })
      const last = await watch.object()
      // A namespace remains until its finalizer is removed.
      assert.equal(last.type, definition.specFinalizers ? 'MODIFIED' : 'DELETED')
      await watch.close()
    })

    test('accepts protobuf too', async () => {
      const second = restingObject(definition, 'second')
      const { status, body } = await api.send('POST', `${collection}?dryRun=All`, encoded(definition, second), { 'content-type': protobuf })
      assert.equal(status, 201, JSON.stringify(body))
      assert.equal(body.metadata.name, second.metadata.name)
    })
  })
}
