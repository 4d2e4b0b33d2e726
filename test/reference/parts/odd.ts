/** Odd requests: methods × paths × media types × bodies × parameters. */
import { minimalObject } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { account } from '../inputs/objects.ts'
import { storedKinds } from '../kinds.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const stored = `${maps}/odd`
/** Where objects are deleted: a body takes the place of all parameters, so that these are no dry runs. */
const others = '/api/v1/namespaces/odd-others/configmaps'
/** Options of deletes that leave what others read. */
const dryRun = { dryRun: ['All'] }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'BREW']
const paths = [
  ...[
    '/',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v2',
    '/api//v1',
    '//api/v1',
    '/apis/',
    '/apis/apps',
    '/apis/apps/',
    '/apis/apps/v1/',
    '/apis/apps/v9',
  ],
  ...['/apis/nothing.example.com', '/apis/nothing.example.com/v1', '/apis/nothing.example.com/v1/things', '/apis/apps/v1/nothing'],
  ...[
    '/api/v1/pods',
    '/api/v1/pods/',
    '/api/v1/pods/x',
    '/api/v1/configmaps',
    '/api/v1/nodes',
    '/api/v1/nodes/x',
    '/api/v1/nodes/x/y',
    '/api/v1/nodes/x/status',
  ],
  ...[
    maps,
    `${maps}/`,
    `${maps}/x`,
    `${maps}/x/`,
    `${maps}/x/status`,
    `${maps}/x/scale`,
    `${maps}/x/y/z`,
    stored,
    `${stored}/`,
    `${stored}/status`,
    `${maps}/odd%2f`,
  ],
  ...[
    `${maps}/%6fdd`,
    `${maps}/..`,
    `${maps}/.`,
    `${maps}/%2e%2e`,
    `${maps}/%00`,
    `${maps}/%zz`,
    `${maps}/a%20b`,
    `${maps}/${'x'.repeat(254)}`,
    `${maps}/UPPER`,
  ],
  ...[
    '/api/v1/namespaces',
    '/api/v1/namespaces/',
    '/api/v1/namespaces/default',
    '/api/v1/namespaces/none',
    '/api/v1/namespaces/default/',
    '/api/v1/namespaces//configmaps',
  ],
  ...[
    '/api/v1/namespaces/none/configmaps',
    '/api/v1/namespaces/none/configmaps/x',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/nodes/x',
  ],
  ...[
    '/api/v1/namespaces/default/status',
    '/api/v1/namespaces/default/finalize',
    '/api/v1/namespaces/default/nothing',
    '/api/v1/namespaces/UPPER/configmaps',
  ],
  ...[
    '/api/v1/namespaces/default/pods/x',
    '/api/v1/namespaces/default/pods/x/log',
    '/api/v1/namespaces/default/pods/x/exec',
    '/api/v1/namespaces/default/pods/x/attach',
  ],
  ...[
    '/api/v1/namespaces/default/pods/x/portforward',
    '/api/v1/namespaces/default/pods/x/proxy',
    '/api/v1/namespaces/default/pods/x/proxy/a/b',
    '/api/v1/namespaces/default/pods/x/eviction',
  ],
  ...[
    '/api/v1/namespaces/default/pods/x/binding',
    '/api/v1/namespaces/default/pods/x/ephemeralcontainers',
    '/api/v1/namespaces/default/pods/x/resize',
    '/api/v1/namespaces/default/pods/x/status',
  ],
  ...[
    '/api/v1/namespaces/default/bindings',
    '/api/v1/namespaces/default/services/x/proxy',
    '/api/v1/namespaces/default/services/x/proxy/a',
    '/api/v1/nodes/x/proxy',
    '/api/v1/nodes/x/proxy/a',
  ],
  ...[
    '/api/v1/namespaces/default/serviceaccounts/default/token',
    '/api/v1/namespaces/default/serviceaccounts/x/token',
    '/api/v1/componentstatuses',
    '/api/v1/componentstatuses/x',
  ],
  ...[
    '/apis/apps/v1/namespaces/default/deployments/x/scale',
    '/apis/apps/v1/namespaces/default/deployments/x/status',
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/deployments/x',
  ],
  ...[
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews/x',
    '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
  ],
  ...[
    '/apis/authentication.k8s.io/v1/tokenreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  ],
  ...[
    '/apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets/x/status',
  ],
  ...['/api/v1/watch', '/api/v1/watch/', '/api/v1/watch/nothing', '/api/v1/watch/namespaces/none/nothing/x'],
  ...['/healthz', '/healthz/', '/livez', '/readyz', '/version', '/openapi/v3', '/logs', '/nothing', '/nothing/', '/a/b/c', '/?x', '/%'],
]

const mediaTypes = [
  ...[
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/cbor',
    'text/plain',
    'text/html',
    '*/*',
    'application/*',
    '',
  ],
  ...[
    'application/json;charset=utf-8',
    'application/json; q=0.1, application/yaml',
    'application/json;as=Table',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
  ],
  ...[
    'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ],
  ...[
    'application/json;as=Table;v=v2;g=meta.k8s.io,application/json',
    'application/json;as=Nothing;v=v1;g=meta.k8s.io',
    'application/json;stream=watch',
    'application/json;pretty=1',
    'nonsense',
    'a/b/c',
    ';',
    ',',
  ],
  ...[
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'application/apply-patch+cbor',
    'application/json-seq',
  ],
]

const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'odd-new' } }
const good = JSON.stringify(map)

const bodies: { readonly [what: string]: string } = {
  none: '',
  space: ' ',
  null: 'null',
  list: '[]',
  text: '"x"',
  number: '1',
  object: '{}',
  cut: '{"kind":"ConfigMap"',
  'not JSON': 'nonsense',
  yaml: 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: odd-new\n',
  'two documents': `${good}${good}`,
  'trailing comma': '{"kind":"ConfigMap",}',
  'other kind': '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"odd-new"}}',
  'other version': '{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"odd-new"}}',
  'other group': '{"kind":"ConfigMap","apiVersion":"apps/v1","metadata":{"name":"odd-new"}}',
  'unknown kind': '{"kind":"Nothing","apiVersion":"v1","metadata":{"name":"odd-new"}}',
  'no kind': '{"apiVersion":"v1","metadata":{"name":"odd-new"}}',
  'no version': '{"kind":"ConfigMap","metadata":{"name":"odd-new"}}',
  'kind number': '{"kind":1,"apiVersion":"v1"}',
  'version number': '{"kind":"ConfigMap","apiVersion":1}',
  'kind empty': '{"kind":"","apiVersion":"","metadata":{"name":"odd-new"}}',
  'version odd': '{"kind":"ConfigMap","apiVersion":"a/b/c","metadata":{"name":"odd-new"}}',
  list_kind: '{"kind":"ConfigMapList","apiVersion":"v1","items":[]}',
  'generic list': '{"kind":"List","apiVersion":"v1","items":[]}',
  status: '{"kind":"Status","apiVersion":"v1"}',
  'delete options': '{"kind":"DeleteOptions","apiVersion":"v1"}',
  'other namespace': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new","namespace":"other"}}',
  'no name': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}',
  'generated name': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"odd-"}}',
  'duplicate field': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":"1","a":"2"},"data":{"b":"1"}}',
  'duplicate kind': '{"kind":"ConfigMap","kind":"Secret","apiVersion":"v1","metadata":{"name":"odd-new"}}',
  'unknown fields': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new","b":1,"a":{}},"z":[],"y":null}',
  'other capitals': '{"Kind":"ConfigMap","APIVERSION":"v1","Metadata":{"NAME":"odd-new"},"Data":{"a":"1"}}',
  'number in data': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":1}}',
  'null in data': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":null}}',
  'invalid UTF-8': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":"\xff"}}',
  'lone surrogate': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":"\\ud800"}}',
  'special characters':
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":"<>&\\u2028\\u0000\\u007f\\b\\f"}}',
  'control character': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"data":{"a":"\n"}}',
  deep: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new"},"x":${'['.repeat(200)}${']'.repeat(200)}}`,
  'large number': '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new","generation":99999999999999999999}}',
  float: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new","generation":1.5}}',
  exponent: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd-new","generation":1e2}}',
  'byte order mark': `\ufeff${good}`,
}

const encodings: readonly (readonly [string, string])[] = [
  ['accept-encoding', 'gzip'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br'],
  ['expect', '100-continue'],
  ['origin', 'https://example.com'],
  ['if-none-match', '*'],
  ['if-match', '"x"'],
  ['range', 'bytes=0-1'],
  ['x-http-method-override', 'DELETE'],
  ['impersonate-user', 'alice'],
  ['impersonate-group', 'dev'],
  ['impersonate-uid', 'x'],
  ['impersonate-user', ''],
  ['impersonate-user', 'system:serviceaccount:default:x'],
  ['impersonate-extra-x', 'y'],
  ['audit-id', 'mine'],
  ['x-forwarded-for', '192.0.2.1'],
  ['user-agent', 'kubectl/v1.36.0 (linux/amd64) kubernetes/abc'],
  ['user-agent', ''],
  ['user-agent', 'Mozilla/5.0'],
  ['upgrade', 'websocket'],
]

const parameters = [
  ...[
    'pretty=true',
    'pretty=0',
    'pretty=x',
    'pretty',
    'dryRun=All',
    'dryRun=all',
    'dryRun=',
    'dryRun=All&dryRun=All',
    'dryRun=All&dryRun=x',
    'fieldManager=a',
    'fieldManager=',
  ],
  ...[
    `fieldManager=${'x'.repeat(129)}`,
    'fieldManager=%07',
    'fieldValidation=Strict',
    'fieldValidation=Ignore',
    'fieldValidation=Warn',
    'fieldValidation=x',
    'fieldValidation=',
    'force=true',
  ],
  ...[
    'force=x',
    'limit=1',
    'limit=x',
    'limit=-1',
    'limit=1.5',
    'limit=99999999999999999999',
    'limit=',
    'continue=x',
    'continue=',
    'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJ4In0',
  ],
  ...[
    'limit=1&continue=x',
    'resourceVersion=0',
    'resourceVersion=1',
    'resourceVersion=x',
    'resourceVersion=-1',
    'resourceVersion=99999999999',
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=x',
  ],
  ...[
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=NotOlderThan',
    'resourceVersion=1&resourceVersionMatch=Exact',
    'resourceVersion=99999999999&resourceVersionMatch=Exact',
  ],
  ...[
    'resourceVersion=x&resourceVersionMatch=Exact',
    'resourceVersion=1&limit=1',
    'resourceVersion=0&limit=1&continue=x',
    'labelSelector=a',
    'labelSelector=a=b',
    'labelSelector=a==b',
    'labelSelector=a!=b',
  ],
  ...[
    'labelSelector=!a',
    'labelSelector=a+in+(b,c)',
    'labelSelector=a+notin+(b)',
    'labelSelector=a+in+()',
    'labelSelector=a+in',
    'labelSelector=a+in+(',
    'labelSelector=a=b=c',
    'labelSelector=,',
    'labelSelector=a,',
    'labelSelector==',
  ],
  ...[
    'labelSelector=a>1',
    'labelSelector=a>x',
    'labelSelector=a<1',
    'labelSelector=%2F',
    'labelSelector=a%2Fb%2Fc',
    `labelSelector=${'x'.repeat(64)}`,
    `labelSelector=a=${'x'.repeat(64)}`,
    'labelSelector=a+b',
    'labelSelector=%22',
    'labelSelector=in',
    'labelSelector=notin+in+(in)',
  ],
  ...[
    'fieldSelector=metadata.name=odd',
    'fieldSelector=metadata.name!=odd',
    'fieldSelector=metadata.name==odd',
    'fieldSelector=metadata.namespace=default',
    'fieldSelector=metadata.nothing=x',
    'fieldSelector=x',
    'fieldSelector==',
    'fieldSelector=,',
  ],
  ...[
    'fieldSelector=metadata.name=a,metadata.name=b',
    'fieldSelector=metadata.name=a%5C,b',
    'fieldSelector=metadata.name=a%5Cb',
    'fieldSelector=metadata.name',
    'timeoutSeconds=x',
    'timeoutSeconds=-1',
    'timeoutSeconds=1',
    'timeout=1s',
    'timeout=x',
    'timeout=-1s',
    'timeout=0',
  ],
  ...[
    'gracePeriodSeconds=0',
    'gracePeriodSeconds=-1',
    'gracePeriodSeconds=x',
    'propagationPolicy=Foreground',
    'propagationPolicy=x',
    'orphanDependents=true',
    'orphanDependents=x',
    'orphanDependents=true&propagationPolicy=Orphan',
  ],
  ...[
    'preconditions.uid=x',
    'watch=false',
    'watch=0',
    'watch=x',
    'allowWatchBookmarks=true',
    'sendInitialEvents=true',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=x',
    'shardSelector=x',
    'unknown=x',
    'ignoreStoreReadErrorWithClusterBreakingPotential=true',
  ],
  ...['labelSelector=%zz', '%zz', 'a;b', '&&', '='],
]

function scene(at: string, call: Call): Scene {
  return { kind: 'odd', at, calls: [call] }
}

function* scenes(): Generator<Scene> {
  for (const path of paths)
    for (const method of methods) {
      const withBody = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
      // What would be deleted or created is needed by others.
      if (withBody) {
        const dry = path.includes('?') ? `${path}&dryRun=All` : `${path}?dryRun=All`
        yield scene(
          `${method} ${dry} {}`,
          send(
            method,
            dry,
            method === 'DELETE' ? dryRun : {},
            method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {},
          ),
        )
        yield scene(`${method} ${dry} without body`, { method, path: dry })
      } else {
        yield scene(`${method} ${path}`, { method, path })
      }
    }
  for (const type of mediaTypes) {
    for (const path of [
      maps,
      stored,
      '/api/v1/nodes',
      '/api/v1/nodes/none',
      '/api/v1/namespaces/default/pods/x/log',
      '/apis/apps/v1/nothing',
    ])
      yield scene(`GET ${path} accept ${type}`, get(path, { accept: type }))
    yield scene(`POST accept ${type}`, send('POST', `${maps}?dryRun=All`, map, { accept: type }))
    yield scene(`DELETE accept ${type}`, { method: 'DELETE', path: `${stored}?dryRun=All`, headers: { accept: type } })
    yield scene(`watch accept ${type}`, get(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=99999999999x`, { accept: type }))
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const body of [good, bodies['yaml']!, '{}', ''])
        yield scene(
          `${method} content-type ${type}: ${body.slice(0, 8)}`,
          send(
            method,
            `${method === 'POST' ? maps : stored}?dryRun=All&fieldManager=x`,
            method === 'DELETE' && body === '{}' ? dryRun : body,
            {
              'content-type': type,
            },
          ),
        )
  }
  for (const [what, body] of Object.entries(bodies)) {
    const latin: Call['headers'] = what === 'invalid UTF-8' ? { 'x-latin1': '1' } : {}
    for (const validation of ['Strict', 'Warn', 'Ignore']) {
      yield scene(`POST body ${what} ${validation}`, send('POST', `${maps}?dryRun=All&fieldValidation=${validation}`, body, latin))
      yield scene(
        `PUT body ${what} ${validation}`,
        send('PUT', `${stored}?dryRun=All&fieldValidation=${validation}`, body.replace('odd-new', 'odd'), latin),
      )
      yield scene(
        `POST YAML body ${what} ${validation}`,
        send('POST', `${maps}?dryRun=All&fieldValidation=${validation}`, body, { ...latin, 'content-type': 'application/yaml' }),
      )
    }
    const own = `deleted-${Object.keys(bodies).indexOf(what)}`
    yield {
      kind: 'odd',
      at: `DELETE body ${what}`,
      calls: [
        send('POST', others, { ...map, metadata: { name: own } }),
        send('DELETE', `${others}/${own}?dryRun=All`, body, latin),
        { method: 'DELETE', path: `${others}/${own}` },
      ],
    }
    yield scene(`DELETE collection body ${what}`, send('DELETE', `${maps}?dryRun=All&labelSelector=none`, body, latin))
    for (const type of ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
      yield scene(
        `PATCH ${type} body ${what}`,
        send('PATCH', `${stored}?dryRun=All&fieldManager=x`, body, { ...latin, 'content-type': `application/${type}` }),
      )
  }
  for (const [name, value] of encodings) {
    yield scene(`GET ${name}: ${value}`, get(stored, { [name]: value }))
    yield scene(`POST ${name}: ${value}`, send('POST', `${maps}?dryRun=All`, map, { [name]: value }))
  }
  for (const query of parameters) {
    for (const path of [maps, stored, '/api/v1/namespaces/default/configmaps/none'])
      yield scene(`GET ${path}?${query}`, get(`${path}?${query}`))
    // An empty dryRun is none: it would write what others read.
    if (query === 'dryRun=') continue
    const dry = query.startsWith('dryRun') ? query : `dryRun=All&${query}`
    yield scene(`POST ?${query}`, send('POST', `${maps}?${dry}`, map))
    yield scene(`PUT ?${query}`, send('PUT', `${stored}?${dry}`, { ...map, metadata: { name: 'odd' } }))
    yield scene(`DELETE ?${query}`, { method: 'DELETE', path: `${stored}?${dry}` })
    yield scene(`DELETE collection ?${query}`, { method: 'DELETE', path: `${maps}?${dry}` })
    yield scene(
      `apply ?${query}`,
      send('PATCH', `${stored}?${dry}`, { ...map, metadata: { name: 'odd' } }, { 'content-type': 'application/apply-patch+yaml' }),
    )
    yield scene(`patch ?${query}`, send('PATCH', `${stored}?${dry}`, {}, { 'content-type': 'application/merge-patch+json' }))
  }
  for (const definition of storedKinds) {
    const { names, group, version } = definition
    const object = minimalObject(definition)
    yield { kind: names.plural, at: `${group}/${version} sent as a config map`, calls: [send('POST', `${maps}?dryRun=All`, object)] }
  }
}

export const odd: Part = {
  name: 'odd',
  small: true,
  before: () => [
    account,
    send('POST', '/api/v1/namespaces', { metadata: { name: 'odd-others' } }),
    send('POST', maps, { ...map, metadata: { name: 'odd' }, data: { a: '1' } }),
  ],
  scenes,
  after: () => [{ method: 'DELETE', path: stored }],
}
