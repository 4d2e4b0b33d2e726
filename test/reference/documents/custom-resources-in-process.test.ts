/** What the reference publishes about custom resources: several versions and kinds, all keywords of schemas, subresources, selectable fields. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '../../../core/schema/model.ts'
import { eventually } from '../../support/wait.ts'
import { fact, withoutDescriptions } from './facts.ts'
import { inlined, type Ours, startOurs, text } from './in-process.ts'

const { definitions, v3, v2 } = fact('custom-resources') as {
  definitions?: JsonObject[]
  v3?: JsonObject
  v2?: { [part: string]: JsonObject }
}

let ours: Ours
const documents = Object.entries(v3 ?? {})
const customPaths = async () =>
  Object.keys((await ours.json('/openapi/v3'))['paths'] ?? {}).filter((name) => /example\.com|other\.io/.test(name))

before(async () => {
  ours = await startOurs()
  for (const definition of definitions ?? []) await ours.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  // Like the reference, the server serves what a definition defines some time after it has answered.
  await eventually('all versions are served', async () => (await customPaths()).length >= documents.length)
})
after(() => ours.close())

test('the index lists versions, not groups, of custom resources', async () => {
  assert.deepEqual(
    await customPaths(),
    documents.map(([name]) => name),
  )
})

for (const [name, their] of documents) {
  test(`OpenAPI v3 ${name}`, async () => {
    assert.equal(text(withoutDescriptions(await ours.json(`/openapi/v3/${name}`))), text(withoutDescriptions(their)))
  })
}

test('OpenAPI v2', async () => {
  const { paths, definitions: models, parameters } = withoutDescriptions(await ours.json('/openapi/v2')) as { [part: string]: JsonObject }
  const same = (own: JsonObject = {}, their: JsonObject = {}) =>
    assert.equal(text(Object.fromEntries(Object.keys(their).map((name) => [name, own[name] ?? null]))), text(their))
  same(inlined(paths ?? {}, parameters ?? {}) as JsonObject, inlined(v2?.['paths'] ?? {}, {}) as JsonObject)
  same(inlined(models ?? {}, {}) as JsonObject, inlined(v2?.['definitions'] ?? {}, {}) as JsonObject)
  const others = ['/apis/shop.example.com/', '/apis/shop.example.com/v1/', '/apis/shop.example.com/v1/watch/widgets']
  assert.deepEqual(
    others.filter((path) => path in (paths ?? {})),
    [],
  )
})

test('OpenAPI v2 in protobuf has boolean additional properties', async () => {
  const response = await ours.get('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' })
  assert.equal(response.status, 200)
})
