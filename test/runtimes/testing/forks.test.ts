/** Forks and restored servers start what they need when it is needed: nothing that a server does may be missed. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTestServer, type TestObject, type TestServer, type TestServerOptions } from '../../../runtimes/testing/index.ts'

async function open(t: TestContext, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options)
  t.after(() => server.close())
  return server
}

async function forkOf(t: TestContext, server: TestServer): Promise<TestServer> {
  const fork = await server.fork()
  t.after(() => fork.close())
  return fork
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
        },
      },
    ],
  },
}

const textOf = async (server: TestServer, path: string) => (await server.fetch(path)).text()

/** Answers that the parts of a server make which a fork starts late. */
const paths = [
  ...['/readyz?verbose', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/apis/example.com/v1', '/openapi/v3', '/openapi/v2'],
  ...['/apis/example.com/v1/namespaces/default/widgets', '/apis/nothing.example.com/v1/things', '/api/v1/nothing', '/nothing'],
  ...['/apis/apiregistration.k8s.io/v1/apiservices', '/api/v1/namespaces', '/api/v1/namespaces/default/services'],
]

for (const path of paths)
  test(`the first request of a fork is answered as by its parent: ${path}`, async (t) => {
    const server = await open(t)
    await server.load([definition, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } }])
    await server.objects('apiregistration.k8s.io/v1', 'APIService').until('v1.example.com', ({ status }) => status !== undefined)
    const fork = await forkOf(t, server)
    assert.equal(await textOf(fork, path), await textOf(server, path))
  })

test('the first request of a fork may be a write: admission, allocations and custom resources', async (t) => {
  const server = await open(t)
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard: { 'count/secrets': '0' } } }
  await server.load([definition, quota])
  await server.objects('v1', 'ResourceQuota').until('none', ({ status }) => (status as { hard?: object } | undefined)?.hard !== undefined)
  const service = { metadata: { name: 'one' }, spec: { ports: [{ port: 80 }] } }
  const taken = await server.objects('v1', 'Service').create(service)
  const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map(() => forkOf(t, server)))
  await assert.rejects(first!.objects('v1', 'Secret').create({ metadata: { name: 'one' } }), /exceeded quota: none/)
  const other = await second!.objects('v1', 'Service').create({ ...service, metadata: { name: 'two' } })
  assert.notEqual((other['spec'] as { clusterIP: string }).clusterIP, (taken['spec'] as { clusterIP: string }).clusterIP)
  const widgets = third!.objects('example.com/v1', 'Widget')
  await assert.rejects(widgets.create({ metadata: { name: 'one' }, spec: { size: 'large' } }), /spec.size: Invalid value: "string"/)
  const answer = await fourth!.fetch('/api/v1/namespaces/nowhere/configmaps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"metadata":{"name":"one"}}',
  })
  assert.equal(answer.status, 404)
})

/** Resources with a series of this metric. */
async function resourcesIn(server: TestServer, metric: string): Promise<string[]> {
  const series = (await textOf(server, '/metrics')).matchAll(new RegExp(`^${metric}{group="([^"]*)",resource="([^"]*)"}`, 'gm'))
  return [...series].map(([, group, resource]) => (group ? `${resource}.${group}` : String(resource))).sort()
}

test('the first write of a fork opens no resources that only its plugins would follow', async (t) => {
  const fork = await forkOf(t, await open(t))
  await fork.objects('v1', 'ConfigMap').create({ metadata: { name: 'one' } })
  await fork.objects('v1', 'ConfigMap').list()
  const opened = await resourcesIn(fork, 'watch_cache_capacity')
  assert(opened.includes('configmaps'))
  assert.deepEqual(
    opened.filter((resource) => /resourcequotas|admissionregistration/.test(resource)),
    [],
  )
})

test('a few writes of a fork load no other objects than theirs, and many load them once', async (t) => {
  const server = await open(t)
  await server.objects('v1', 'ConfigMap').create({ metadata: { name: 'one' } })
  const fork = await forkOf(t, server)
  const maps = fork.objects('v1', 'ConfigMap')
  const loaded = async () => {
    const known = await resourcesIn(fork, 'apiserver_watch_cache_initializations_total')
    return ['configmaps', 'namespaces'].filter((resource) => known.includes(resource))
  }
  await maps.patch('one', { data: { at: 'first' } })
  await maps.create({ metadata: { name: 'two' } })
  assert.deepEqual(await loaded(), [])
  for (let at = 0; at < 20; at++) {
    await maps.create({ metadata: { name: `more-${at}` } })
    await maps.patch('one', { data: { at: String(at) } })
  }
  assert.deepEqual(await loaded(), ['configmaps', 'namespaces'])
})

const registration = 'admissionregistration.k8s.io/v1'
const matched = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] }
const refusing = { name: 'refusing' }

/** What refuses config maps from the moment that it is there, of each resource that plugins follow. */
const refusals: Readonly<Record<string, { readonly objects: readonly TestObject[]; readonly refused: RegExp }>> = {
  quota: {
    objects: [
      {
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: refusing, spec: { hard: { 'count/configmaps': '1' } } },
        status: { hard: { 'count/configmaps': '1' }, used: { 'count/configmaps': '1' } },
      },
    ],
    refused: /exceeded quota: refusing/,
  },
  policy: {
    objects: [
      {
        apiVersion: registration,
        kind: 'ValidatingAdmissionPolicy',
        metadata: refusing,
        spec: { matchConstraints: matched, validations: [{ expression: 'false', message: 'never' }] },
      },
      {
        apiVersion: registration,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: refusing,
        spec: { policyName: 'refusing', validationActions: ['Deny'] },
      },
    ],
    refused: /never/,
  },
  ...Object.fromEntries(
    ['Mutating', 'Validating'].map((phase) => [
      `${phase} webhook`,
      {
        objects: [
          {
            apiVersion: registration,
            kind: `${phase}WebhookConfiguration`,
            metadata: refusing,
            webhooks: [
              {
                name: 'refusing.example.com',
                rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
                clientConfig: { url: 'https://127.0.0.1:1/' },
                ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
              },
            ],
          },
        ],
        refused: /failed calling webhook "refusing.example.com"/,
      },
    ]),
  ),
}

for (const [what, { objects, refused }] of Object.entries(refusals))
  test(`the first ${what} of a fork is in effect for the next request`, async (t) => {
    const fork = await forkOf(t, await open(t, { controllers: [] }))
    const maps = fork.objects('v1', 'ConfigMap')
    await maps.create({ metadata: { name: 'before' } })
    for (const { apiVersion, kind, status, ...object } of objects) {
      await fork.objects(apiVersion, kind).create(object)
      if (status) await fork.objects(apiVersion, kind).patch(object.metadata?.name ?? '', { status }, 'status')
    }
    await assert.rejects(maps.create({ metadata: { name: 'after' } }), refused)
  })

test('controllers of a fork work from its first change on', async (t) => {
  const server = await open(t)
  const fork = await forkOf(t, server)
  await fork.objects('v1', 'Namespace').create({ metadata: { name: 'new' } })
  await fork.objects('v1', 'ServiceAccount', { namespace: 'new' }).until('default', () => true)
  await fork.load([definition])
  await fork.objects('example.com/v1', 'Widget', { namespace: 'new' }).create({ metadata: { name: 'one' } })
  await fork.objects('v1', 'Namespace').delete('new')
  await fork.objects('v1', 'Namespace').gone('new')
})

test('what controllers had not done in a snapshot is done by a server that is only read', async (t) => {
  const server = await open(t)
  const namespaces = server.objects('v1', 'Namespace')
  await namespaces.create({ metadata: { name: 'old' } })
  // Its finalizer holds the config map, and so the namespace.
  const held = server.objects('v1', 'ConfigMap', { namespace: 'old' })
  await held.create({ metadata: { name: 'held', finalizers: ['example.com/held'] } })
  await namespaces.delete('old')
  const before = server.snapshot()
  await held.until('held', ({ metadata }) => metadata?.['deletionTimestamp'] !== undefined)
  const isDeleted = (object: { readonly metadata?: { readonly [field: string]: unknown } }) =>
    object.metadata?.['deletionTimestamp'] !== undefined
  const again = await open(t, { from: before })
  await again.objects('v1', 'ConfigMap', { namespace: 'old' }).until('held', isDeleted)
  await server.restore(before)
  await server.objects('v1', 'ConfigMap', { namespace: 'old' }).until('held', isDeleted)
})

test('a fork of a fork has its state, and no fork sees what another one does', async (t) => {
  const server = await open(t)
  let latest = server
  for (let depth = 0; depth < 12; depth++) {
    const fork = await forkOf(t, latest)
    await fork.objects('v1', 'ConfigMap').create({ metadata: { name: `at-${depth}` } })
    latest = fork
  }
  const names = async (of: TestServer) => (await of.objects('v1', 'ConfigMap').list()).map(({ metadata }) => metadata?.name)
  assert.deepEqual(await names(server), [])
  assert.equal((await names(latest)).length, 12)
})

test('a fork authenticates with the tokens of its parent', async (t) => {
  const server = await open(t, { tokens: [{ token: 'secret', user: { name: 'jane' } }] })
  const accounts = { metadata: { name: 'robot' } }
  await server.objects('v1', 'ServiceAccount').create(accounts)
  const request = await server.fetch('/api/v1/namespaces/default/serviceaccounts/robot/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"spec":{}}',
  })
  const { status } = (await request.json()) as { status: { token: string } }
  const fork = await forkOf(t, server)
  const whoAmI = async (token: string) => {
    const answer = await fork.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{}',
    })
    return ((await answer.json()) as { status: { userInfo?: { username: string } } }).status.userInfo?.username
  }
  assert.equal(await whoAmI('secret'), 'jane')
  assert.equal(await whoAmI(status.token), 'system:serviceaccount:default:robot')
})

test('controllers of a fork start while the test keeps writing', async () => {
  const server = await startTestServer()
  const parent = server.objects('v1', 'ConfigMap')
  const { apiVersion, kind, metadata } = await parent.create({ metadata: { name: 'owner' } })
  const owner = { apiVersion: apiVersion as string, kind: kind as string, name: 'owner', uid: metadata?.uid as string }
  await parent.create({ metadata: { name: 'owned', ownerReferences: [owner] } })
  const fork = await server.fork()
  const maps = fork.objects('v1', 'ConfigMap')
  await maps.delete('owner')
  let isGone = false
  const gone = maps.gone('owned').then(() => {
    isGone = true
  })
  // Each write is new work, which the start of controllers waits for, but not for ever. Writes need no turn of the event loop; timers do.
  for (let n = 0; !isGone; n++) {
    await maps.apply({ metadata: { name: 'busy' }, data: { n: String(n) } })
    await new Promise(setImmediate)
  }
  await gone
  await fork.close()
  await server.close()
})
