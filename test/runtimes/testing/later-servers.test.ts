/** Servers with the same options as an earlier one share what depends on options alone, and copy what a server writes when it is new. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTestServer, type TestServer, type TestServerOptions } from '../../../runtimes/testing/index.ts'

/** Milliseconds to wait for controllers on a busy machine. */
const timeout = 60_000

/** Options of its own, so that the first server of the test is the first one of its family. */
let families = 0
const own = (options: TestServerOptions = {}): TestServerOptions => ({ ...options, identity: `later-servers-${++families}` })

async function open(t: TestContext, options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options)
  t.after(() => server.close())
  return server
}

const jsonOf = async (server: TestServer, path: string): Promise<unknown> => JSON.parse(await (await server.fetch(path)).text())

const uid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Ids of the keys of a server, in its identity lease. */
const keys = /(?<=service-account-keys":")[^"]+/g
const revision = /(?<="resourceVersion":")\d+/g

/** An answer without what differs between servers. */
const alike = (text: string) => text.replace(uid, 'UID').replace(instant, 'TIME').replace(keys, 'KEYS').replace(revision, 'N')

const paths = [
  ...['/readyz?verbose', '/version', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/openapi/v3'],
  ...['/apis/apiregistration.k8s.io/v1/apiservices', '/api/v1/namespaces', '/api/v1/services', '/api/v1/endpoints', '/api/v1/configmaps'],
  ...['/apis/scheduling.k8s.io/v1/priorityclasses', '/apis/networking.k8s.io/v1/servicecidrs', '/apis/networking.k8s.io/v1/ipaddresses'],
  ...['/apis/rbac.authorization.k8s.io/v1/clusterroles', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
  ...['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'],
  ...['/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles', '/apis/coordination.k8s.io/v1/leases'],
]

const variants: Record<string, TestServerOptions> = {
  'default options': {},
  'RBAC, and priority and fairness': { authorizationModes: ['RBAC'], priorityAndFairness: 'on' },
  'an identity lease': { hostname: 'here', featureGates: { APIServerIdentity: true } },
}

for (const [what, given] of Object.entries(variants))
  test(`later servers answer as the first one, with other uids: ${what}`, async (t) => {
    const options = own(given)
    const servers = [await open(t, options), await open(t, options), await open(t, options)] as const
    // Controllers of the first one create it after the start.
    for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      await Promise.all(
        servers.map((server) => server.objects('v1', 'ServiceAccount', { namespace }).until('default', () => true, timeout)),
      )
    for (const path of paths) {
      const [first, ...later] = await Promise.all(servers.map(async (server) => (await server.fetch(path)).text()))
      for (const text of later) assert.equal(alike(text), alike(first as string), path)
      const uids = [first as string, ...later].map((text) => new Set(text.match(uid)))
      for (const [at, known] of uids.entries())
        for (const other of uids.slice(at + 1))
          assert.deepEqual(
            [...known].filter((each) => other.has(each)),
            [],
            path,
          )
    }
  })

test('a later server has times of its own, and can be watched from its first revision on', async (t) => {
  const options = own()
  const first = await open(t, options)
  await first.clock.advance(86_400_000)
  const began = Math.floor(Date.now() / 1000) * 1000
  const later = await open(t, options)
  const created = (await later.objects('v1', 'Namespace').get('kube-system')).metadata?.creationTimestamp as string
  assert(Date.parse(created) >= began && Date.parse(created) <= Date.now(), created)
  const seen: string[] = []
  for await (const { type, object } of later.objects('v1', 'Namespace').watch({ resourceVersion: '1' })) {
    seen.push(`${type} ${object.metadata?.name}`)
    if (seen.length === 4) break
  }
  assert.deepEqual(seen.sort(), ['ADDED default', 'ADDED kube-node-lease', 'ADDED kube-public', 'ADDED kube-system'])
})

test('servers with the same options have nothing of each other: objects, custom resources, tokens, metrics', async (t) => {
  const options = own({ authorizationModes: ['RBAC'] })
  const first = await open(t, options)
  await first.objects('v1', 'ConfigMap').create({ metadata: { name: 'one' } })
  await first.objects('v1', 'Namespace').create({ metadata: { name: 'more' } })
  const later = await open(t, options)
  await assert.rejects(later.objects('v1', 'ConfigMap').get('one'), /"one" not found/)
  await assert.rejects(later.objects('v1', 'Namespace').get('more'), /"more" not found/)
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  await first.objects('v1', 'ServiceAccount').until('default', () => true, timeout)
  const review = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"spec":{}}' }
  const { status } = (await (await first.fetch(path, review)).json()) as { status: { token: string } }
  const asked = (server: TestServer) => server.fetch('/api/v1', { headers: { authorization: `Bearer ${status.token}` } })
  assert.deepEqual([(await asked(first)).status, (await asked(later)).status], [200, 401])
  assert.notEqual(later.snapshot().secrets.token, first.snapshot().secrets.token)
  assert.doesNotMatch(await (await (await open(t, options)).fetch('/metrics')).text(), /apiserver_request_total\{/)
})

test('controllers of a later server work from its first change on, and shortly after its first request', async (t) => {
  const options = own()
  await open(t, options)
  const later = await open(t, options)
  await later.objects('v1', 'Namespace').create({ metadata: { name: 'new' } })
  await later.objects('v1', 'ServiceAccount', { namespace: 'new' }).until('default', () => true, timeout)
  await later.objects('v1', 'Namespace').delete('new')
  await later.objects('v1', 'Namespace').gone('new', timeout)
})

test('options that are not plain data, and telemetry, are those of their server', async (t) => {
  const user = (name: string) => ({ name: 'fixed', authenticate: () => ({ user: { name, groups: ['system:masters'] } }) })
  for (const name of ['one', 'two']) {
    const lines: unknown[] = []
    const note = (...line: unknown[]) => void lines.push(line)
    const logger = { debug: note, info: note, warn: note, error: note }
    const server = await open(t, { authenticators: [user(name)], telemetry: { logger } as never })
    const review = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', authorization: 'Basic eDp5' } }
    const answer = (await jsonOf(server, '/api/v1/namespaces/default')) as { metadata: { name: string } }
    assert.equal(answer.metadata.name, 'default')
    const reviewed = await server.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)
    const { status } = (await reviewed.json()) as { status: { userInfo: { username: string } } }
    assert.equal(status.userInfo.username, name)
  }
})
