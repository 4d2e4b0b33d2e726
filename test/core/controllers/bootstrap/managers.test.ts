/** Field managers of objects that the server writes itself, as kube-apiserver 1.36 and its controller manager have them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import type { ServerOptions } from '../../../../core/server.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { apiOf } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

interface Managed {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly managedFields?: readonly { manager: string; operation: string; subresource?: string; fieldsV1: object }[]
  }
}

const options: ServerOptions = {
  platform: createPlatform('kubernetes'),
  authorizationModes: ['RBAC'],
  authenticators: [{ name: 'test', authenticate: () => ({ user: { name: 'admin', groups: ['system:masters'] } }) }],
  advertiseAddress: '192.0.2.2',
  securePort: 6443,
}

async function start(t: TestContext, more: ServerOptions = {}, store = memoryStore()) {
  const { fetch: as, server } = await startInProcess({ ...options, ...more, store }, t)
  return { server, get: async (path: string) => (await (await as(path)).json()) as Managed & { items?: Managed[] }, as }
}

const managersOf = ({ metadata: { managedFields = [] } }: Managed) =>
  managedFields.map(({ manager, operation, subresource = '' }) => [manager, operation, subresource].join('/'))

test('objects that every cluster has are managed by kube-apiserver', async (t) => {
  const { get } = await start(t, { controllers: [] })
  const paths = [
    '/api/v1/namespaces',
    '/api/v1/services',
    '/api/v1/endpoints',
    '/apis/discovery.k8s.io/v1/endpointslices',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  ]
  for (const path of paths) {
    const { items = [] } = await get(path)
    assert.ok(items.length > 0, path)
    for (const item of items) assert.deepEqual(managersOf(item), ['kube-apiserver/Update/'], `${path} ${item.metadata.name}`)
  }
})

test('the rules of aggregated roles have no manager', async (t) => {
  const { get } = await start(t, { controllers: [] })
  const fieldsOf = async (name: string) => {
    const { metadata } = await get(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`)
    return metadata.managedFields?.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1))
  }
  for (const name of ['admin', 'edit', 'view']) assert.deepEqual(await fieldsOf(name), ['f:aggregationRule', 'f:metadata'], name)
  assert.deepEqual(await fieldsOf('system:discovery'), ['f:metadata', 'f:rules'])
})

const labels = (...names: string[]) => ({ 'f:labels': { '.': {}, ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])) } })
const ports = { '.': {}, 'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} } }

test("kube-apiserver manages the fields of the API server's service that it sets, and keeps them when it starts again", async (t) => {
  const store = memoryStore()
  const first = await start(t, {}, store)
  const fieldsOf = async ({ get }: typeof first, path: string) => (await get(path)).metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)
  const [service, endpoints] = ['/api/v1/namespaces/default/services/kubernetes', '/api/v1/namespaces/default/endpoints/kubernetes']
  const ofEndpoints = [{ 'f:metadata': labels('endpointslice.kubernetes.io/skip-mirror'), 'f:subsets': {} }]
  assert.deepEqual(await fieldsOf(first, service), [
    {
      'f:metadata': labels('component', 'provider'),
      'f:spec': {
        'f:clusterIP': {},
        'f:internalTrafficPolicy': {},
        'f:ipFamilyPolicy': {},
        'f:ports': ports,
        'f:sessionAffinity': {},
        'f:type': {},
      },
    },
  ])
  assert.deepEqual(await fieldsOf(first, endpoints), ofEndpoints)
  await first.server.close()
  const second = await start(t, { advertiseAddress: '192.0.2.3' }, store)
  assert.match(JSON.stringify(await second.get(endpoints)), /192\.0\.2\.3/)
  assert.deepEqual(await fieldsOf(second, endpoints), ofEndpoints)
})

test('the usage of a quota is managed by kube-controller-manager', async (t) => {
  const { get, as } = await start(t, { controllers: ['resourcequota'] })
  const path = '/api/v1/namespaces/default/resourcequotas'
  const { create } = apiOf(as)
  await create(path, { metadata: { name: 'q' }, spec: { hard: { configmaps: '5' } } })
  const found = await eventually('its status', async () => {
    const quota = await get(`${path}/q`)
    return managersOf(quota).length > 1 && quota
  })
  assert.ok(managersOf(found).includes('kube-controller-manager/Update/status'), managersOf(found).join())
})
