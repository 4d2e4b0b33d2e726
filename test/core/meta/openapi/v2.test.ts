import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { encodeInSlices } from '../../../../core/meta/openapi/message-protobuf.ts'
import { createOpenApiV2, type SwaggerSource } from '../../../../core/meta/openapi/v2.ts'
import { v2Messages } from '../../../../core/meta/openapi/v2-messages.ts'
import { createServedSwagger } from '../../../../core/meta/openapi/v2-served.ts'
import { createServedGroups } from '../../../../core/meta/served.ts'
import type { JsonObject } from '../../../../core/schema/model.ts'
import { builtin, clockAt, get, logger, pauses, platform, serving, widget } from '../fixtures.ts'
import { fieldAt, fieldsOf, textOf } from './protobuf-fields.ts'

const create = (served = serving(builtin), more: readonly SwaggerSource[] = []) =>
  createOpenApiV2(
    [
      createServedSwagger({
        served: createServedGroups(served, platform),
        platform,
        enums: true,
        others: {},
        pauses,
        info: { title: 'Test', version: 'v1.36.0' },
      }),
      ...more,
    ],
    clockAt(0),
    pauses,
    logger,
  )
const oldProtobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

type Any = { readonly [key: string]: Any }

test('one document without defaults, with plain references', async () => {
  const document = (await (await get(create(serving([...builtin, widget('v1')])), '/openapi/v2')).json()) as Any
  assert.equal(document['swagger'], '2.0')
  const definitions = document['definitions'] ?? {}
  const { description: _, ...metadata } = definitions['io.k8s.api.core.v1.Pod']?.['properties']?.['metadata'] ?? {}
  assert.deepEqual(metadata, { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' })
  assert.deepEqual(definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'], { type: 'string', format: 'int-or-string' })
  assert.deepEqual(definitions['com.example.shop.v1.Widget']?.['properties']?.['spec']?.['properties']?.['extra'], {
    additionalProperties: { type: 'boolean' },
  })
  assert.doesNotMatch(JSON.stringify(definitions), /"default":(\{\}|"|\d|true|false)/)
  const post = document['paths']?.['/apis/apps/v1/namespaces/{namespace}/deployments']?.['post']
  assert.deepEqual(post?.['parameters']?.[0], {
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.k8s.api.apps.v1.Deployment' },
  })
  for (const path of ['/api/', '/apis/', '/apis/apps/', '/apis/apps/v1/', '/version/']) assert.ok(path in (document['paths'] ?? {}), path)
})

test('every reference is defined', async () => {
  const content = await (await get(create(serving([...builtin, widget('v1')])), '/openapi/v2')).text()
  const { definitions } = JSON.parse(content) as { definitions: object }
  const references = new Set([...content.matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name ?? ''))
  assert.ok(references.size > 500)
  for (const name of references) assert.ok(name in definitions, name)
})

test('the format follows Accept, also in the legacy spelling', async () => {
  const api = create()
  const cases = [
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    [oldProtobuf, protobuf],
    [`${protobuf}, application/json;q=0.5`, protobuf],
  ] as const
  for (const [accept, type] of cases) assert.equal((await get(api, '/openapi/v2', { accept })).headers.get('content-type'), type)
  assert.equal((await get(api, '/openapi/v2', { accept: 'text/html' })).status, 406)
  // As in the reference, which does not look at the quality.
  for (const accept of ['application/json;q=0', '*/*;q=0', 'application/json;q=0, text/html'])
    assert.equal((await get(api, '/openapi/v2', { accept })).headers.get('content-type'), 'application/json', accept)
})

test('a client with the current document gets 304', async () => {
  const api = create()
  const etag = (await get(api, '/openapi/v2', { accept: oldProtobuf })).headers.get('etag') ?? ''
  assert.equal((await get(api, '/openapi/v2', { accept: oldProtobuf, 'if-none-match': etag })).status, 304)
})

test('the protobuf form has the same definitions and paths as JSON', async () => {
  const api = create()
  const document = (await (await get(api, '/openapi/v2')).json()) as Any
  const bytes = new Uint8Array(await (await get(api, '/openapi/v2', { accept: oldProtobuf })).arrayBuffer())
  const names = (of: Uint8Array[]) => of.map((pair) => textOf(fieldAt(pair, 1)))
  assert.equal(textOf(fieldAt(bytes, 1)), '2.0')
  assert.deepEqual(names(fieldsOf(fieldAt(bytes, 9), 1)), Object.keys(document['definitions'] ?? {}))
  assert.deepEqual(names(fieldsOf(fieldAt(bytes, 8), 2)), Object.keys(document['paths'] ?? {}))
})

test('schemas and parameters are encoded as messages of openapi.v2', async () => {
  const document: JsonObject = {
    swagger: '2.0',
    paths: {
      '/a': {
        patch: {
          operationId: 'patchA',
          parameters: [
            { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
            { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
            { name: 'name', in: 'path', required: true, type: 'string' },
          ],
          responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/A' } } },
          'x-kubernetes-group-version-kind': { group: 'g', version: 'v1', kind: 'A' },
        },
      },
    },
    definitions: {
      A: {
        type: 'object',
        required: ['list'],
        properties: { list: { type: 'array', items: { type: 'string', enum: ['x'], maxLength: 7 } }, 'x-own': { type: 'string' } },
        additionalProperties: { type: 'integer' },
      },
    },
  }
  const bytes = await encodeInSlices(v2Messages, document, pauses.sharedSlices())
  const patch = fieldAt(bytes, 8, 2, 2, 8)
  assert.equal(textOf(fieldAt(patch, 5)), 'patchA')
  const [body, query, path] = fieldsOf(patch, 8).map((item) => fieldAt(item, 1))
  assert.equal(textOf(fieldAt(body ?? bytes, 1, 5, 1)), '#/definitions/A')
  assert.equal(textOf(fieldAt(query ?? bytes, 2, 3, 4)), 'dryRun')
  assert.equal(textOf(fieldAt(path ?? bytes, 2, 4, 4)), 'name')
  assert.equal(textOf(fieldAt(patch, 9, 1, 1)), '200')
  assert.equal(textOf(fieldAt(patch, 9, 1, 2, 1, 2, 1, 1)), '#/definitions/A')
  assert.equal(textOf(fieldAt(patch, 13, 1)), 'x-kubernetes-group-version-kind')
  assert.equal(textOf(fieldAt(patch, 13, 2, 2)), 'group: g\nkind: A\nversion: v1\n')
  const schema = fieldAt(bytes, 9, 1, 2)
  assert.equal(textOf(fieldAt(schema, 22, 1)), 'object')
  assert.equal(textOf(fieldAt(schema, 19)), 'list')
  assert.equal(textOf(fieldAt(schema, 21, 1, 22, 1)), 'integer')
  const [list, own] = fieldsOf(fieldAt(schema, 25), 1)
  assert.equal(textOf(fieldAt(list ?? bytes, 2, 23, 1, 22, 1)), 'string')
  assert.equal(textOf(fieldAt(list ?? bytes, 2, 23, 1, 20, 2)), 'x\n')
  assert.equal(textOf(fieldAt(own ?? bytes, 1)), 'x-own')
})

test('the document is compressed for clients that accept gzip', async () => {
  const api = create()
  const plain = await get(api, '/openapi/v2')
  const compressed = await get(api, '/openapi/v2', { 'accept-encoding': 'gzip' })
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.equal(compressed.headers.get('content-encoding'), 'gzip')
  assert.equal(compressed.headers.get('etag'), plain.headers.get('etag'))
  const bytes = gunzipSync(new Uint8Array(await compressed.arrayBuffer()))
  assert.deepEqual(JSON.parse(bytes.toString()), await plain.json())
})

const reference = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` })

test('documents of other sources are merged: their paths, and the models and parameters that these refer to', async () => {
  const metadata = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
  const time = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time'
  const kind = { group: 'wardle.example.com', kind: 'Flunder', version: 'v1' }
  const foreign: JsonObject = {
    swagger: '2.0',
    paths: {
      '/apis/apps/v1/deployments': { get: { operationId: 'replaced' } },
      '/apis/wardle.example.com/v1/flunders': {
        get: { responses: { '200': { schema: reference('Flunder') } } },
        parameters: [{ $ref: '#/parameters/pretty' }, { $ref: 'https://example.com/other' }],
      },
    },
    definitions: {
      Flunder: { properties: { metadata: reference(metadata), own: reference('Flunder'), at: reference(time) } },
      [metadata]: { type: 'object', description: 'Another one.' },
      [time]: { type: 'string', format: 'date-time', 'x-kubernetes-group-version-kind': [kind] },
      Unused: { type: 'string' },
    },
    parameters: { pretty: { in: 'query', name: 'pretty', type: 'string' } },
  }
  let current = foreign
  const source = { revision: 1, documents: () => [{ name: 'v1.wardle.example.com', document: current }] }
  const api = create(serving(builtin), [source])
  const merged = (await (await get(api, '/openapi/v2')).json()) as Any
  const alone = (await (await get(create(), '/openapi/v2')).json()) as Any
  const [definitions, own] = [merged['definitions'] ?? {}, alone['definitions'] ?? {}]
  assert.deepEqual(merged['paths']?.['/apis/apps/v1/deployments'], alone['paths']?.['/apis/apps/v1/deployments'])
  assert.deepEqual(
    merged['paths']?.['/apis/wardle.example.com/v1/flunders'],
    (foreign as Any)['paths']?.['/apis/wardle.example.com/v1/flunders'],
  )
  assert.deepEqual(definitions['Flunder'], {
    properties: { metadata: reference(`${metadata}_v2`), own: reference('Flunder'), at: reference(time) },
  })
  assert.deepEqual(definitions[metadata], own[metadata])
  assert.deepEqual(definitions[`${metadata}_v2`], { type: 'object', description: 'Another one.' })
  assert.deepEqual(definitions[time], { ...own[time], 'x-kubernetes-group-version-kind': [kind] })
  assert.ok(!('Unused' in definitions))
  assert.deepEqual(merged['parameters'], { ...alone['parameters'], ...(foreign as Any)['parameters'] })
  assert.deepEqual(Object.keys(definitions), [...Object.keys(definitions)].sort())
  current = { swagger: '2.0', paths: {} }
  source.revision++
  assert.deepEqual(await (await get(api, '/openapi/v2')).json(), alone)
})
