/** Documents of servers behind this one that no real server sends: none of them stops this server, or takes what the others serve from clients. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { maxDocumentBytes } from '../../../core/aggregation/remote-document.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Outbound } from '../../../core/ports.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import type { ApiServer } from '../../../core/server.ts'
import { consoleLogger } from '../../../runtimes/web/ports.ts'
import { registration, registrations } from '../../support/aggregation.ts'
import { apiOn, startInProcess } from '../../support/in-process.ts'
import { longestPause } from '../../support/pauses.ts'
import { trials } from '../../support/soak.ts'
import { eventually } from '../../support/wait.ts'

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const aggregatedList = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
/** Documents with what all servers have. */
const documents: readonly (readonly [path: string, accept: string])[] = [
  ['/openapi/v2', 'application/json'],
  ['/openapi/v2', protobuf],
  ['/openapi/v3', 'application/json'],
  ['/apis', aggregatedList],
]

/** What a server of group `GROUP/v1` sends, as text or value; absent: 404. */
interface Trick {
  readonly swagger?: (group: string) => unknown
  readonly list?: unknown
  readonly aggregated?: (group: string) => unknown
  readonly index?: (group: string) => unknown
  /** Whether its documents are used all the same. */
  readonly isUsed?: true
}

const times = <T>(count: number, of: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => of(index))
const many = trials(20_000, 100_000)
const named = (count: number, of: (index: number) => readonly [string, unknown]) => Object.fromEntries(times(count, of))
const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}0${close.repeat(levels)}`
const schemaRef = (name: string) => ({ $ref: `#/definitions/${name}` })
const pathOf = (group: string) => `/apis/${group}/v1/things`
const answering = (schema: unknown, more: object = {}) => ({ get: { ...more, responses: { 200: { description: 'OK', schema } } } })

const swagger = (group: string, definitions: unknown, more: object = {}) => ({
  swagger: '2.0',
  info: { title: 'T', version: 'v1' },
  paths: { [pathOf(group)]: answering(schemaRef('D0')), ...more },
  definitions,
})

const thing = { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }
const aggregatedOf = (group: string, resources: unknown) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources }] }],
})
/** Large enough to hold the thread for long, if it is not read in slices. */
const large = (text: string) => text.repeat(Math.floor(trials(1_000_000, 15_000_000) / text.length))
const kinds = times(12_000, (index) => ({ group: 'g', version: 'v1', kind: `K${index}` }))

const everywhere = (text: string): Trick => ({ swagger: () => text, list: text, aggregated: () => text, index: () => text })

const tricks: { readonly [name: string]: Trick } = {
  brackets: everywhere(large('[')),
  braces: everywhere(large('{"a":')),
  items: everywhere(`{"paths":[${large('{},')}{}]}`),
  string: everywhere(`{"paths":"${large('x')}"}`),
  quotes: everywhere(`{"paths":"${large('\\"')}"}`),
  digits: everywhere(`{"paths":${large('9')}}`),
  spaces: everywhere(`{${large(' ')}}`),
  long: { swagger: () => `{"a":"${'x'.repeat(maxDocumentBytes)}"}` },
  empty: everywhere(''),
  text: everywhere('<html>'),
  scalar: everywhere('1'),
  huge: everywhere('{"a":1e999}'),
  deep: { swagger: (group) => swagger(group, { D0: JSON.parse(nested(2_500, '{"items":', '}')) }) },
  nested: { swagger: (group) => swagger(group, { D0: JSON.parse(nested(200, '{"items":', '}').replace('0', '{}')) }), isUsed: true },
  chained: {
    swagger: (group) =>
      swagger(
        group,
        named(20_000, (index) => [`D${index}`, { items: schemaRef(`D${index + 1}`) }]),
      ),
    isUsed: true,
  },
  cyclic: { swagger: (group) => swagger(group, { D0: { items: schemaRef('D1') }, D1: { items: schemaRef('D0') } }), isUsed: true },
  paths: {
    swagger: (group) =>
      swagger(
        group,
        { D0: {} },
        named(many, (index) => [`/apis/${group}/v1/p${index}`, {}]),
      ),
    isUsed: true,
  },
  definitions: {
    swagger: (group) =>
      swagger(
        group,
        named(many, (index) => [`D${index}`, { type: 'object' }]),
      ),
    isUsed: true,
  },
  wide: { swagger: (group) => swagger(group, { D0: { properties: named(60_000, (index) => [`p${index}`, {}]) } }) },
  // One definition under many names.
  spellings: {
    swagger: (group) =>
      swagger(
        group,
        { D0: { description: 'x'.repeat(10_000), items: schemaRef('D0') } },
        named(1_000, (index) => [`/apis/${group}/v1/p${index}`, answering({ $ref: `#/definitions/${index}/D0` })]),
      ),
    isUsed: true,
  },
  // A schema for each media type.
  types: {
    swagger: (group) => ({
      ...swagger(group, {}),
      paths: {
        [pathOf(group)]: answering(
          { properties: named(10_000, (index) => [`p${index}`, { type: 'string' }]) },
          { produces: times(10_000, (index) => `application/x-${index}`) },
        ),
      },
    }),
  },
  kinds: { swagger: (group) => swagger(group, { D0: { 'x-kubernetes-group-version-kind': kinds } }), isUsed: true },
  'other-kinds': {
    swagger: (group) => swagger(group, { D0: { 'x-kubernetes-group-version-kind': kinds.map((kind) => ({ ...kind, group })) } }),
    isUsed: true,
  },
  // Names that are taken.
  taken: {
    swagger: (group) =>
      swagger(
        group,
        named(20_000, (index) => [`D${index === 0 ? 0 : `0_v${index}`}`, { title: group }]),
      ),
    isUsed: true,
  },
  'taken-too': { swagger: (group) => swagger(group, { D0: { title: group } }), isUsed: true },
  proto: {
    swagger: (group) => ({
      ...swagger(group, {}),
      paths: JSON.parse(`{"${pathOf(group)}":{"get":{"responses":{"200":{"schema":{"$ref":"#/definitions/__proto__"}}}}},"__proto__":{}}`),
      definitions: JSON.parse('{"__proto__":{"title":"polluted"},"constructor":{}}'),
    }),
    isUsed: true,
  },
  'no-object': { swagger: (group) => swagger(group, { D0: 1 }) },
  'no-number': { swagger: (group) => swagger(group, { D0: { maxLength: 'long' } }) },
  'no-paths': { swagger: () => ({ swagger: '2.0', paths: null }) },
  rows: { list: { resources: times(60_000, (index) => ({ ...thing, name: `r${index}` })) } },
  // Each of the rows with one name would have all subresources.
  twins: { list: { resources: [...times(2_000, () => thing), ...times(8_000, (index) => ({ ...thing, name: `things/s${index}` }))] } },
  verbs: { list: { resources: [{ ...thing, verbs: times(400_000, () => 'get') }] } },
  'aggregated-rows': {
    aggregated: (group) =>
      aggregatedOf(
        group,
        times(60_000, (index) => ({ resource: `r${index}`, scope: 'Cluster' })),
      ),
  },
  'aggregated-types': {
    aggregated: (group) => aggregatedOf(group, [1, null, { resource: {}, verbs: 1, subresources: [[]], responseKind: [] }]),
  },
  urls: { index: () => ({ paths: named(100_000, (index) => [`apis/g${index}/v1`, { serverRelativeURL: '/openapi/v3/a' }]) }) },
  url: { index: (group) => ({ paths: { [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/${'x'.repeat(900_000)}` } } }) },
}

const good: Trick = { swagger: (group) => swagger(group, { D0: { title: group } }), list: { resources: [thing] } }
const servers: { readonly [name: string]: Trick } = { first: good, ...tricks, last: good }
const groupOf = (name: string) => `${name}.example.com`

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

describe('documents of servers behind this one', () => {
  let server: ApiServer
  const warned = new Set<string>()
  /** Requests that have been answered, by server and path. */
  const asked = new Set<string>()

  /** Texts by server and path. They are made before: the test must not hold the thread itself. */
  const texts = new Map<string, string>()
  for (const [name, { swagger, list, aggregated, index }] of Object.entries(servers)) {
    const group = groupOf(name)
    const values = {
      '/openapi/v2': swagger?.(group),
      '/openapi/v3': index?.(group),
      '/apis': aggregated?.(group),
      [`/apis/${group}/v1`]: list,
    }
    for (const [path, value] of Object.entries(values)) if (value !== undefined) texts.set(`${name} ${path}`, textOf(value))
  }

  const answerOf = (name: string, path: string): Response => {
    asked.add(`${name} ${path}`)
    const text = texts.get(`${name} ${path}`)
    if (text === undefined) return new Response('', { status: 404 })
    const type = path === '/apis' ? aggregatedList : 'application/json'
    return new Response(text, { headers: { 'content-type': type } })
  }

  before(async () => {
    const outbound: Outbound = {
      fetch: async (request, { target = '' } = {}) => answerOf(new URL(request.url).hostname.split('.')[0] ?? '', target),
      call: () => Promise.reject(new Error('no calls')),
    }
    const logger = { ...consoleLogger, warn: (fields: object) => void warned.add(String((fields as { name?: string }).name)) }
    server = (await startInProcess({ platform: createPlatform('kubernetes'), controllers: [], outbound, telemetry: { logger } })).server
  })
  after(() => server.close())

  test('stop nobody, and are left out by name where they can not be served', async () => {
    const api = apiOn(server)
    const get = (path: string, accept = 'application/json') => server.fetch(new Request(`http://server${path}`, { headers: { accept } }))
    /** The bytes alone: the test must not hold the thread itself. */
    const bytes = async (path: string, accept?: string) => (await get(path, accept)).arrayBuffer()
    const json = async (path: string, accept?: string) => (await (await get(path, accept)).json()) as JsonObject
    const keysOf = (value: unknown) => new Set(Object.keys((value ?? {}) as object))
    const used = Object.entries(servers).flatMap(([name, { isUsed }]) => (isUsed || name === 'first' || name === 'last' ? [name] : []))

    const pause = await longestPause(async () => {
      for (const name of Object.keys(servers)) {
        const spec = { type: 'ExternalName', externalName: `${name}.example.org` }
        await api.create('/api/v1/namespaces/default/services', { metadata: { name }, spec })
        await api.create(registrations, registration(name, 443, `${groupOf(name)}/v1`, { insecureSkipTLSVerify: true }))
      }
      await eventually('every document has been asked for', async () =>
        Object.keys(servers).every((name) => ['/openapi/v2', '/openapi/v3', '/apis'].every((path) => asked.has(`${name} ${path}`))),
      )
      await eventually('the documents that can be used are', async () => {
        const text = Buffer.from(await bytes('/openapi/v2'))
        return used.every((name) => text.includes(`"${pathOf(groupOf(name))}"`))
      })
      for (const [path, accept] of documents) assert.ok((await bytes(path, accept)).byteLength > 0)
    })
    assert.ok(pause < 250, `the thread was held for ${Math.round(pause)} ms`)
    for (const [path, accept] of documents) assert.equal((await get(path, accept)).status, 200)
    const paths = keysOf((await json('/openapi/v2'))['paths'])
    for (const name of used) assert.ok(paths.has(pathOf(groupOf(name))), name)
    const index = keysOf((await json('/openapi/v3'))['paths'])
    for (const name of used) assert.ok(index.has(`apis/${groupOf(name)}/v1`), name)
    for (const name of ['first', 'last']) {
      assert.equal((await get(`/openapi/v3/apis/${groupOf(name)}/v1`)).status, 200)
    }
    const list = await json('/apis', aggregatedList)
    const found = new Map(
      (list['items'] as { metadata: { name: string }; versions: { resources?: object[] }[] }[]).map((item) => [item.metadata.name, item]),
    )
    for (const name of ['first', 'last']) assert.equal(found.get(groupOf(name))?.versions[0]?.resources?.length, 1)
    assert.equal(({} as { title?: unknown }).title, undefined)
    const refused = Object.keys(tricks).filter(
      (name) => !used.includes(name) && !['no-paths', 'twins', 'aggregated-types', 'url', 'urls', 'spaces'].includes(name),
    )
    assert.deepEqual(
      refused.filter((name) => !warned.has(`v1.${groupOf(name)}`) && !warned.has(`apis/${groupOf(name)}/v1`)),
      [],
    )
  })
})
