/** Who may do what with a branch of a live server, and what a branch can't do: rights, names, paths, memory, time, webhooks, calls of others. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { authority, issued } from '../runtimes/node/support.ts'
import { type Daemon, readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { startEtcdProxy } from '../support/etcd-proxy.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'

const execute = promisify(execFile)
const temporary = temporaryDirectory('branches')
const [users, auditLog, auditPolicy] = ['users.csv', 'audit.log', 'policy.yaml'].map((name) => join(temporary.path, name)) as [
  string,
  string,
  string,
]
writeFileSync(users, ['tok-alice,alice,1', 'tok-bob,bob,2', 'tok-carol,carol,3', 'tok-masters,root,4,system:masters'].join('\n'))
writeFileSync(
  auditPolicy,
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata, nonResourceURLs: ["/branches/*"] }, { level: None }]\n',
)

const flags = [
  ...['--platform=kubernetes', '--enable-branches', '--data-dir=:memory:', `--token-auth-file=${users}`],
  ...['--max-branches=4', '--max-branch-bytes=2Mi', `--audit-log-path=${auditLog}`, `--audit-policy-file=${auditPolicy}`],
]

interface Answer {
  readonly code: number
  readonly text: string
  readonly body: Body
}
interface Body {
  readonly message: string
  readonly reason: string
  readonly name: string
  readonly data: object
  readonly branches: readonly { readonly name: string }[]
  readonly differences: readonly {
    readonly kind: string
    readonly name: string
    readonly difference: string
    readonly automatic: boolean
  }[]
  readonly hidden: number
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string }
  readonly status: { readonly token: string; readonly userInfo: { readonly username: string; readonly groups: readonly string[] } }
}

/** Requests with a bearer token, each exactly as it is written. */
function clientOf({ url, kubeconfig }: Daemon) {
  const { ca } = readCredentials(kubeconfig)
  const { fetch, close } = tlsFetch(url, { ca })
  return {
    close,
    fetch,
    async ask(token: string, method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const response = await fetch(path, {
        method,
        headers: { ...(token !== '' && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': type }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { code: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
    },
    /** A target that no URL has. */
    async exactly(token: string, target: string): Promise<Answer> {
      const { hostname, port } = new URL(url)
      const asked = send({ hostname, port, path: target, ca, agent: false, headers: { authorization: `Bearer ${token}` } }).end()
      const [response] = await within(target, once(asked, 'response'))
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      return { code: response.statusCode, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
    },
  }
}

let live: Daemon
let client: ReturnType<typeof clientOf>
const ask: ReturnType<typeof clientOf>['ask'] = (...given) => client.ask(...given)
const root = 'tok-masters'
const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`
const configMap = (name: string, data: object = {}) => ({ metadata: { name }, data })

async function ok(...given: Parameters<typeof ask>): Promise<Body> {
  const { code, text, body } = await ask(...given)
  assert(code < 300, `${given[1]} ${given[2]}: ${code} ${text}`)
  return body
}

async function allow(server: typeof client, name: string, user: string, rules: readonly object[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  await server.ask(root, 'POST', `${rbac}/clusterroles`, { metadata: { name }, rules })
  await server.ask(root, 'POST', `${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects })
}

before(async () => {
  live = await startDaemon({ flags })
  client = clientOf(live)
  for (const name of ['team', 'secret']) await ok(root, 'POST', '/api/v1/namespaces', { metadata: { name } })
  await ok(root, 'POST', configMaps('secret'), configMap('plan'))
  await ok(root, 'POST', configMaps('team'), configMap('ours'))
  await allow(client, 'branches', 'alice', [{ nonResourceURLs: ['/branches/*'], verbs: ['create'] }])
  await allow(client, 'reader', 'carol', [{ nonResourceURLs: ['/branches/hers', '/branches/hers/*'], verbs: ['get'] }])
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team'
  await ok(root, 'POST', `${rbac}/rolebindings`, {
    metadata: { name: 'editors' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: ['alice', 'carol'].map((name) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })),
  })
})
after(async () => {
  client.close()
  await live.stop()
  temporary.remove()
})

test('a user needs the right to create a branch, and has in it the own name and no more rights than in the live server', async () => {
  for (const token of ['', 'tok-bob']) {
    const { code, body } = await ask(token, 'POST', '/branches/hers', {})
    assert.equal(code, 403)
    assert.match(body.message, /^forbidden: User "(bob|system:anonymous)" cannot create path "\/branches\/hers"$/)
  }
  assert.equal((await ask('wrong', 'POST', '/branches/hers', {})).code, 401)
  await ok('tok-alice', 'POST', '/branches/hers', { ttlSeconds: 600 })
  const whoAmI = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { userInfo } = (await ok('tok-alice', 'POST', '/branches/hers/apis/authentication.k8s.io/v1/selfsubjectreviews', whoAmI)).status
  assert.deepEqual([userInfo.username, userInfo.groups], ['alice', ['system:authenticated']])
  await ok('tok-alice', 'POST', `/branches/hers${configMaps('team')}`, configMap('mine'))
  for (const [method, path, body] of [
    ['GET', configMaps('secret')],
    ['GET', '/api/v1/secrets'],
    ['POST', '/api/v1/namespaces', { metadata: { name: 'more' } }],
    ['DELETE', '/api/v1/namespaces/team'],
    ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name: 'x' }, roleRef: {}, subjects: [] }],
  ] as const) {
    assert.equal((await ask('tok-alice', method, path, body)).code, 403, `live: ${method} ${path}`)
    assert.equal((await ask('tok-alice', method, `/branches/hers${path}`, body)).code, 403, `branch: ${method} ${path}`)
  }
  const impersonated = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' }
  assert.equal((await ask('tok-alice', 'GET', `/branches/hers${configMaps('secret')}`, undefined, impersonated)).code, 403)
  assert.equal((await ask('tok-alice', 'DELETE', '/branches/hers', undefined, impersonated)).code, 400)
})

test('others use a branch only with the right to its paths, and its owner inspects it with the own rights', async () => {
  for (const [method, path] of [
    ['GET', '/branches/hers'],
    ['DELETE', '/branches/hers'],
    ['GET', '/branches/hers:diff'],
    ['POST', '/branches/hers:advance'],
    ['GET', `/branches/hers${configMaps('team')}`],
    ['GET', '/branches/hers/version'],
    // Nor whether there is one.
    ['GET', '/branches/none/version'],
    ['GET', '/branches/none'],
  ] as const)
    assert.equal((await ask('tok-bob', method, path)).code, 403, `${method} ${path}`)
  assert.deepEqual((await ok('tok-bob', 'GET', '/branches')).branches, [])
  assert.deepEqual(
    (await ok('tok-carol', 'GET', '/branches')).branches.map(({ name }) => name),
    ['hers'],
  )
  assert.equal(
    (await ok('tok-carol', 'GET', `/branches/hers${configMaps('team')}`)).items.some(({ metadata }) => metadata.name === 'mine'),
    true,
  )
  assert.equal((await ask('tok-carol', 'POST', `/branches/hers${configMaps('team')}`, configMap('no'))).code, 403)
  assert.equal((await ask('tok-carol', 'GET', `/branches/hers${configMaps('secret')}`)).code, 403)
  assert.equal((await ask('tok-carol', 'DELETE', '/branches/hers')).code, 403)
  // Who may do all in the cluster changes what the owner may not read.
  await ok(root, 'POST', `/branches/hers${configMaps('secret')}`, configMap('second plan'.replace(' ', '-')))
  const seen = await ok('tok-alice', 'GET', '/branches/hers:diff')
  assert.deepEqual([seen.differences.map(({ name }) => name), seen.hidden], [['mine'], 1])
  assert.doesNotMatch(JSON.stringify(seen), /plan/)
  const all = await ok(root, 'GET', '/branches/hers:diff')
  assert.deepEqual([all.differences.map(({ name }) => name).sort(), all.hidden], [['mine', 'second-plan'], 0])
  const events = readFileSync(auditLog, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { requestURI: string; user: { username: string } })
  assert(events.some(({ requestURI, user }) => requestURI === `/branches/hers${configMaps('secret')}` && user.username === 'alice'))
  assert(
    events.every(({ requestURI }) => requestURI.startsWith('/branches/')),
    'the branch itself records nothing',
  )
})

test('no path leads from a branch to another one, to the interface or to the live server', async () => {
  await ok(root, 'POST', '/branches/other', {})
  await ok(root, 'POST', '/branches/other/api/v1/namespaces', { metadata: { name: 'elsewhere' } })
  for (const up of ['../other', '%2e%2e/other', '..%2fother', '..', '%2e%2e/..', '.', '/', '//..', '%2f..%2fother', '..;/other'])
    for (const rest of ['/api/v1/namespaces', configMaps('secret'), ':diff', ''])
      for (const start of ['/branches/hers/', '/branches/hers']) {
        const { code, text } = await client.exactly('tok-alice', `${start}${up}${rest}`)
        assert(code >= 400, `${start}${up}${rest}: ${code} ${text}`)
        assert.doesNotMatch(text, /elsewhere|plan/)
      }
  for (const name of ['Upper', '-a', 'a-', 'a_b', 'a.b', '%68ers', 'x'.repeat(64), '..', 'v1:none', '%00', '%c3%a4'])
    assert.equal((await client.exactly(root, `/branches/${name}/version`)).code, 404, name)
  assert.equal((await ask(root, 'PUT', '/branches/hers', {})).code, 405)
  for (const body of [{ ttlSeconds: 0 }, { ttlSeconds: 'x' }, { ttlSeconds: 1e99 }, []])
    assert.equal((await ask(root, 'POST', '/branches/new', body)).code, 400, JSON.stringify(body))
  assert.equal((await ask(root, 'POST', '/branches/hers', {})).code, 409)
  await ok(root, 'DELETE', '/branches/other')
})

test('a branch is bounded in number, memory and time, and its end ends its watches', async () => {
  for (const name of ['b', 'c', 'd']) await ok(root, 'POST', `/branches/${name}`, {})
  const refused = await ask(root, 'POST', '/branches/e', {})
  assert.deepEqual([refused.code, refused.body.message], [403, 'branches "e" is forbidden: the limit is 4 branches'])
  for (const name of ['c', 'd']) await ok(root, 'DELETE', `/branches/${name}`)
  const text = 'x'.repeat(500_000)
  const codes = []
  for (let at = 0; at < 8; at++)
    codes.push((await ask(root, 'POST', `/branches/b${configMaps('team')}`, configMap(`large-${at}`, { text }))).code)
  assert(codes.includes(201) && codes.at(-1) !== 201, String(codes))
  assert.equal((await ask(root, 'POST', `/branches/hers${configMaps('team')}`, configMap('fits'))).code, 201, 'another branch has room')
  await ok(root, 'POST', configMaps('team'), configMap('live-has-room'))
  const watch = await client.fetch(`/branches/b${configMaps('team')}?watch=true`, { headers: { authorization: `Bearer ${root}` } })
  await ok(root, 'DELETE', '/branches/b')
  await within(
    'the end of the watch',
    watch.text().catch(() => ''),
  )
  await ok(root, 'POST', '/branches/brief', { ttlSeconds: 1 })
  await eventually('its end', async () => (await ask(root, 'GET', '/branches/brief')).code === 404)
  assert.equal((await ask(root, 'GET', '/branches/brief/version')).code, 404)
})

test('tokens of a branch are worth nothing in the live server, nor those that it forges', async () => {
  const accounts = '/api/v1/namespaces/team/serviceaccounts'
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const there = (await ok(root, 'POST', `${accounts}/default/token`, request)).status.token
  assert.equal((await ask(there, 'GET', '/api')).code, 200)
  const { token } = (await ok(root, 'POST', `/branches/hers${accounts}/default/token`, request)).status
  for (const path of ['/api', '/branches/hers/api']) assert.equal((await ask(token, 'GET', path)).code, 401, path)
})

test('webhooks are called as for dry runs, and node agents, services and aggregated servers are not', async () => {
  const reviews: { readonly dryRun: boolean; readonly object: { readonly metadata: { readonly name: string } } }[] = []
  const service = createServer(issued('127.0.0.1'), async (incoming, response) => {
    let text = ''
    for await (const part of incoming.setEncoding('utf8')) text += part
    const { request, ...rest } = JSON.parse(text || '{"request":{}}')
    reviews.push(request)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...rest, response: { uid: request.uid, allowed: true } }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const caBundle = Buffer.from(authority.certPem).toString('base64')
  const hook = (name: string, sideEffects: string) => ({
    name: `${name}.example.com`,
    sideEffects,
    admissionReviewVersions: ['v1'],
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    matchConditions: [{ name: 'this', expression: `object.metadata.name.startsWith("${name}")` }],
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
  })
  await ok(root, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'hooks' },
    webhooks: [hook('none', 'None'), hook('dry', 'NoneOnDryRun')],
  })
  await ok(root, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.far.example.com' },
    spec: {
      group: 'far.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      insecureSkipTLSVerify: true,
      service: { name: 'far', namespace: 'team', port },
    },
  })
  await ok(root, 'POST', '/api/v1/nodes', { metadata: { name: 'n' } })
  await ok(root, 'PATCH', '/api/v1/nodes/n/status', {
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  })
  await ok(root, 'POST', '/branches/calls', {})
  for (const name of ['none-1', 'dry-1']) await ok(root, 'POST', `/branches/calls${configMaps('team')}`, configMap(name))
  assert.deepEqual(
    reviews.map(({ dryRun, object }) => [object.metadata.name, dryRun]),
    [
      ['none-1', true],
      ['dry-1', true],
    ],
  )
  reviews.length = 0
  for (const path of [
    '/api/v1/nodes/n/proxy/logs/',
    '/api/v1/namespaces/team/services/far/proxy/',
    '/api/v1/namespaces/team/pods/p/proxy/',
    '/api/v1/namespaces/team/pods/p/log',
    '/api/v1/namespaces/team/pods/p/exec?command=x',
  ]) {
    const { code, body } = await ask(root, 'GET', `/branches/calls${path}`)
    assert.equal(code, 403, path)
    assert.match(body.message, /a branch does not reach node agents, pods and services$/)
  }
  assert.equal((await ask(root, 'POST', '/branches/calls/apis/far.example.com/v1/things', {})).code, 404)
  await ok(root, 'DELETE', '/branches/calls/api/v1/namespaces/team')
  await eventually('the namespace is gone', async () => (await ask(root, 'GET', '/branches/calls/api/v1/namespaces/team')).code === 404)
  assert.deepEqual(reviews, [])
  assert.equal((await ask(root, 'GET', '/api/v1/namespaces/team')).code, 200)
  await ok(root, 'DELETE', '/branches/calls')
  await ok(root, 'DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks')
  await ok(root, 'DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1.far.example.com')
  service.close()
})

test("controllers go by the branch's clock, and policies count", async () => {
  const policies = '/apis/admissionregistration.k8s.io/v1'
  await ok(root, 'POST', '/branches/later', {})
  const at = '/branches/later'
  await ok(root, 'POST', `${at}${policies}/validatingadmissionpolicies`, {
    metadata: { name: 'short' },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] },
      validations: [{ expression: 'object.metadata.name.size() < 10', message: 'names are short here' }],
    },
  })
  await ok(root, 'POST', `${at}${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: 'short' },
    spec: { policyName: 'short', validationActions: ['Deny'] },
  })
  let tries = 0
  const refusal = async () => {
    const { code, body } = await ask(root, 'POST', `${at}${configMaps('team')}`, configMap(`a-name-that-is-long-${tries++}`))
    return code === 422 && /names are short here/.test(body.message)
  }
  await eventually('the policy is in effect', refusal)
  assert.equal((await ask(root, 'POST', configMaps('team'), configMap('a-name-that-is-long'))).code, 201)
  const involvedObject = { kind: 'Pod', namespace: 'team', name: 'p' }
  await ok(root, 'POST', `${at}/api/v1/namespaces/team/events`, { metadata: { name: 'soon' }, involvedObject })
  await ok(root, 'POST', `${at}:advance`, { seconds: 7_300 })
  await eventually('the event expires', async () => (await ask(root, 'GET', `${at}/api/v1/namespaces/team/events/soon`)).code === 404)
  await ok(root, 'DELETE', at)
})

test('a shutdown ends watches of branches and is not held up by them; kill -9 leaves no branch', async () => {
  const directory = join(temporary.path, 'ending')
  const own = ['--platform=kubernetes', '--enable-branches', `--token-auth-file=${users}`]
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const daemon = await startDaemon({ directory, flags: own })
    const there = clientOf(daemon)
    assert.deepEqual((await there.ask(root, 'GET', '/branches')).body.branches, [])
    assert.equal((await there.ask(root, 'POST', '/branches/short', {})).code, 201)
    assert.equal((await there.ask(root, 'POST', `/branches/short${configMaps('default')}`, configMap('only-there'))).code, 201)
    const watch = await there.fetch(`/branches/short${configMaps('default')}?watch=true`, { headers: { authorization: `Bearer ${root}` } })
    const ended = watch.text().catch(() => '')
    await daemon.stop(signal)
    await within('the end of the watch', ended)
    there.close()
  }
  const again = await startDaemon({ directory, flags: own })
  const there = clientOf(again)
  assert.equal((await there.ask(root, 'GET', '/branches/short/version')).code, 404)
  assert.equal((await there.ask(root, 'GET', `${configMaps('default')}/only-there`)).code, 404)
  there.close()
  await again.stop()
})

test('over etcd a branch reads the cluster as it was, whose changes do not reach it, and no more of it than it may', async () => {
  const etcd = await startEtcd()
  const daemon = await startDaemon({
    flags: [...flags.slice(0, 5), '--max-branch-bytes=1Mi', `--kvstore-servers=${etcd.servers.join(',')}`],
  })
  const there = clientOf(daemon)
  const good = async (...given: Parameters<typeof ask>) => {
    const { code, text, body } = await there.ask(...given)
    assert(code < 300, `${given[2]}: ${code} ${text}`)
    return body
  }
  try {
    await good(root, 'POST', '/api/v1/namespaces', { metadata: { name: 'cascade' } })
    await good(root, 'POST', configMaps('cascade'), configMap('before'))
    await good(root, 'POST', '/branches/copy', {})
    await good(root, 'PATCH', `${configMaps('cascade')}/before`, { data: { now: 'live' } })
    // Controllers of the branch do what nobody has done in this cluster, which has no controller manager.
    const byOthers = async () => (await good(root, 'GET', '/branches/copy:diff')).differences.filter(({ automatic }) => !automatic)
    assert.deepEqual(await byOthers(), [])
    await good(root, 'DELETE', '/branches/copy/api/v1/namespaces/cascade')
    await eventually('the cascade', async () => (await there.ask(root, 'GET', '/branches/copy/api/v1/namespaces/cascade')).code === 404)
    await good(root, 'GET', `${configMaps('cascade')}/before`)
    assert.deepEqual(
      (await byOthers()).map(({ kind, name, difference }) => `${difference} ${kind} ${name}`),
      ['deleted Namespace cascade', 'deleted ConfigMap before'],
    )
    const text = 'x'.repeat(600_000)
    for (const name of ['a', 'b']) await good(root, 'POST', configMaps('default'), configMap(name, { text }))
    await good(root, 'POST', '/branches/large', {})
    const refused = await there.ask(root, 'GET', `/branches/large${configMaps('default')}`)
    const limit = 'a branch has 1048576 bytes of memory for what it reads of its live server'
    assert.deepEqual([refused.code, refused.body.message], [507, `Internal error occurred: the store has no space left: ${limit}`])
  } finally {
    there.close()
    await daemon.stop()
    await etcd.stop()
  }
})

test('when etcd compacts the revision of a branch, what the branch has read stays, the rest is answered with 410; the live server goes on', async () => {
  const etcd = await startEtcd()
  let isHeld = false
  let letGo = () => {}
  const compacted = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const proxy = await startEtcdProxy((etcd.servers[0] as string).replace('http://', ''), (message) =>
    isHeld && message.includes('/events/') ? compacted : undefined,
  )
  const daemon = await startDaemon({ flags: [...flags.slice(0, 5), `--kvstore-servers=${proxy.url}`] })
  const there = clientOf(daemon)
  const etcdctl = (...argv: string[]) => execute('etcdctl', [`--endpoints=${etcd.servers[0]}`, ...argv], { timeout: 60_000 })
  const good = async (...given: Parameters<typeof ask>) => {
    const { code, text, body } = await there.ask(...given)
    assert(code < 300, `${given[2]}: ${code} ${text}`)
    return body
  }
  try {
    const kept = await good(root, 'POST', configMaps('default'), configMap('kept', { now: 'before' }))
    const [events, involvedObject] = ['/api/v1/namespaces/default/events', { kind: 'ConfigMap', name: 'kept', namespace: 'default' }]
    await good(root, 'POST', events, { metadata: { name: 'unread' }, involvedObject })
    // Controllers of a branch soon read everything; the events wait.
    isHeld = true
    await good(root, 'POST', '/branches/old', {})
    await good(root, 'PATCH', `/branches/old${configMaps('default')}/kept`, { data: { more: 'first' } })
    await good(root, 'PATCH', `${configMaps('default')}/kept`, { data: { now: 'after' } })
    await etcdctl('compaction', '--physical', (await good(root, 'GET', `${configMaps('default')}/kept`)).metadata.resourceVersion)
    await assert.rejects(etcdctl('get', 'x', `--rev=${kept.metadata.resourceVersion}`), /required revision has been compacted/)
    isHeld = false
    letGo()

    const read = await good(root, 'GET', `/branches/old${configMaps('default')}/kept`)
    assert.deepEqual(read.data, { now: 'before', more: 'first' })
    for (const path of [events, `${events}/unread`]) {
      const { code, body } = await there.ask(root, 'GET', `/branches/old${path}`)
      assert.deepEqual([code, body.reason], [410, 'Expired'], path)
      assert.match(
        body.message,
        /^the store of the live server has compacted revision \d+, at which the branch began, before this was read; make another branch$/,
      )
    }
    // What was read can be written; differences need only that.
    await good(root, 'PATCH', `/branches/old${configMaps('default')}/kept`, { data: { now: 'tried' } })
    const changed = (await good(root, 'GET', '/branches/old:diff')).differences.filter(({ automatic }) => !automatic)
    assert.deepEqual(
      changed.map(({ kind, name, difference }) => `${difference} ${kind} ${name}`),
      ['changed ConfigMap kept'],
    )
    assert.deepEqual((await good(root, 'GET', `${configMaps('default')}/kept`)).data, { now: 'after' })
    // Another branch begins at the present revision.
    await good(root, 'POST', '/branches/new', {})
    assert.equal((await good(root, 'GET', `/branches/new${events}`)).items.length, 1)
    assert.deepEqual((await good(root, 'GET', `/branches/new${configMaps('default')}/kept`)).data, { now: 'after' })
  } finally {
    letGo()
    there.close()
    await daemon.stop()
    proxy.close()
    await etcd.stop()
  }
})

test('workers and servers without branches refuse by name', async () => {
  const workers = await runProgram(['--enable-branches', '--workers=2', '--data-dir=:memory:'])
  assert.equal(workers.code, 1)
  assert.match(workers.stderr, /^error: --enable-branches needs --workers=1: a branch is in the memory of one thread, .+\n$/)
  const daemon = await startDaemon({ flags: ['--data-dir=:memory:'] })
  const { code, stderr } = await runProgram(['branch', 'create', 'x', `--kubeconfig=${daemon.kubeconfig}`])
  assert.equal(code, 1)
  assert.match(stderr, /^error: https:\/\/127\.0\.0\.1:\d+ has no branches: it was started without --enable-branches\n$/)
  await daemon.stop()
  for (const argv of [[], ['nothing'], ['create'], ['create', '--ttl=1h'], ['diff', 'x', '--output=xml'], ['list', 'more']])
    assert.match((await runProgram(['branch', ...argv])).stderr, /^error: [^\n]+\n$/, argv.join(' '))
})
