/** What every request has: negotiation, media types, paths, impersonation, parameters; and lists and watches with all options at once. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const space = '/api/v1/namespaces/protocol'
const maps = `${space}/configmaps`
const stored = `${maps}/one`
const dry = 'dryRun=All'
const map = (name: string, more: object = {}) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, ...more })

const scene = (at: string, ...calls: Call[]): Scene => ({ kind: 'protocol', at, calls })

/** All combinations of values of parameters; an undefined value leaves the parameter out. */
function* queries(parameters: { readonly [name: string]: readonly (string | undefined)[] }): Generator<string> {
  const [[name, values] = ['', []], ...rest] = Object.entries(parameters)
  const others = rest.length === 0 ? [''] : [...queries(Object.fromEntries(rest))]
  for (const value of values)
    for (const other of others) yield [value === undefined ? '' : `${name}=${value}`, other].filter((text) => text !== '').join('&')
}

const table = 'as=Table;v=v1;g=meta.k8s.io'
const discovery = 'g=apidiscovery.k8s.io;as=APIGroupDiscoveryList'
const accepted = [
  ...['application/json;q=0', 'application/json;q=0, */*', 'application/json;q=2', 'application/json;q=x', 'application/json;q='],
  ...['application/yaml;q=0.9, application/json;q=0.5', 'application/json;q=0.5, application/yaml;q=0.9', '*/*;q=0.1, application/yaml'],
  ...['text/*', 'application/cbor', 'application/cbor, application/json', 'APPLICATION/JSON', 'Application/Yaml', 'application/json,'],
  ...['application/json;charset=latin1', 'application/json;export=1', 'application/json;pretty=1', 'application/json;pretty=0'],
  ...['application/json;stream=watch', 'application/json;stream=x', 'application/yaml;stream=watch', 'application/json;profile=nopeer'],
  ...[`application/json;${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, `application/yaml;${table}`],
  ...[`application/vnd.kubernetes.protobuf;${table}`, `application/cbor;${table}`, 'application/json;as=Table;v=v1;g=other'],
  ...['application/json;as=Table;g=meta.k8s.io', 'application/json;as=Table;v=v1', 'application/json;v=v1;g=meta.k8s.io'],
  ...['application/json;AS=Table;V=v1;G=meta.k8s.io', 'application/json;as=table;v=v1;g=meta.k8s.io', 'application/json;as=;v=;g='],
  ...['application/json; as=Table; v=v1; g=meta.k8s.io', 'application/json;as="Table";v="v1";g="meta.k8s.io"'],
  ...['application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor-seq'].map(
    (type) => `${type};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
  ),
  ...['v1', 'v1beta1', 'v2'].map((version) => `application/json;as=PartialObjectMetadataList;v=${version};g=meta.k8s.io`),
  ...['v1', 'v1beta1', 'v2'].map((version) => `application/json;as=PartialObjectMetadata;v=${version};g=meta.k8s.io`),
  ...['v2', 'v2beta1', 'v3'].map((version) => `application/json;v=${version};${discovery}`),
  ...[`application/json;v=v2;${discovery};profile=nopeer`, `application/json;v=v2;${discovery},application/json`],
  ...[`application/vnd.kubernetes.protobuf;v=v2;${discovery}`, `application/yaml;v=v2;${discovery}`],
  ...['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'],
]

const readable = [
  maps,
  stored,
  `${maps}/none`,
  '/api',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/version',
  '/healthz',
  '/livez?verbose',
  '/nothing',
]

function* negotiation(): Generator<Scene> {
  for (const accept of accepted) {
    for (const path of readable) yield scene(`GET ${path} accept ${accept}`, get(path, { accept }))
    yield scene(`HEAD accept ${accept}`, { method: 'HEAD', path: stored, headers: { accept } })
    yield scene(`POST accept ${accept}`, send('POST', `${maps}?${dry}`, map('new'), { accept }))
    yield scene(`refused POST accept ${accept}`, send('POST', `${maps}?${dry}`, map('NEW'), { accept }))
    yield scene(`DELETE accept ${accept}`, { method: 'DELETE', path: `${stored}?${dry}`, headers: { accept } })
    yield scene(`DELETE collection accept ${accept}`, { method: 'DELETE', path: `${maps}?${dry}`, headers: { accept } })
    yield scene(`scale accept ${accept}`, get('/apis/apps/v1/namespaces/protocol/deployments/none/scale', { accept }))
    yield scene(`watch accept ${accept}`, get(`${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done`, { accept }))
  }
  for (const include of ['None', 'Metadata', 'Object', 'x', '', 'None&includeObject=Object'])
    for (const path of [maps, stored])
      for (const accept of [`application/json;${table}`, 'application/json'])
        yield scene(`GET ${path} ${accept} includeObject=${include}`, get(`${path}?includeObject=${include}`, { accept }))
}

const sentTypes = [
  ...['; charset=utf-8', ';charset=UTF-8', '; charset=latin1', '; charset', ';', '; x=y', '; charset="utf-8"', ', text/plain', ' ;q=1'],
  ...['; charset=utf-8; charset=utf-8', '; =', '; a b'],
]
const patches: { readonly [type: string]: unknown } = {
  'application/merge-patch+json': { data: { a: '2' } },
  'application/json-patch+json': [{ op: 'add', path: '/data/a', value: '2' }],
  'application/strategic-merge-patch+json': { data: { a: '2' } },
  'application/apply-patch+yaml': map('one', { data: { a: '2' } }),
  'Application/Merge-Patch+JSON': { data: { a: '2' } },
  'application/merge-patch': {},
  'application/json': {},
  'application/*': {},
  '*/*': {},
}

function* mediaTypes(): Generator<Scene> {
  for (const [type, body] of Object.entries(patches))
    for (const more of ['', ...sentTypes])
      yield scene(`PATCH ${type}${more}`, send('PATCH', `${stored}?${dry}&fieldManager=x`, body, { 'content-type': `${type}${more}` }))
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/yaml',
    'application/cbor',
    'text/json',
    'application/x-www-form-urlencoded',
  ])
    for (const more of ['', ...sentTypes]) {
      const header = { 'content-type': `${type}${more}` }
      yield scene(`POST ${type}${more}`, send('POST', `${maps}?${dry}`, map('new'), header))
      yield scene(`PUT ${type}${more}`, send('PUT', `${stored}?${dry}`, map('one'), header))
      yield scene(`DELETE ${type}${more}`, send('DELETE', `${stored}?${dry}`, { dryRun: ['All'] }, header))
      yield scene(`review ${type}${more}`, send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, header))
    }
}

const paths = [
  ...['/api/v1/namespaces/protocol/configmaps//', '/api/v1//namespaces/protocol/configmaps', '//api/v1/namespaces/protocol/configmaps/one'],
  ...['/api/v1/namespaces/protocol//configmaps/one', '/api/v1/namespaces/protocol/configmaps//one', `${stored}//`, `${stored}/status/`],
  ...['/api/v1/namespaces/./configmaps', '/api/v1/namespaces/protocol/../protocol/configmaps', `${stored}/../one`, '/api/../api/v1'],
  ...['/api/v1/namespaces/%70rotocol/configmaps/one', '/api/v1/namespaces/protocol/%63onfigmaps/one', '/%61pi/v1', '/api%2fv1'],
  ...[
    `${maps}/o%6ee`,
    `${maps}/one%20`,
    `${maps}/%20one`,
    `${maps}/one%3f`,
    `${maps}/one%23`,
    `${maps}/one%25`,
    `${maps}/one+two`,
    `${maps}/one;x`,
  ],
  ...[
    `${maps}/one:two`,
    `${maps}/one@two`,
    `${maps}/one,two`,
    `${maps}/ONE`,
    `${maps}/%C3%A9`,
    `${maps}/%ff`,
    `${maps}/one%0a`,
    `${maps}/one%5c`,
  ],
  ...[
    '/api/v1/namespaces/a%2fb/configmaps',
    '/api/v1/namespaces/%2e/configmaps',
    '/api/v1/namespaces/a%20b/configmaps',
    '/api/v1/namespaces/%00',
  ],
  ...['/api/v1/watch/namespaces/protocol/configmaps/', '/api/v1/proxy/namespaces/protocol/pods/x', '/api/v1/redirect/nodes/x'],
  ...['/apis/apps/v1/namespaces/protocol', '/apis/apps/v1/namespaces', '/apis/apps/v1/namespaces/protocol/', '/apis/apps/v1/watch'],
  ...['/apis//apps/v1', '/apis/apps//v1', '/APIS/apps/v1', '/api/V1', '/apis/Apps/v1', '/apis/v1', '/api/apps/v1', '/apis/apps/v1beta1'],
  ...[
    '/apis/extensions/v1beta1',
    '/api/v1/ConfigMaps',
    '/api/v1/cm',
    '/api/v1/configmap',
    '/api/v1/configmaps/one',
    '/api/v1/nodes/x/status/y',
  ],
  ...['/metrics/', '/healthz/ping', '/healthz/nothing', '/livez/ping/', '/readyz/x', '/healthz?exclude=ping', '/livez?exclude=x&verbose'],
  ...[
    '/version/',
    '/version?pretty=true',
    '/openapi',
    '/openapi/v2/',
    '/openapi/v3/',
    '/openapi/v3/api',
    '/openapi/v3/apis/none/v1',
    '/swagger.json',
  ],
  ...[
    '/ui',
    '/index.html',
    '/favicon.ico',
    '/robots.txt',
    '/.well-known/',
    '/.well-known/nothing',
    '/openid/v1',
    '/openid/v1/jwks/',
    '/logs/',
    '/debug',
  ],
]

function* addresses(): Generator<Scene> {
  for (const path of paths)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])
      yield scene(`${method} ${path}`, {
        method,
        path: method === 'POST' || method === 'DELETE' ? `${path}${path.includes('?') ? '&' : '?'}${dry}` : path,
        ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
  for (const path of paths) yield scene(`anonymous ${path}`, { ...get(path), token: '' }, { ...get(path), token: 'none' })
}

const identities: readonly { readonly [header: string]: string }[] = [
  { 'impersonate-user': 'alice' },
  { 'impersonate-user': 'alice', 'impersonate-group': 'dev' },
  { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' },
  { 'impersonate-user': 'alice', 'impersonate-group': '' },
  { 'impersonate-user': 'alice', 'impersonate-uid': 'u' },
  { 'impersonate-user': 'alice', 'impersonate-uid': '' },
  { 'impersonate-user': 'alice', 'impersonate-extra-scopes': 'a' },
  { 'impersonate-user': 'alice', 'impersonate-extra-a%2fb': 'c', 'impersonate-extra-%zz': 'd' },
  { 'impersonate-user': 'alice', 'impersonate-extra-': 'd' },
  { 'impersonate-user': 'alice', 'impersonate-extra-UPPER': 'd' },
  { 'impersonate-user': 'alice', 'impersonate-nothing': 'd' },
  { 'impersonate-group': 'dev' },
  { 'impersonate-uid': 'u' },
  { 'impersonate-extra-scopes': 'a' },
  { 'impersonate-user': '' },
  { 'impersonate-user': '', 'impersonate-group': 'dev' },
  { 'impersonate-user': 'system:anonymous' },
  { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:authenticated' },
  { 'impersonate-user': 'system:serviceaccount:default:x' },
  { 'impersonate-user': 'system:serviceaccount:default:x', 'impersonate-group': 'dev' },
  { 'impersonate-user': 'system:serviceaccount:default' },
  { 'impersonate-user': 'system:serviceaccount::x' },
  { 'impersonate-user': 'system:serviceaccount:UPPER:x' },
  { 'impersonate-user': 'system:node:x', 'impersonate-group': 'system:nodes' },
  { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:unauthenticated' },
]

function* impersonation(): Generator<Scene> {
  for (const headers of identities)
    for (const token of [undefined, 'reference-alice', ''])
      yield scene(
        `impersonate ${JSON.stringify(headers)} by ${token}`,
        ...[
          send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, headers),
          get(maps, headers),
          get(stored, headers),
          get('/version', headers),
          get('/nothing', headers),
        ].map((call) => ({ ...call, ...(token !== undefined && { token }) })),
      )
}

const values = [
  ...[
    'pretty=',
    'pretty=True',
    'pretty=TRUE',
    'pretty=t',
    'pretty=yes',
    'pretty=2',
    'pretty=false',
    'pretty=true&pretty=false',
    'Pretty=true',
  ],
  ...['dryRun=All,All', 'dryRun=All&dryRun=', 'dryRun=&dryRun=All', 'dryRun=ALL', 'dryRun=%20All', 'dryRun=true', 'dryrun=All&dryRun=All'],
  ...['fieldValidation=strict', 'fieldValidation=Strict&fieldValidation=Ignore', 'fieldValidation=%20', 'fieldValidation=Warn,Strict'],
  ...[
    'fieldManager=a%20b',
    'fieldManager=%C3%A9',
    'fieldManager=a&fieldManager=b',
    'fieldManager=a%0Ab',
    `fieldManager=${'x'.repeat(128)}`,
  ],
  ...[
    'force=true&force=false',
    'force=',
    'force=1',
    'gracePeriodSeconds=1&gracePeriodSeconds=2',
    'gracePeriodSeconds=',
    'gracePeriodSeconds=1.5',
  ],
  ...['orphanDependents=', 'propagationPolicy=', 'propagationPolicy=orphan', 'propagationPolicy=Orphan&propagationPolicy=Background'],
  ...['kind=x', 'apiVersion=x', 'kind=DeleteOptions&apiVersion=v1', 'timeout=1h', 'timeout=1', 'timeout=999999h', 'timeout='],
]

/** A write of the stored object, its status or its collection. */
const writes: readonly ((query: string) => Call)[] = [
  (query) => send('POST', `${maps}?${query}`, { ...map('new'), unknown: 1, data: {} }),
  (query) => send('PUT', `${stored}?${query}`, { ...map('one'), unknown: 1 }),
  (query) => send('PATCH', `${stored}?${query}`, { unknown: 1 }, { 'content-type': 'application/merge-patch+json' }),
  (query) => send('PATCH', `${stored}?${query}`, map('one'), { 'content-type': 'application/apply-patch+yaml' }),
  (query) => ({ method: 'DELETE', path: `${stored}?${query}` }),
  (query) => ({ method: 'DELETE', path: `${maps}?labelSelector=none&${query}` }),
  (query) => send('PUT', `${space}/status?${query}`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'protocol' }, unknown: 1 }),
  (query) => send('POST', `${space}/serviceaccounts/none/token?${query}`, { spec: {}, unknown: 1 }),
  (query) => send('POST', `/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?${query}`, { spec: { unknown: 1 } }),
  (query) => send('POST', `${space}/pods/none/eviction?${query}`, { metadata: { name: 'none' }, unknown: 1 }),
  (query) => send('PUT', `/apis/apps/v1/namespaces/protocol/deployments/none/scale?${query}`, { unknown: 1 }),
]

function* parameters(): Generator<Scene> {
  for (const value of values) {
    for (const path of [maps, stored, `${maps}/none`, '/api/v1']) yield scene(`GET ${path}?${value}`, get(`${path}?${value}`))
    // An empty dryRun is none, so that another one follows.
    const query = value.includes('dryRun=All') ? value : `${value}&${dry}`
    for (const [index, write] of writes.entries()) yield scene(`write ${index} ?${query}`, write(query))
  }
}

const revisions = [undefined, '', '0', '{{0.metadata.resourceVersion}}', '99999999999', 'x', '-1', '%2B1']
const matches = [undefined, '', 'Exact', 'NotOlderThan', 'exact']

function* lists(): Generator<Scene> {
  const first = get(`${maps}?limit=1`)
  const options = {
    resourceVersion: revisions,
    resourceVersionMatch: matches,
    limit: [undefined, '0', '1', '2', '-1'],
    continue: [undefined, '', 'x', '{{0.metadata.continue}}'],
  }
  for (const query of queries(options)) yield scene(`list ${query}`, first, get(`${maps}?${query}`))
  for (const selector of ['labelSelector=a%3Db', 'fieldSelector=metadata.name%3Dtwo', 'labelSelector=a'])
    for (const query of queries({ ...options, resourceVersion: revisions.slice(0, 5), continue: [undefined, '{{0.metadata.continue}}'] }))
      yield scene(`list ${selector} ${query}`, first, get(`${maps}?${selector}&${query}`))
  for (const query of queries({ resourceVersion: revisions, resourceVersionMatch: matches }))
    yield scene(`GET ${query}`, first, get(`${stored}?${query}`), { method: 'DELETE', path: `${maps}?${dry}&${query}` })
  yield scene(
    'pages',
    first,
    get(`${maps}?limit=1&continue={{0.metadata.continue}}`),
    get(`${maps}?limit=1&continue={{1.metadata.continue}}`),
    get(`${maps}?limit=5&continue={{0.metadata.continue}}`),
    get(`${maps}?limit=1&continue={{0.metadata.continue}}&labelSelector=a`),
    get(`/api/v1/configmaps?limit=1&continue={{0.metadata.continue}}`),
    get(`${space}/secrets?limit=1&continue={{0.metadata.continue}}`),
  )
}

function* watches(): Generator<Scene> {
  const first = get(`${maps}?limit=1`)
  const options = {
    resourceVersion: revisions,
    resourceVersionMatch: matches,
    sendInitialEvents: [undefined, 'true', 'false', ''],
    allowWatchBookmarks: [undefined, 'true'],
  }
  for (const query of queries(options)) yield scene(`watch ${query}`, first, get(`${maps}?watch=1&timeoutSeconds=1&${query}`))
  for (const more of ['limit=1', 'continue=x', 'limit=1&continue={{0.metadata.continue}}', 'watch=true', 'watch=0', 'timeoutSeconds=0'])
    for (const start of ['', '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', '&resourceVersion=0'])
      yield scene(`watch ${more}${start}`, first, get(`${maps}?watch=1&timeoutSeconds=1&${more}${start}`))
  for (const path of [stored, `${maps}/none`, '/api/v1/watch/namespaces/protocol/configmaps/one', `/api/v1/watch/configmaps`])
    for (const query of [
      'watch=1&timeoutSeconds=1',
      'watch=0&timeoutSeconds=1',
      'watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Done',
    ])
      yield scene(`watch of ${path}?${query}`, get(`${path}?${query}&labelSelector=a%3Db`))
}

const names = ['one', 'two', 'three']
/** Leaves nothing behind. */
const end: readonly Call[] = [
  ...names.map((name) => ({ method: 'DELETE', path: `${maps}/${name}` })),
  { method: 'DELETE', path: space },
  send('PUT', `${space}/finalize`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'protocol' }, spec: { finalizers: [] } }),
]

export const protocol: Part = {
  name: 'protocol',
  before: () => [
    ...end,
    send('POST', '/api/v1/namespaces', { metadata: { name: 'protocol' } }),
    ...names.map((name) => send('POST', maps, map(name, { metadata: { name, labels: { a: 'b' } }, data: { a: '1' } }))),
  ],
  scenes: function* () {
    yield* negotiation()
    yield* mediaTypes()
    yield* addresses()
    yield* impersonation()
    yield* parameters()
    yield* lists()
    yield* watches()
  },
  after: () => end,
}
