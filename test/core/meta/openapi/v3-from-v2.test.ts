/** OpenAPI 3 made from Swagger documents of other servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertedToV3 as convert } from '../../../../core/meta/openapi/v3-from-v2.ts'
import type { JsonObject } from '../../../../core/schema/model.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { pauses } from '../fixtures.ts'

const convertedToV3 = (document: JsonObject) => convert(document, pauses.sharedSlices())

/** Each part of a document with what becomes of it. */
const parts: readonly (readonly [name: string, swagger: JsonObject, expected: JsonObject])[] = [
  ['nothing', { swagger: '2.0', host: 'x', basePath: '/' }, { components: {} }],
  ['a definition', { definitions: { A: { type: 'string', 'x-a': 1 } } }, { components: { schemas: { A: { type: 'string', 'x-a': 1 } } } }],
  [
    'references at any depth',
    {
      definitions: {
        A: { items: { $ref: '#/definitions/A' }, properties: { $ref: { $ref: '#/definitions/A', description: 'd' } } },
        B: { additionalProperties: { allOf: [{ $ref: '#/definitions/A' }] }, default: { $ref: '#/definitions/A' } },
      },
    },
    {
      components: {
        schemas: {
          A: {
            items: { $ref: '#/components/schemas/A' },
            properties: { $ref: { description: 'd', allOf: [{ $ref: '#/components/schemas/A' }] } },
          },
          B: { additionalProperties: { allOf: [{ $ref: '#/components/schemas/A' }] }, default: { $ref: '#/definitions/A' } },
        },
      },
    },
  ],
  [
    'a body for each media type that an operation consumes, and other parameters',
    {
      paths: {
        'x-all': [1],
        '/a': {
          parameters: [{ name: 'q', in: 'query', type: 'string', uniqueItems: true }],
          post: {
            consumes: ['a/b', 'c/d'],
            parameters: [
              { name: 'body', in: 'body', schema: { $ref: '#/definitions/A' } },
              { name: 'l', in: 'path', required: true, type: 'array', items: { type: 'string' } },
              { $ref: '#/parameters/p' },
            ],
            responses: { default: { $ref: '#/responses/r' } },
            schemes: ['https'],
            'x-own': true,
          },
        },
      },
      parameters: { p: { name: 'p', in: 'query', type: 'integer', format: 'int32' } },
      responses: { r: { description: 'r', schema: { type: 'string' } } },
      produces: ['e/f'],
    },
    {
      paths: {
        'x-all': [1],
        '/a': {
          post: {
            'x-own': true,
            parameters: [
              { name: 'l', in: 'path', required: true, schema: { type: 'array', items: { type: 'string' } } },
              { $ref: '#/components/parameters/p' },
            ],
            requestBody: {
              content: { 'a/b': { schema: { $ref: '#/components/schemas/A' } }, 'c/d': { schema: { $ref: '#/components/schemas/A' } } },
            },
            responses: { default: { $ref: '#/components/responses/r' } },
          },
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string', uniqueItems: true } }],
        },
      },
      components: {
        parameters: { p: { name: 'p', in: 'query', schema: { type: 'integer', format: 'int32' } } },
        responses: { r: { description: 'r', content: { 'e/f': { schema: { type: 'string' } } } } },
      },
    },
  ],
  [
    'security',
    { securityDefinitions: { o: { type: 'oauth2', flow: 'implicit', authorizationUrl: 'u', scopes: { s: 't' } } } },
    { components: { securitySchemes: { o: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'u', scopes: { s: 't' } } } } } } },
  ],
]

for (const [name, swagger, expected] of parts) {
  test(name, async () => assert.deepEqual(await convertedToV3(swagger), { openapi: '3.0.0', ...expected }))
}

test('members of unknown shape do no harm', async () => {
  for (const odd of [null, 1, 'a', [], [[]], { a: null }, { a: [] }]) {
    for (const name of ['paths', 'definitions', 'parameters', 'responses', 'securityDefinitions', 'produces', 'info']) {
      assert.equal((await convertedToV3({ [name]: odd }))['openapi'], '3.0.0')
    }
    for (const name of ['get', 'parameters', '$ref']) await convertedToV3({ paths: { '/a': { [name]: odd } } })
    for (const name of ['parameters', 'responses', 'consumes']) await convertedToV3({ paths: { '/a': { get: { [name]: odd } } } })
    for (const name of ['properties', 'items', 'allOf', '$ref']) await convertedToV3({ definitions: { A: { [name]: odd } } })
  }
})

function* references(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, own] of Object.entries(value)) {
    if (key === '$ref' && typeof own === 'string') yield own
    else yield* references(own)
  }
}

test("this server's own document: every reference leads somewhere, and every write has a body", async () => {
  const { fetch, close } = await startInProcess()
  const swagger = (await (await fetch('/openapi/v2')).json()) as JsonObject
  await close()
  const document = await convertedToV3(swagger)
  const found = [...references(document)]
  assert.ok(found.length > 10_000)
  for (const each of new Set(found)) {
    const end = each
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (at as JsonObject | undefined)?.[step], document)
    assert.ok(end !== undefined, each)
  }
  const paths = Object.values(document['paths'] as { [path: string]: { [method: string]: JsonObject } })
  for (const { put } of paths.filter(({ put }) => put && !String(put['operationId']).includes('Proxy'))) {
    assert.ok(put?.['requestBody'], String(put?.['operationId']))
  }
})
