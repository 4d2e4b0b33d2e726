/** Watches over WebSockets: representations, subprotocols, credentials, origins, handshakes, errors before and after the upgrade, old paths. */
import { type Call, get, type Part, type Scene, send, socket } from '../exchange.ts'
import { adminToken, aliceToken } from '../ours.ts'

const space = 'sockets'
const inSpace = `/api/v1/namespaces/${space}`
const maps = `${inSpace}/configmaps`
const json = 'application/json'
const protobuf = 'application/vnd.kubernetes.protobuf'
const table = 'as=Table;v=v1;g=meta.k8s.io'
const metadata = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
const short = 'watch=1&timeoutSeconds=1'

const scene = (at: string, ...calls: Call[]): Scene => ({ kind: 'websockets', at, calls })
const carrier = (token: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`

const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'one' } }
/** Collections and an object in each. */
const stored: readonly (readonly [collection: string, object: object])[] = [
  [maps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one', labels: { a: 'b' } }, data: { text: '<&>\u2028é' } }],
  [`${inSpace}/secrets`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'one' }, data: { k: 'AQI=' } }],
  [`${inSpace}/serviceaccounts`, account],
  [`${inSpace}/endpoints`, { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 'one' } }],
  [
    `/apis/coordination.k8s.io/v1/namespaces/${space}/leases`,
    { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'one' } },
  ],
  [
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${space}/roles`,
    { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'one' }, rules: [] },
  ],
  [
    `/apis/networking.k8s.io/v1/namespaces/${space}/networkpolicies`,
    { kind: 'NetworkPolicy', apiVersion: 'networking.k8s.io/v1', metadata: { name: 'one' }, spec: { podSelector: {} } },
  ],
]

const accepted = [
  ...[json, protobuf, `${json};${table}`, `${protobuf};${table}`, `${json};${metadata}`, `${protobuf};${metadata}`],
  ...[
    '*/*',
    'application/yaml',
    'text/html',
    `${json};stream=watch`,
    `${protobuf};stream=watch`,
    `${json};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`,
  ],
]

function* representations(): Generator<Scene> {
  for (const [collection] of stored)
    for (const accept of accepted)
      yield scene(`${collection} as ${accept}`, socket(`${collection}?${short}&fieldSelector=metadata.name%3Done`, { accept }))
  for (const accept of accepted)
    yield scene(`/api/v1/namespaces as ${accept}`, socket(`/api/v1/namespaces?${short}&fieldSelector=metadata.name%3D${space}`, { accept }))
}

const offers = [
  ...[
    '',
    'x',
    'x,',
    ',x',
    ', ',
    'x,y',
    'x, y',
    'base64.binary.k8s.io',
    'binary.k8s.io',
    'base64.binary.k8s.io, binary.k8s.io',
    'v4.channel.k8s.io',
  ],
  ...[carrier(adminToken), `${carrier(adminToken)}, x`, `x, ${carrier(adminToken)}`, `x, ${carrier(adminToken)}, y`],
  ...[`${carrier(aliceToken)}, x`, `${carrier('wrong')}, x`, `${carrier(adminToken)}, ${carrier(adminToken)}, x`],
  ...[
    'base64url.bearer.authorization.k8s.io., x',
    'base64url.bearer.authorization.k8s.io.%, x',
    'base64url.bearer.authorization.k8s.io.A, x',
  ],
  ...['base64url.bearer.authorization.k8s.io._w, x', 'BASE64URL.bearer.authorization.k8s.io.eA, x'],
]
const path = `${maps}?${short}`

function* credentials(): Generator<Scene> {
  for (const offer of offers) {
    const headers = { 'sec-websocket-protocol': offer }
    for (const token of [adminToken, aliceToken, 'wrong', ''])
      yield scene(`offers ${offer} with token ${token}`, { ...socket(path, headers), token })
    yield scene(`offers ${offer} with basic`, { ...socket(path, { ...headers, authorization: 'Basic eDp5' }), token: '' })
  }
}

function* handshakes(): Generator<Scene> {
  for (const origin of [
    '',
    'null',
    'x',
    '*',
    '%zz',
    'http://',
    'https://a.example:1',
    'file:///',
    ':',
    'https://[::1]',
    'https://a b',
    '//x',
    '/x',
  ])
    yield scene(`origin ${origin}`, socket(path, { origin }))
  for (const version of ['', '0', '8', '12', '14', '13, 12', 'x', '013'])
    yield scene(`version ${version}`, socket(path, { 'sec-websocket-version': version }))
  for (const key of ['', 'x', 'AAAA', 'dGhlIHNhbXBsZSBub25jZQ']) yield scene(`key ${key}`, socket(path, { 'sec-websocket-key': key }))
  for (const connection of ['upgrade', 'keep-alive, Upgrade', 'Upgrade, keep-alive', 'UPGRADE'])
    yield scene(`connection ${connection}`, socket(path, { connection }))
  for (const upgrade of ['WebSocket', 'WEBSOCKET', 'websocket, x']) yield scene(`upgrade ${upgrade}`, socket(path, { upgrade }))
}

const watched = [
  ...['resourceVersion=0', 'resourceVersion=x', 'resourceVersion=-1', 'resourceVersion=99999999999'],
  ...['labelSelector=a%3Db', 'labelSelector=a%3D%3D%3D', 'fieldSelector=x%3Dy', 'fieldSelector=metadata.name', 'allowWatchBookmarks=true'],
  ...['allowWatchBookmarks=x', 'limit=1', 'limit=x', 'continue=x', 'timeoutSeconds=x', 'sendInitialEvents=true', 'sendInitialEvents=false'],
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=99999999999',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0',
  ...[
    'resourceVersionMatch=Exact&resourceVersion=1',
    'resourceVersionMatch=NotOlderThan',
    'includeObject=None',
    'pretty=true',
    'watch=false',
  ],
]

function* queries(): Generator<Scene> {
  for (const query of watched)
    for (const accept of [json, `${json};${table}`])
      yield scene(
        `${accept} ?${query}`,
        socket(`${maps}?${short}&fieldSelector=metadata.name%3Done&${query}`.replace(/&fieldSelector=[^&]*(?=.*&fieldSelector)/, ''), {
          accept,
        }),
      )
  // A negative one ends with an error or without one, by chance.
  for (const seconds of ['1.5', '99999999999999999999'])
    yield scene(`timeoutSeconds=${seconds}`, socket(`${maps}?watch=1&timeoutSeconds=${seconds}`))
}

function* paths(): Generator<Scene> {
  const old = `/api/v1/watch/namespaces/${space}/configmaps`
  for (const at of [old, `${old}/one`, `${old}/none`, `${maps}/one`, `${maps}/none`, `/api/v1/watch/configmaps`, '/api/v1/configmaps'])
    for (const query of [short, 'timeoutSeconds=1', 'watch=0&timeoutSeconds=1']) {
      const mine = at.includes(space) ? '' : `&fieldSelector=metadata.namespace%3D${space},metadata.name%3Done`
      yield scene(`${at}?${query}`, socket(`${at}?${query}${mine}`))
    }
  for (const at of [
    '/api/v1/nothing',
    '/apis/none/v1/x',
    '/version',
    '/healthz',
    '/api',
    `${inSpace}/pods/none/log`,
    '/api/v1/watch/nothing',
    '/metrics/x',
  ])
    yield scene(at, socket(`${at}?${short}`))
}

/** In a namespace of its own: other scenes watch whole collections. */
const changing = `/api/v1/namespaces/${space}-changing/configmaps`

function* changes(): Generator<Scene> {
  for (const accept of [json, protobuf, `${json};${table}`, `${json};${metadata}`]) {
    const name = `made-${accept.length}`
    yield scene(
      `changes as ${accept}`,
      get(`${maps}/one`),
      send('POST', changing, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }),
      send('PATCH', `${changing}/${name}`, { data: { a: '1' } }, { 'content-type': 'application/merge-patch+json' }),
      send('DELETE', `${changing}/${name}`, ''),
      socket(`${changing}?${short}&fieldSelector=metadata.name%3D${name}&resourceVersion={{0.metadata.resourceVersion}}`, { accept }),
    )
  }
}

export const webSockets: Part = {
  name: 'websockets',
  small: true,
  *before() {
    for (const name of [space, `${space}-changing`])
      yield send('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
    for (const [collection, object] of stored) yield send('POST', collection, object)
  },
  *scenes() {
    yield* representations()
    yield* credentials()
    yield* handshakes()
    yield* queries()
    yield* paths()
    yield* changes()
  },
  *after() {
    for (const [collection] of stored) yield send('DELETE', `${collection}/one`, '')
    for (const name of [space, `${space}-changing`]) {
      yield send('DELETE', `/api/v1/namespaces/${name}`, '')
      yield send('PUT', `/api/v1/namespaces/${name}/finalize`, {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name },
        spec: { finalizers: [] },
      })
    }
  },
}
