/**
 * Random paths and methods are served exactly when the OpenAPI documents declare them, and a request reads only the
 * store keys that it was authorized for.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { defaultAdmissionPlugins } from '../../../core/admission/plugins/index.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { KeyValueStore, Outbound } from '../../../core/ports.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { serverForTests } from '../../support/in-process.ts'
import { randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'

interface Attributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

/** An OpenAPI path, split into elements; `{…}` matches any element. */
interface Template {
  readonly path: string
  readonly elements: readonly string[]
  /** True if GET is a list; undefined if it is not. */
  readonly lists: boolean
  readonly methods: ReadonlySet<string>
}

const connection = `
apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: https://authorizer.example.com } }]
users: [{ name: u, user: {} }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`
const asked: Attributes[] = []
const touched: string[] = []
/** An authorization webhook that allows everything and records its attributes. */
const outbound: Outbound = {
  async fetch(request) {
    const review = (await request.json()) as { spec: { resourceAttributes?: Attributes } }
    asked.push(review.spec.resourceAttributes ?? {})
    return Response.json({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed: true } })
  },
  call: () => Promise.reject(new Error('no calls here')),
}
const files = { read: async () => new TextEncoder().encode(connection), watch: () => () => {} }

/** A store that records the keys of its calls. */
function watched(store: KeyValueStore): KeyValueStore {
  return {
    ...store,
    get(key, revision) {
      touched.push(key)
      return store.get(key, revision)
    },
    list(options) {
      touched.push(options.prefix)
      return store.list(options)
    },
    put(key, ...rest) {
      touched.push(key)
      return store.put(key, ...rest)
    },
    delete(key, expected) {
      touched.push(key)
      return store.delete(key, expected)
    },
  }
}

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRY']
const names = ['foo', 'victim', 'default', 'status', 'finalize', 'namespaces', 'watch', 'pods', 'a.b', 'ü%']
const { pick, chance } = randomNumbers(20260101)
const definitions = builtInResources.map((row) => bind(row, createPlatform()))
const groupVersions = [...new Set(definitions.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)))]
const words = [
  ...new Set(definitions.flatMap(({ names, subresources }) => [names.plural, ...subresources.map(({ name }) => name)])),
  'status',
  'scale',
]
let templates: readonly Template[]
/** Paths of lists that support watch. */
let watchedLists: ReadonlySet<string>

const api = serverForTests({
  store: watched(memoryStore()),
  files,
  outbound,
  controllers: [],
  watchCache: false,
  admissionPlugins: { disable: defaultAdmissionPlugins },
  authorizationModes: ['Webhook'],
  authorizationFiles: { webhook: { connection: 'file', version: 'v1', authorizedTtl: 0, unauthorizedTtl: 0 } },
})
const send = (method: string, path: string, init: RequestInit = {}) => api.fetch(path, { method, ...init })
const json = async (path: string) =>
  (await api.get<{ paths: { [path: string]: { [key: string]: { readonly 'x-kubernetes-action'?: string } } } }>(path)).body

before(async () => {
  const documents = await Promise.all(Object.keys((await json('/openapi/v3')).paths).map((name) => json(`/openapi/v3/${name}`)))
  templates = documents
    .flatMap(({ paths }) => Object.entries(paths))
    .map(([path, item]) => ({
      path,
      elements: path.slice(1).split('/'),
      lists: item['get']?.['x-kubernetes-action'] === 'list',
      methods: new Set(Object.keys(item).map((method) => method.toUpperCase())),
    }))
  watchedLists = new Set(templates.flatMap(({ path }) => (path.includes('/watch/') ? [path.replace('/watch/', '/')] : [])))
  for (const name of ['foo', 'victim']) await api.create('/api/v1/namespaces', { metadata: { name } })
})

function matches({ elements }: Template, path: readonly string[]): boolean {
  const open = elements.at(-1) === '{path}'
  if (open ? path.length < elements.length : path.length !== elements.length) return false
  return elements.every((element, index) => element === path[index] || (element.startsWith('{') && path[index] !== ''))
}

/** A served path, a slightly changed one, or random words. */
function randomElements(): string[] {
  const served = pick(templates).elements.map((element) => (element.startsWith('{') ? pick(names) : element))
  const start = chance(0.7)
    ? served
    : [...pick(groupVersions).split('/'), ...Array.from({ length: pick([1, 2, 3, 4, 5]) }, () => pick([...words, ...names]))]
  const at = pick([2, 3, 3, 4, 5, 6])
  if (chance(0.1)) start.splice(at, 0, 'namespaces', pick(names))
  if (chance(0.1)) start.splice(at, 0, pick(['watch', 'proxy', '', pick(words), pick(names)]))
  if (chance(0.1)) start.splice(at, 1)
  if (chance(0.1)) start.push(pick([...words, ...names]))
  return start
}

const hex = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`
const percent = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => (chance(0.5) ? hex(byte).toUpperCase() : hex(byte))).join('')

/** The path of the elements, with some needless percent-encoding, encoded slashes and trailing slashes. */
function written(elements: readonly string[]): string {
  const encode = (character: string) => (chance(0.03) || !/[a-z0-9.:-]/i.test(character) ? percent(character) : character)
  const path = elements.map((element) => [...element].map(encode).join('')).join(chance(0.1) ? '%2F' : '/')
  return `/${path}${chance(0.1) ? '/' : ''}`
}

const queries = [
  '',
  '',
  '',
  '?watch=1',
  '?watch=False',
  '?watch=t',
  '?watch',
  '?watch=0',
  '?fieldSelector=metadata.name%3Dfoo',
  '?fieldSelector=metadata.name%3Dfoo,metadata.namespace%3Dvictim',
]
const watches = (query: string) => ['?watch=1', '?watch=t', '?watch'].includes(query)

/** Store key of the object that the attributes name; for a service proxy its endpoints. */
function keyOf({ group = '', version, subresource, namespace = '', name = '', ...given }: Attributes): string {
  const resource = given.resource === 'services' && subresource === 'proxy' ? 'endpoints' : given.resource
  const definition = definitions.find((each) => each.group === group && each.version === version && each.names.plural === resource)
  assert.ok(definition, `${group}/${version} ${resource}`)
  const scope = definition.namespaced && namespace !== '' ? `${namespace}/` : ''
  return `/registry/${definition.storageKey}/${scope}${scope !== '' || !definition.namespaced ? name : ''}`
}

/** Keys read in addition to the object itself: the address ranges of a new service. */
const besides = ['/registry/servicecidrs/', '/registry/ranges/']
const rounds = trials(2_000, 60_000)

test('only declared paths are served, and only authorized keys are read', async () => {
  let served = 0
  let looked = 0
  for (let round = 0; round < rounds; round++) {
    const elements = randomElements()
    const path = written(elements)
    const method = pick(methods)
    const query = method === 'GET' ? pick(queries) : '?dryRun=All'
    const says = `${method} ${path}${query}`
    const decoded = decodeURIComponent(path)
      .replace(/^\/+|\/+$/g, '')
      .split('/')
    if (decoded.length <= (decoded[0] === 'api' ? 2 : 3)) continue
    const found = templates.find((template) => matches(template, decoded))
    const watchable = found === undefined || found.lists === false || watchedLists.has(found.path)
    const expected = found?.methods.has(method) === true && (watchable || !watches(query))
    asked.length = 0
    touched.length = 0
    const abort = new AbortController()
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{}' } : {}
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
    const response = await send(method, `${path}${query}`, { headers, signal: abort.signal, ...body })
    const [attributes] = asked
    const keys = [...touched]
    const streams = response.headers.get('content-type')?.includes('stream=watch') || (response.ok && attributes?.verb === 'watch')
    const text = streams ? '' : await response.text()
    abort.abort()
    if (streams) await response.body?.cancel().catch(() => {})
    const absent = response.status === 404 && /the server could not find the requested resource|^404 page not found/.test(text)
    const refused = response.status === 405 || (response.status === 500 && text.includes('failed to create RequestInfo'))
    assert.ok(refused || response.status < 500 || response.status === 503, `${says}: ${response.status} ${text}`)
    assert.equal(!absent && !refused, expected, `${says}: ${response.status} ${text}`)
    if (expected) served++
    else assert.deepEqual(keys, [], `${says} is not served`)
    if (attributes?.resource === undefined || keys.length === 0) continue
    looked++
    const first = keys.find((key) => !besides.some((each) => key.startsWith(each)))
    if (first === undefined || attributes.resource === 'componentstatuses') continue
    const many = ['list', 'watch'].includes(attributes.verb ?? '')
    assert.ok(
      first.startsWith(keyOf(many ? { ...attributes, name: '' } : attributes)),
      `${says}: ${first} was touched, ${JSON.stringify(attributes)} authorized`,
    )
    if (!many || !response.ok || streams) continue
    const { items } = JSON.parse(text) as { items: { metadata: { name: string; namespace?: string } }[] }
    for (const { metadata } of items) {
      assert.equal(attributes.name ?? metadata.name, metadata.name, says)
      if (metadata.namespace !== undefined) assert.equal(attributes.namespace ?? metadata.namespace, metadata.namespace, says)
    }
  }
  assert.ok(served > rounds / 20 && looked > rounds / 50, `${served} served, ${looked} looked up`)
})

const rows: readonly (readonly [method: string, path: string, status: number])[] = [
  ['DELETE', '/api/v1/namespaces/foo/namespaces/victim', 404],
  ['GET', '/api/v1/namespaces/foo/namespaces/victim', 404],
  ['GET', '/api/v1/namespaces/foo/namespaces', 404],
  ['PUT', '/api/v1/namespaces/foo/namespaces/victim/finalize', 404],
  ['GET', '/api/v1/watch/namespaces/foo/namespaces/victim', 404],
  ['GET', '/api/v1/namespaces/foo%2Fnamespaces/victim', 404],
  ['DELETE', '/api/v1/configmaps', 405],
  ['POST', '/api/v1/configmaps', 405],
  ['POST', '/api/v1/watch/configmaps', 405],
  ['DELETE', '/api/v1/watch/namespaces/foo/configmaps', 405],
  ['DELETE', '/api/v1/watch/namespaces/foo/configmaps/x', 405],
  ['GET', '/api/v1/watch/namespaces/foo/pods/x/log', 404],
  ['GET', '/api/v1/watch/selfsubjectaccessreviews', 404],
  ['GET', '/api/v1/nodes/x/status/y', 404],
  ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews/x', 404],
  ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 405],
  ['GET', '/api/v1/componentstatuses?watch=1', 405],
  ['GET', '/api/v1/proxy/nodes/x', 404],
  ['GET', '/api/v1/namespaces/foo/', 200],
  ['GET', '/api/v1/namespaces/foo%2fconfigmaps', 200],
  ['GET', '/api/v1/namespaces//configmaps', 200],
  ['GET', '/api/v1/namespaces/foo//x', 404],
  ['HEAD', '/api/v1/namespaces/foo', 405],
]

test('paths that once bypassed authorization', async () => {
  for (const [method, path, status] of rows) {
    const response = await send(
      method,
      path,
      method === 'PUT' || method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {},
    )
    assert.equal(response.status, status, `${method} ${path}`)
  }
  assert.equal((await send('GET', '/api/v1/namespaces/victim')).status, 200)
})

test('every value of the watch parameter except 0 and false is true', async () => {
  for (const [value, watches] of [
    ['False', false],
    ['0', false],
    ['FALSE', false],
    ['', true],
    ['t', true],
    ['1', true],
    ['yes', true],
  ] as const) {
    asked.length = 0
    const abort = new AbortController()
    const response = await send('GET', `/api/v1/namespaces/foo/configmaps?watch=${value}&timeoutSeconds=1`, { signal: abort.signal })
    assert.equal(asked[0]?.verb, watches ? 'watch' : 'list', value)
    abort.abort()
    await response.body?.cancel().catch(() => {})
  }
})

test('deletecollection is authorized for the collection, whatever its selectors', async () => {
  asked.length = 0
  await send('DELETE', '/api/v1/namespaces/foo/configmaps?fieldSelector=metadata.name%3Dx')
  assert.deepEqual([asked[0]?.verb, asked[0]?.name], ['deletecollection', undefined])
})
