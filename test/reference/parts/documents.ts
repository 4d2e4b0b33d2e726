/** Documents: discovery in both forms, OpenAPI, version, health, well-known paths. */
import { get, type Part, type Scene } from '../exchange.ts'
import { storedKinds } from '../kinds.ts'

const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

const fixed = [
  ...[
    '/',
    '/api',
    '/apis',
    '/version',
    '/version/',
    '/healthz',
    '/livez',
    '/readyz',
    '/metrics/slis',
    '/openapi',
    '/openapi/v3',
    '/openapi/v2',
  ],
  ...['/healthz/', '/healthz/ping', '/livez/ping', '/readyz/ping', '/healthz/etcd', '/livez/nothing', '/readyz/nothing', '/healthz/log'],
  ...[
    '/healthz?verbose',
    '/livez?verbose',
    '/readyz?verbose',
    '/livez?exclude=ping',
    '/livez?exclude=nothing',
    '/readyz?verbose&exclude=etcd',
  ],
  ...[
    '/.well-known/openid-configuration',
    '/.well-known/',
    '/openid/v1/jwks',
    '/openid/',
    '/logs',
    '/logs/',
    '/ui',
    '/swaggerapi',
    '/debug/pprof',
  ],
  ...[
    '/debug/',
    '/flagz',
    '/statusz',
    '/configz',
    '/index.html',
    '/favicon.ico',
    '/robots.txt',
    '/healthz/poststarthook/rbac/bootstrap-roles',
  ],
]

const groupVersions = [...new Set(storedKinds.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)))]
const groups = [...new Set(storedKinds.flatMap(({ group }) => (group === '' ? [] : [group])))]

const pathOf = (path: string, headers: { readonly [name: string]: string } = {}, word = ''): Scene => ({
  kind: path.startsWith('/openapi') ? 'OpenAPI' : 'documents',
  at: `${path}${word}`,
  calls: [get(path, headers)],
})

function* scenes(): Generator<Scene> {
  for (const path of fixed) yield pathOf(path)
  for (const version of ['v2', 'v2beta1'])
    for (const path of ['/api', '/apis'])
      yield pathOf(path, { accept: `${aggregated(version)},application/json` }, ` aggregated ${version}`)
  for (const group of groups) yield pathOf(`/apis/${group}`)
  for (const each of groupVersions) {
    yield pathOf(`/${each}`)
    yield pathOf(`/openapi/v3/${each}`)
  }
  for (const path of [
    '/openapi/v3/version',
    '/openapi/v3/api',
    '/openapi/v3/apis',
    '/openapi/v3/.well-known/openid-configuration',
    '/openapi/v3/nothing',
    '/openapi/v3/logs',
  ])
    yield pathOf(path)
  for (const group of groups.slice(0, 8)) yield pathOf(`/openapi/v3/apis/${group}`)
  for (const type of ['application/yaml', 'text/html', 'application/vnd.kubernetes.protobuf', '*/*', 'text/plain', 'nonsense'])
    for (const path of ['/api', '/apis', '/api/v1', '/version', '/openapi/v3', '/healthz', '/apis/apps'])
      yield pathOf(path, { accept: type }, ` as ${type}`)
  for (const type of ['application/json', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'text/plain', 'application/yaml'])
    yield pathOf('/openapi/v3/apis/batch/v1', { accept: type }, ` as ${type}`)
  for (const type of ['text/plain', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
    yield pathOf('/openapi/v2', { accept: type }, ` as ${type}`)
}

export const documents: Part = { name: 'documents', small: true, scenes }
