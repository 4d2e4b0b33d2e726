import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { encodeInSlices } from '../../../../core/meta/openapi/message-protobuf.ts'
import { createOpenApiV3, type OpenApiSource } from '../../../../core/meta/openapi/v3.ts'
import { v3Messages } from '../../../../core/meta/openapi/v3-messages.ts'
import { createServedOpenApi } from '../../../../core/meta/openapi/v3-served.ts'
import { createServedGroups } from '../../../../core/meta/served.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { asked, builtin, clockAt, get, logger, pauses, platform, serving, widget } from '../fixtures.ts'
import { fieldAt, fieldsOf, textOf } from './protobuf-fields.ts'

const info = { title: 'Test', version: 'v1.36.0' }
const create = (served = serving(builtin), own = platform, more: readonly OpenApiSource[] = []) => {
  const options = { served: createServedGroups(served, own), platform: own, info, enums: true, others: {}, pauses }
  return createOpenApiV3([...more, createServedOpenApi(options, clockAt(0))], clockAt(0), pauses, logger)
}

type Any = { readonly [key: string]: Any }
const json = async (path: string, api = create()) => (await (await get(api, path)).json()) as Any
const schemas = (document: Any) => document['components']?.['schemas'] ?? {}

function* references(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, own] of Object.entries(value)) {
    if (key === '$ref' && typeof own === 'string') yield own
    else yield* references(own)
  }
}

test('the index lists every document with its path and the hash of its content', async () => {
  const api = create(serving([...builtin, widget('v1')]))
  const { paths } = (await (await get(api, '/openapi/v3')).json()) as { paths: { [name: string]: { serverRelativeURL: string } } }
  for (const name of ['api', 'apis', 'version', 'api/v1', 'apis/apps', 'apis/apps/v1', 'apis/shop.example.com/v1'])
    assert.ok(name in paths, name)
  for (const [name, { serverRelativeURL }] of Object.entries(paths)) {
    const response = await get(api, serverRelativeURL)
    const hash = createHash('sha512')
      .update(new Uint8Array(await response.arrayBuffer()))
      .digest('hex')
      .toUpperCase()
    assert.equal(serverRelativeURL, `/openapi/v3/${name}?hash=${hash}`)
    assert.equal(response.headers.get('etag'), `"${hash}"`)
  }
})

test('a document requested with its hash is cacheable forever', async () => {
  const api = create()
  const plain = await get(api, '/openapi/v3/apis/apps/v1')
  assert.equal(plain.headers.get('cache-control'), null)
  const hash = (plain.headers.get('etag') ?? '').replaceAll('"', '')
  const kept = await get(api, `/openapi/v3/apis/apps/v1?hash=${hash}`)
  assert.equal(kept.headers.get('cache-control'), 'public, immutable')
  assert.equal(kept.headers.get('expires'), 'Fri, 01 Jan 1971 00:00:00 GMT')
  const old = await get(api, '/openapi/v3/apis/apps/v1?hash=OLD')
  assert.equal(old.status, 301)
  assert.equal(old.headers.get('location'), `/openapi/v3/apis/apps/v1?hash=${hash}`)
  assert.equal(old.headers.get('vary'), 'Accept')
  const unknown = await get(api, '/openapi/v3/apis/none/v1')
  assert.deepEqual([unknown.status, await unknown.text()], [404, ''])
  assert.equal((await get(api, '/openapi/v3/apis/apps/v1', { 'if-none-match': `"${hash}"` })).status, 304)
  assert.equal((await get(api, '/openapi/v3/apis/apps/v1', { accept: 'text/html' })).status, 406)
})

test('a document in protobuf has the same paths, schemas and hash as in JSON', async () => {
  const api = create()
  const path = '/openapi/v3/apis/apps/v1'
  const plain = await get(api, path)
  const document = (await plain.json()) as Any
  const old = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
  for (const accept of [old, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf, application/json;q=0.5']) {
    const answer = await get(api, path, { accept })
    assert.equal(answer.headers.get('content-type'), 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf')
    assert.equal(answer.headers.get('etag'), plain.headers.get('etag'))
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const names = (of: Uint8Array[]) => of.map((pair) => textOf(fieldAt(pair, 1)))
    assert.equal(textOf(fieldAt(bytes, 1)), '3.0.0')
    assert.deepEqual(names(fieldsOf(fieldAt(bytes, 4), 1)), Object.keys(document['paths'] ?? {}))
    assert.deepEqual(names(fieldsOf(fieldAt(bytes, 5, 1), 1)), Object.keys(schemas(document)))
  }
  const hash = (plain.headers.get('etag') ?? '').replaceAll('"', '')
  assert.equal((await get(api, `${path}?hash=${hash}`, { accept: old })).headers.get('cache-control'), 'public, immutable')
})

test('schemas, parameters and bodies are encoded as messages of openapi.v3', async () => {
  const document = {
    openapi: '3.0.0',
    paths: {
      '/a': {
        patch: {
          operationId: 'patchA',
          parameters: [{ name: 'dryRun', in: 'query', schema: { type: 'string', uniqueItems: true } }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } }, required: true },
          responses: { 200: { description: 'OK' } },
          'x-kubernetes-action': 'patch',
        },
      },
    },
    components: {
      schemas: {
        A: {
          type: 'object',
          properties: { name: { type: 'string', default: 'x' }, spec: { allOf: [{ $ref: '#/components/schemas/B' }], default: {} } },
          additionalProperties: { type: 'string' },
          'x-kubernetes-preserve-unknown-fields': true,
        },
        B: { type: 'array', items: { $ref: '#/components/schemas/A' }, maxItems: 3 },
      },
    },
  }
  const bytes = await encodeInSlices(v3Messages, document, pauses.sharedSlices())
  const operation = fieldAt(bytes, 4, 1, 2, 10)
  assert.equal(textOf(fieldAt(operation, 5)), 'patchA')
  assert.equal(textOf(fieldAt(operation, 6, 1, 1)), 'dryRun')
  assert.equal(textOf(fieldAt(operation, 6, 1, 10, 1, 25)), 'string')
  const media = fieldAt(operation, 7, 1, 2, 1)
  assert.equal(textOf(fieldAt(media, 1)), 'application/json')
  assert.equal(textOf(fieldAt(media, 2, 1, 2, 1)), '#/components/schemas/A')
  assert.equal(textOf(fieldAt(operation, 8, 2, 1)), '200')
  assert.equal(textOf(fieldAt(operation, 8, 2, 2, 1, 1)), 'OK')
  assert.deepEqual([textOf(fieldAt(operation, 13, 1)), textOf(fieldAt(operation, 13, 2, 2))], ['x-kubernetes-action', 'patch\n'])
  const [a = bytes, b = bytes] = fieldsOf(fieldAt(bytes, 5, 1), 1).map((pair) => fieldAt(pair, 2, 1))
  const [name = bytes, spec = bytes] = fieldsOf(fieldAt(a, 31), 1).map((pair) => fieldAt(pair, 2, 1))
  assert.equal(textOf(fieldAt(name, 33, 3)), 'x')
  assert.equal(textOf(fieldAt(spec, 26, 2, 1)), '#/components/schemas/B')
  assert.equal(fieldAt(spec, 33).length, 0, 'an object default is left out')
  assert.equal(textOf(fieldAt(a, 32, 1, 1, 25)), 'string')
  assert.equal(textOf(fieldAt(a, 36, 2, 2)), 'true\n')
  assert.equal(textOf(fieldAt(b, 30, 1, 2, 1)), '#/components/schemas/A')
})

test('every reference is defined', async () => {
  const api = create(serving([...builtin, widget('v1')]))
  const { paths } = (await (await get(api, '/openapi/v3')).json()) as { paths: { [name: string]: object } }
  for (const name of Object.keys(paths)) {
    const document = await json(`/openapi/v3/${name}`, api)
    const known = new Set(Object.keys(schemas(document)).map((model) => `#/components/schemas/${model}`))
    for (const reference of references(document)) assert.ok(known.has(reference), `${name}: ${reference}`)
  }
})

test('operation ids are unique', async () => {
  const document = await json('/openapi/v3/api/v1')
  const ids = Object.values(document['paths'] ?? {}).flatMap((item) => Object.values(item).flatMap((own) => own['operationId'] ?? []))
  assert.ok(ids.length > 200)
  assert.equal(new Set(ids).size, ids.length)
})

test('a kind has types, defaults and merge keys', async () => {
  const models = schemas(await json('/openapi/v3/apis/apps/v1'))
  const deployment = models['io.k8s.api.apps.v1.Deployment']
  assert.deepEqual(deployment?.['x-kubernetes-group-version-kind'], [{ group: 'apps', version: 'v1', kind: 'Deployment' }])
  assert.equal(deployment?.['properties']?.['kind']?.['type'], 'string')
  const { description: _, ...metadata } = deployment?.['properties']?.['metadata'] ?? {}
  assert.deepEqual(metadata, { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }], default: {} })
  const spec = models['io.k8s.api.apps.v1.DeploymentSpec']
  assert.deepEqual(spec?.['required'], ['selector', 'template'])
  assert.equal(spec?.['properties']?.['replicas']?.['format'], 'int32')
  assert.equal(spec?.['properties']?.['strategy']?.['x-kubernetes-patch-strategy'], 'retainKeys')
  const containers = models['io.k8s.api.core.v1.PodSpec']?.['properties']?.['containers'] ?? {}
  assert.equal(containers['x-kubernetes-list-type'], 'map')
  assert.deepEqual(containers['x-kubernetes-list-map-keys'], ['name'])
  assert.equal(containers['x-kubernetes-patch-merge-key'], 'name')
  assert.deepEqual(containers['items'], { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' })
  assert.equal(models['io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector']?.['x-kubernetes-map-type'], 'atomic')
  assert.deepEqual(models['io.k8s.apimachinery.pkg.util.intstr.IntOrString'], {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    format: 'int-or-string',
  })
  assert.deepEqual(models['io.k8s.api.apps.v1.DeploymentStrategy']?.['properties']?.['type']?.['enum'], ['Recreate', 'RollingUpdate'])
  assert.deepEqual(models['io.k8s.api.apps.v1.DeploymentList']?.['required'], ['items'])
})

test('patch operations declare fieldValidation and dryRun, which clients check', async () => {
  const document = await json('/openapi/v3/apis/apps/v1')
  const patch = document['paths']?.['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['patch']
  const names = Object.values(patch?.['parameters'] ?? {}).map((parameter) => parameter['name'])
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'force'])
  assert.equal(patch?.['operationId'], 'patchAppsV1NamespacedDeployment')
  assert.equal(patch?.['x-kubernetes-action'], 'patch')
  assert.deepEqual(patch?.['x-kubernetes-group-version-kind'], { group: 'apps', version: 'v1', kind: 'Deployment' })
  assert.ok('application/strategic-merge-patch+json' in (patch?.['requestBody']?.['content'] ?? {}))
})

test('a custom resource is one model with inlined schemas', async () => {
  const document = await json('/openapi/v3/apis/shop.example.com/v1', create(serving([...builtin, widget('v1')])))
  const models = schemas(document)
  assert.deepEqual(models['com.example.shop.v1.Widget']?.['properties']?.['spec'], {
    type: 'object',
    properties: {
      size: { type: 'string', description: 'How large it is.', enum: ['small', 'large'], maxLength: 9 },
      weight: { type: 'integer', format: 'int32', minimum: 1, default: 3 },
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      extra: { type: 'object', additionalProperties: { type: 'boolean' }, nullable: true },
    },
    required: ['size'],
  })
  assert.deepEqual(models['com.example.shop.v1.WidgetList']?.['properties']?.['items']?.['items'], {
    $ref: '#/components/schemas/com.example.shop.v1.Widget',
  })
  const paths = document['paths'] ?? {}
  const patch = paths['/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}']?.['patch']
  assert.equal(patch?.['operationId'], 'patchShopExampleComV1NamespacedWidget')
  assert.deepEqual(Object.keys(patch?.['requestBody']?.['content'] ?? {}), [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ])
  assert.ok('/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}/scale' in paths)
})

test('a changed definition changes only its own document', async () => {
  const served = serving([...builtin, widget('v1')])
  const api = create(served)
  const text = async (path: string) => (await get(api, path)).text()
  const paths = ['/openapi/v3', '/openapi/v3/apis/shop.example.com/v1', '/openapi/v3/apis/apps/v1']
  const before = await Promise.all(paths.map(text))
  served.set([...builtin, widget('v1', ['huge'])])
  const after = await Promise.all(paths.map(text))
  assert.deepEqual(
    after.map((value, at) => value === before[at]),
    [false, false, true],
  )
})

test('model names contain the domain of the platform', async () => {
  const own = createPlatform('platform', 'api.test')
  const models = schemas(await json('/openapi/v3/api/v1', create(serving(builtin), own)))
  assert.ok('test.api.api.core.v1.Pod' in models)
  assert.ok('test.api.apimachinery.pkg.apis.meta.v1.ObjectMeta' in models)
})

test('other paths are not found', () => {
  for (const path of ['/openapi/v2', '/openapi/v3x']) {
    const url = new URL(path, 'http://server')
    assert.equal(create().respond(asked(url)), undefined)
  }
})

test('documents of other sources are in the index and answer themselves; the first source of a name counts', async () => {
  const document = (name: string) => ({
    url: async () => `/openapi/v3/${name}?hash=1`,
    respond: async () => new Response(`document of ${name}`),
  })
  const names = ['apis/wardle.example.com/v1', 'apis/shop.example.com/v1']
  const source = { revision: 1, documents: () => new Map(names.map((name) => [name, document(name)])) }
  const api = create(serving([...builtin, widget('v1')]), platform, [source])
  const { paths } = await json('/openapi/v3', api)
  for (const name of names) {
    assert.deepEqual(paths?.[name], { serverRelativeURL: `/openapi/v3/${name}?hash=1` })
    assert.equal(await (await get(api, `/openapi/v3/${name}`)).text(), `document of ${name}`)
  }
  assert.ok(paths?.['apis/apps/v1'])
  names.pop()
  source.revision++
  assert.match(
    String((await json('/openapi/v3', api))['paths']?.['apis/shop.example.com/v1']?.['serverRelativeURL']),
    /hash=[0-9A-F]{128}$/,
  )
})

test('a reference has an allOf around it only beside a description, which the reference server does not have everywhere', async () => {
  const extensions = schemas(await json(`/openapi/v3/apis/${platform.name('apiextensions.<domain>')}/v1`))
  const props = Object.entries(extensions).find(([name]) => name.endsWith('.JSONSchemaProps'))?.[1]?.['properties'] ?? {}
  for (const name of ['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'])
    assert.deepEqual(Object.keys(props[name] ?? {}), ['$ref'], name)
  const networking = schemas(await json(`/openapi/v3/apis/${platform.name('networking.<domain>')}/v1`))
  const rule = Object.entries(networking).find(([name]) => name.endsWith('.IngressRule'))?.[1]?.['properties'] ?? {}
  assert.deepEqual(Object.keys(rule['http'] ?? {}), ['$ref'])
})

test('operation ids of a kind with a small first letter', async () => {
  const [row] = [widget('v1')]
  const small = { ...row, kind: 'wIDGET' }
  const document = await json('/openapi/v3/apis/shop.example.com/v1', create(serving([...builtin, small])))
  const idsOf = (path: string) => Object.values(document['paths']?.[path] ?? {}).map((operation) => String(operation['operationId'] ?? ''))
  assert.ok(idsOf('/apis/shop.example.com/v1/widgets').includes('listShopExampleComV1WIDGETForAllNamespaces'))
  assert.ok(idsOf('/apis/shop.example.com/v1/namespaces/{namespace}/widgets').includes('createShopExampleComV1NamespacedwIDGET'))
})
