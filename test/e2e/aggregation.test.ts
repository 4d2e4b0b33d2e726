/**
 * Aggregation: a second daemon that serves custom resources for the first one, with delegated authentication and authorization, and a server that
 * says what it got.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import type { Status } from '../../core/answers/status.ts'
import {
  conditionOf,
  createService,
  type Echo,
  type EchoServer,
  frontName,
  type Material,
  material,
  registration,
  registrations,
  startEchoServer,
} from '../support/aggregation.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { type Kubectl, kubectls, kubectlWith } from '../support/kubectl.ts'
import { residentMiB } from '../support/memory.ts'
import { ownAddress } from '../support/node-agent/start.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'

const aliceToken = 'alice-8c1f07'
const things = '/apis/things.example.com/v1/namespaces/default/things'
const echoed = '/apis/echo.example.com/v1'

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'things.things.example.com' },
  spec: {
    group: 'things.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', shortNames: ['th'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', description: 'How large it is.' } } } },
          },
        },
      },
    ],
  },
}

/** A connection file of webhooks: the path of a review at a daemon, as its administrator. */
function connectionFile(daemon: Daemon, path: string): string {
  const { ca, cert = '', key = '' } = readCredentials(daemon.kubeconfig)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'front',
    contexts: [{ name: 'front', context: { cluster: 'front', user: 'front' } }],
    clusters: [{ name: 'front', cluster: { server: `${daemon.url}${path}`, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'front', user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
  })
}

describe('aggregation', { skip: process.platform !== 'linux' && 'only Linux has all of 127.0.0.0/8', timeout: 600_000 }, () => {
  const directory = temporaryDirectory('aggregation')
  let made: Material
  let echo: EchoServer
  let front: Daemon
  let behind: Daemon
  let api: Api
  /** As administrator of the second server. */
  let second: Api
  let kubectl: Kubectl | undefined
  const caBundle = () => Buffer.from(made.authority).toString('base64')
  const register = async (service: string, port: number, groupVersion: string, more: object = { caBundle: caBundle() }) =>
    api.create(registrations, registration(service, port, groupVersion, more))
  const untilCondition = (name: string, status: string) =>
    eventually(`${name} is ${status}`, async () => {
      const found = await conditionOf(api, name)
      return found?.[0] === status ? found : undefined
    })
  /** As a user with this token. */
  const as = (daemon: Daemon, token: string): Api => {
    const { fetch } = tlsFetch(daemon.url, { ca: daemon === front ? readCredentials(front.kubeconfig).ca : made.authority })
    return apiOf((path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(path, { ...init, headers })
    })
  }

  /** A connection to the first server, as its administrator. */
  function openSocket() {
    const { ca, cert = '', key = '' } = readCredentials(front.kubeconfig)
    const socket = connect({ port: front.port, host: '127.0.0.1', ca, cert, key, ALPNProtocols: ['http/1.1'] })
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
    })
    return { socket, text: () => text, closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) }
  }

  before(async () => {
    made = material(directory.path)
    echo = await startEchoServer(made)
    const tokens = made.file('tokens.csv', `${aliceToken},alice,alice-uid,"ops team,größe"\n`)
    front = await startDaemon({ flags: ['--platform=kubernetes', ...made.frontFlags, `--token-auth-file=${tokens}`] })
    api = apiOf(front.fetch)
    behind = await startDaemon({
      flags: [
        '--platform=kubernetes',
        '--bind-address=0.0.0.0',
        ...made.trustFlags,
        `--tls-cert-file=${made.file('serving.crt', made.serving.certPem)}`,
        `--tls-private-key-file=${made.file('serving.key', made.serving.keyPem)}`,
        '--authorization-mode=RBAC,Webhook',
        `--authorization-webhook-config-file=${made.file('authz.json', connectionFile(front, '/apis/authorization.k8s.io/v1/subjectaccessreviews'))}`,
        '--authorization-webhook-version=v1',
        `--authentication-token-webhook-config-file=${made.file('authn.json', connectionFile(front, '/apis/authentication.k8s.io/v1/tokenreviews'))}`,
        '--authentication-token-webhook-version=v1',
      ],
    })
    second = apiOf(tlsFetch(behind.url, { ...readCredentials(behind.kubeconfig), ca: made.authority }).fetch)
    const [binary] = kubectls()
    if (binary !== undefined) kubectl = kubectlWith(binary, front.kubeconfig, directory.path)
    await second.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    await createService(api, 'things', behind.port)
    await createService(api, 'echo', echo.port)
    await register('things', behind.port, 'things.example.com/v1')
    await register('echo', echo.port, 'echo.example.com/v1')
    await untilCondition('v1.echo.example.com', 'True')
    assert.deepEqual(await untilCondition('v1.things.example.com', 'True'), ['True', 'Passed', 'all checks passed'])
  })
  after(async () => {
    await Promise.all([behind?.stop(), front?.stop()])
    echo?.close()
    directory.remove()
  })

  test('what the server serves itself is registered: built-in group versions, and custom resources as they come and go', async () => {
    const all = await api.list(registrations)
    const own = all.items.filter(({ metadata }) => metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] === 'onstart')
    assert.equal(own.length, 21)
    const group = { ...definition.spec, group: 'local.example.com' }
    const name = 'things.local.example.com'
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { ...definition, metadata: { name }, spec: group })
    assert.deepEqual(await untilCondition('v1.local.example.com', 'True'), ['True', 'Local', 'Local APIServices are always available'])
    const { body } = await api.get<{ spec: object }>(`${registrations}/v1.local.example.com`)
    assert.deepEqual(body.spec, { group: 'local.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 })
    // It is kept as long as the definition.
    await api.delete(`${registrations}/v1.local.example.com`)
    await untilCondition('v1.local.example.com', 'True')
    await api.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`)
    await eventually('its end', async () => (await api.get(`${registrations}/v1.local.example.com`)).status === 404)
  })

  test('requests are passed on, and events of a watch come one by one', async () => {
    const watch = await watchAt(front.fetch, things)
    for (const name of ['one', 'two']) {
      const thing = { kind: 'Thing', apiVersion: 'things.example.com/v1', metadata: { name }, spec: { size: 1 } }
      await api.create(things, thing)
      const event = await watch.object()
      assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', name])
    }
    await watch.close()
    assert.deepEqual(
      (await api.list(things)).items.map(({ metadata }) => metadata.name),
      ['one', 'two'],
    )
    assert.equal((await second.list(things)).items.length, 2, 'the objects are those of the other server')
    const { body } = await api.get<Status>(`${things}/three`)
    assert.deepEqual([body.reason, body.message], ['NotFound', 'things.things.example.com "three" not found'])
  })

  test('the other server asks this one who a user is, and what they may do', async () => {
    assert.equal((await as(front, aliceToken).get(things)).status, 403)
    assert.equal((await as(behind, aliceToken).get(things)).status, 403, 'a token of the first server is known to the second one')
    const rules = [{ apiGroups: ['things.example.com'], resources: ['things'], verbs: ['get', 'list', 'create'] }]
    const role = { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'things' }, rules }
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', role)
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'things' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'things' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'größe' }],
    })
    const thing = { kind: 'Thing', apiVersion: 'things.example.com/v1', metadata: { name: 'of-alice' } }
    await eventually('the right', async () => (await as(front, aliceToken).get(things)).status === 200)
    const created = await as(front, aliceToken).create(things, thing)
    assert.equal((created.metadata as { managedFields?: { manager: string }[] }).managedFields?.length, 0 || undefined)
    // Headers of a front proxy without its certificate name nobody.
    const { fetch, close } = tlsFetch(behind.url, { ca: made.authority })
    const forged = await fetch(things, { headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' } })
    assert.equal(forged.status, 403)
    close()
  })

  test('kubectl works with resources of the other server', async (t) => {
    if (kubectl === undefined) return t.skip('no kubectl')
    const k = kubectl
    assert.match(await k.run('api-resources', '--api-group=things.example.com'), /^things +th +things\.example\.com\/v1 +true +Thing$/m)
    const manifest = {
      kind: 'Thing',
      apiVersion: 'things.example.com/v1',
      metadata: { name: 'applied', namespace: 'default' },
      spec: { size: 2 },
    }
    assert.equal(await k.pipe(manifest, 'apply'), 'thing.things.example.com/applied created\n')
    assert.equal(
      await k.pipe({ ...manifest, spec: { size: 3 } }, 'apply', '--server-side', '--force-conflicts'),
      'thing.things.example.com/applied serverside-applied\n',
    )
    const watching = k.start('get', 'things', '--watch', '-o', 'name')
    await watching.sees(/thing\.things\.example\.com\/applied/)
    await k.run('label', 'th', 'applied', 'a=b')
    await k.run('delete', 'thing', 'applied')
    watching.kill()
    await eventually('the schema', async () => (await k.try(['explain', 'things.spec.size'])).stdout.includes('How large it is.'))
    assert.match(await k.run('get', 'apiservice', 'v1.things.example.com'), /default\/things +True/)
  })

  test('discovery and OpenAPI have what the other server says', async () => {
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    interface List {
      readonly items: {
        metadata: { name: string }
        versions: { version: string; freshness: string; resources?: { resource: string }[] }[]
      }[]
    }
    const { body } = await api.get<List>('/apis', { accept: aggregated })
    const group = body.items.find(({ metadata }) => metadata.name === 'things.example.com')
    assert.deepEqual(
      group?.versions.map(({ version, freshness, resources }) => [version, freshness, resources?.map(({ resource }) => resource)]),
      [['v1', 'Current', ['things']]],
    )
    const legacy = (await api.get<{ groups: { name: string }[] }>('/apis')).body.groups.map(({ name }) => name)
    // By priority, before the groups of custom resources, then by name.
    assert.deepEqual(legacy.slice(-2), ['echo.example.com', 'things.example.com'])
    assert.equal((await api.get<{ name: string }>('/apis/things.example.com')).body.name, 'things.example.com')
    await eventually('OpenAPI v2', async () => {
      const swagger = (await api.get<{ paths: object; definitions: object }>('/openapi/v2')).body
      return things.replace('default', '{namespace}') in swagger.paths && 'com.example.things.v1.Thing' in swagger.definitions
    })
    const url = await eventually('OpenAPI v3', async () => {
      const index = (await api.get<{ paths: { [name: string]: { serverRelativeURL: string } } }>('/openapi/v3')).body
      return index.paths['apis/things.example.com/v1']?.serverRelativeURL
    })
    const document = await api.get<{ components: { schemas: object } }>(url)
    assert.deepEqual([document.status, 'com.example.things.v1.Thing' in document.body.components.schemas], [200, true])
  })

  test('a server with OpenAPI v2 only has a v3 document, too', async () => {
    const path = '/openapi/v3/apis/echo.example.com/v1'
    const url = await eventually('the document', async () => {
      const index = (await api.get<{ paths: { [name: string]: { serverRelativeURL: string } } }>('/openapi/v3')).body
      return index.paths[path.slice('/openapi/v3/'.length)]?.serverRelativeURL
    })
    assert.ok(url.startsWith(`${path}?hash=`), url)
    const { status, body, headers } = await api.get<object>(url)
    assert.deepEqual([status, headers.get('cache-control')], [200, 'public, immutable'])
    const any = { $ref: '#/components/schemas/Any' }
    assert.deepEqual(body, {
      openapi: '3.0.0',
      info: { title: 'Echo', version: 'v1' },
      paths: {
        '/apis/echo.example.com/v1/any': {
          get: { operationId: 'getAny', responses: { 200: { description: 'OK', content: { 'application/json': { schema: any } } } } },
        },
      },
      components: { schemas: { Any: { type: 'object', properties: { other: { description: 'Another one.', allOf: [any] } } } } },
    })
  })

  test('the deletion of a namespace deletes what other servers have in it', async () => {
    const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'team' } }
    for (const each of [api, second]) await each.create('/api/v1/namespaces', namespace)
    const inTeam = things.replace('default', 'team')
    const held = { kind: 'Thing', apiVersion: 'things.example.com/v1', metadata: { name: 'held', finalizers: ['example.org/hold'] } }
    await api.create(inTeam, held)
    await api.create(inTeam, { ...held, metadata: { name: 'free' } })
    await api.delete('/api/v1/namespaces/team')
    await eventually('the count of what is left', async () => {
      const { body } = await api.get<{ status?: { conditions?: { message: string }[] } }>('/api/v1/namespaces/team')
      const messages = (body.status?.conditions ?? []).map(({ message }) => message)
      return messages.includes('Some resources are remaining: things.things.example.com has 1 resource instances')
    })
    assert.equal((await second.get(`${inTeam}/free`)).status, 404)
    await second.patch(`${inTeam}/held`, { metadata: { finalizers: null } })
    await eventually('the end of the namespace', async () => (await api.get('/api/v1/namespaces/team')).status === 404)
    assert.equal((await second.get(`${inTeam}/held`)).status, 404)
    assert.equal((await second.get('/api/v1/namespaces/team')).status, 200)
  })

  test('a server gets the identity of the user from this server only', async () => {
    const rule = { nonResourceURLs: ['/apis/*'], verbs: ['*'] }
    const rules = [rule, { apiGroups: ['echo.example.com'], resources: ['*'], verbs: ['*'] }]
    const meta = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'echo' } }
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { kind: 'ClusterRole', ...meta, rules })
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      ...{ kind: 'ClusterRoleBinding', ...meta, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'echo' } },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    })
    // Each header that a client may try, and what the server gets of it.
    const sent: { readonly [name: string]: string } = {
      ...{ 'x-remote-user': 'admin', 'x-remote-uid': '1', 'x-remote-group': 'system:masters', 'x-remote-extra-scopes': 'all' },
      ...{ 'x-remote-anything': '1', 'impersonate-anything': 'b', 'proxy-authorization': 'Basic eDp4', 'keep-alive': 'timeout=5' },
      ...{ connection: 'x-hop, keep-alive', 'x-hop': '1', te: 'trailers', 'proxy-connection': 'close', expect: '' },
      ...{ 'x-forwarded-host': 'evil', 'x-forwarded-proto': 'gopher', 'x-forwarded-uri': '/evil', 'x-forwarded-for': '192.0.2.7' },
      ...{ cookie: 'a=b', 'x-own': 'kept', accept: 'text/plain', 'user-agent': 'tester', 'audit-id': 'abc-1', 'accept-encoding': 'gzip' },
    }
    const path = `${echoed}/namespaces/default/any/a%2Fb%20(c)?b=2&a=x%20y+z&a=1`
    await eventually('the right', async () => (await as(front, aliceToken).get(path)).status === 200)
    const headers = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))
    const { status, body, headers: answered } = await as(front, aliceToken).get<Echo>(path, headers)
    assert.equal(status, 200)
    assert.deepEqual([body.url, body.caller], [`${echoed}/namespaces/default/any/a/b%20%28c%29?a=x+y+z&a=1&b=2`, frontName])
    const host = body.fields.find(([name]) => name === 'host')?.[1]
    const utf8 = Buffer.from('größe').toString('latin1')
    assert.deepEqual(
      body.fields
        .filter(([name]) => name !== 'host' && name !== 'connection')
        .map((field) => field.join(': '))
        .sort(),
      [
        ...['accept: text/plain', 'accept-encoding: gzip', 'audit-id: abc-1', 'cookie: a=b', 'te: trailers', 'user-agent: tester'],
        ...['x-forwarded-for: 192.0.2.7, 127.0.0.1', `x-forwarded-host: ${host}`, 'x-forwarded-proto: https'],
        ...[`x-forwarded-uri: ${echoed}/namespaces/default/any/a/b%20%28c%29`, 'x-own: kept'],
        ...[`x-remote-group: ${utf8}`, 'x-remote-group: ops team', 'x-remote-group: system:authenticated'],
        ...['x-remote-uid: alice-uid', 'x-remote-user: alice'],
      ].sort(),
    )
    assert.equal(answered.get('x-kept'), 'yes')
    for (const name of ['x-hop', 'access-control-allow-origin']) assert.equal(answered.get(name), null, name)
  })

  test('bodies are streamed both ways, whatever the method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { body } = await api.send<Echo>(method, `${echoed}/anything/x`, 'ä'.repeat(1_000_000), { 'content-type': 'text/x' })
      assert.deepEqual([body.method, body.body.length], [method, 1_000_000])
    }
    assert.equal((await api.get(`${echoed}/anything?status=418`)).status, 418)
    const leaving = new AbortController()
    const response = await front.fetch(`${echoed}/anything?watch=1&lines=1`, { signal: leaving.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (const line of ['first', 'second']) {
      await api.get(`${echoed}/anything?line=${line}`)
      const { value } = await within(`the ${line} line`, reader.read())
      assert.equal(Buffer.from(value ?? []).toString(), `${line}\n`)
    }
    leaving.abort()
    await eventually('the end of the request', async () => echo.running() === 0)
  })

  test('a client that does not read holds the server back', async () => {
    const leaving = new AbortController()
    const before = residentMiB(front.pid)
    const response = await front.fetch(`${echoed}/anything?watch=1&flood=1`, { signal: leaving.signal })
    await (response.body as ReadableStream<Uint8Array>).getReader().read()
    // The stream fills its buffers in the time of these requests.
    for (let i = 0; i < 100; i++) await api.get(`${echoed}/anything`)
    const sent = echo.flooded()
    for (let i = 0; i < 20; i++) await api.get(`${echoed}/anything`)
    assert.equal(echo.flooded(), sent, 'it has stopped')
    assert.ok(residentMiB(front.pid) - before < 64, 'less than 64 MiB')
    leaving.abort()
    await eventually('the end of the request', async () => echo.running() === 0)
  })

  test('redirects are refused, and paths with dots', async () => {
    const { status, body } = await api.get<unknown>(`${echoed}/anything?location=https://elsewhere.example.com/`)
    assert.deepEqual([status, body], [502, 'the backend attempted to redirect this request, which is not permitted'])
    for (const path of ['%2e%2e/secrets', 'a/./b', 'a/..%2f..']) {
      const raw = openSocket()
      raw.socket.write(`GET ${echoed}/${path} HTTP/1.1\r\nhost: front\r\nconnection: close\r\n\r\n`)
      await within('the end', raw.closed)
      assert.match(raw.text(), /^HTTP\/1\.1 404 /, path)
    }
  })

  test('upgrades lead to the other server', async () => {
    const { socket, text, closed } = openSocket()
    const head = ['connection: Upgrade', 'upgrade: echo', 'authorization: Bearer no', 'x-remote-group: evil'].join('\r\n')
    socket.write(`POST ${echoed}/anything/exec?command=sh HTTP/1.1\r\nhost: front\r\n${head}\r\n\r\n`)
    await eventually('the answer', async () => text().includes('x-remote-user'))
    assert.match(text(), /^HTTP\/1\.1 101 /)
    assert.ok(!text().includes('Bearer') && !text().includes('evil'), text())
    const large = 'x'.repeat(2_000_000)
    socket.write(large)
    await eventually('the echo', async () => text().endsWith(large))
    socket.end()
    await within('the end', closed)
  })

  test('servers that hang or are gone get no request, and stall nothing', async () => {
    const gone = await freePort()
    await createService(api, 'gone', gone)
    await createService(api, 'hangs', gone)
    await register('gone', gone, 'gone.example.com/v1')
    await register('absent', 443, 'absent.example.com/v1')
    await register('hangs', 1, 'port.example.com/v1')
    const at = `https://${await clusterIp('gone')}:${gone}/apis/gone.example.com/v1`
    const refused = `dial tcp ${new URL(at).host}: connect: connection refused`
    assert.deepEqual(await untilCondition('v1.gone.example.com', 'False'), [
      ...['False', 'FailedDiscoveryCheck'],
      `failing or missing response from ${at}: Get "${at}": ${refused}`,
    ])
    assert.deepEqual(await untilCondition('v1.absent.example.com', 'False'), [
      ...['False', 'ServiceNotFound', 'service/absent in "default" is not present'],
    ])
    assert.deepEqual(await untilCondition('v1.port.example.com', 'False'), [
      ...['False', 'ServicePortError', 'service/hangs in "default" is not listening on port 1'],
    ])
    await api.create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'stuck' } })
    await api.delete('/api/v1/namespaces/stuck')
    const unknown = await eventually('the failed discovery', async () => {
      const { body } = await api.get<{ status?: { conditions?: { reason: string; message: string }[] } }>('/api/v1/namespaces/stuck')
      return body.status?.conditions?.find(({ reason }) => reason === 'DiscoveryFailed')?.message
    })
    const stale = ['absent', 'gone', 'port']
      .map((name) => `${name}.example.com/v1`)
      .map((each) => `${each}: stale GroupVersion discovery: ${each}`)
    assert.equal(
      unknown,
      `Discovery failed for some groups, 3 failing: unable to retrieve the complete list of server APIs: ${stale.join(', ')}`,
    )
    const answer = await api.get<unknown>('/apis/gone.example.com/v1/any')
    assert.deepEqual(
      [answer.status, answer.body, answer.headers.get('content-type')],
      [503, 'service unavailable\n', 'text/plain; charset=utf-8'],
    )
    const late = await api.get<unknown>(`${echoed}?hang=1`)
    assert.deepEqual([late.status, late.body], [503, 'error trying to reach service: context deadline exceeded\n'])
    const groups = (await api.get<{ groups: { name: string }[] }>('/apis')).body.groups.map(({ name }) => name)
    assert.ok(groups.includes('gone.example.com'), 'it is listed')
    const metrics = (await api.get<unknown>('/metrics')).body as string
    assert.match(metrics, /^aggregator_unavailable_apiservice\{name="v1\.gone\.example\.com"\} 1$/m)
    assert.match(metrics, /^aggregator_unavailable_apiservice\{name="v1\.echo\.example\.com"\} 0$/m)
  })

  const clusterIp = async (name: string) =>
    (await api.get<{ spec: { clusterIP: string } }>(`/api/v1/namespaces/default/services/${name}`)).body.spec.clusterIP

  test('a certificate that is not of the bundle is refused, unless verification is waived', async () => {
    const other = readCredentials(front.kubeconfig).ca
    await register('echo', echo.port, 'verified.example.com/v1', { caBundle: Buffer.from(other).toString('base64') })
    const [, reason, message] = await untilCondition('v1.verified.example.com', 'False')
    assert.equal(reason, 'FailedDiscoveryCheck')
    assert.match(message, /tls: failed to verify certificate: x509: certificate signed by unknown authority$/)
    await register('echo', echo.port, 'waived.example.com/v1', { insecureSkipTLSVerify: true })
    await untilCondition('v1.waived.example.com', 'True')
    assert.equal((await api.get('/apis/waived.example.com/v1/any')).status, 200)
  })

  test('a new client certificate is used when its files change', async () => {
    made.renew('another-front')
    await eventually('the new certificate', async () => (await api.get<Echo>(`${echoed}/any`)).body.caller === 'another-front')
    made.renew(frontName)
    await eventually('the old name', async () => (await api.get<Echo>(`${echoed}/any`)).body.caller === frontName)
  })

  test('the extension-apiserver-authentication config map says how to trust this server', async () => {
    const { body } = await api.get<{ data: { [key: string]: string } }>(
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    )
    assert.match(body.data['requestheader-client-ca-file'] ?? '', /BEGIN CERTIFICATE/)
    assert.deepEqual(
      ['allowed-names', 'username-headers', 'group-headers', 'uid-headers', 'extra-headers-prefix'].map(
        (key) => body.data[`requestheader-${key}`],
      ),
      [`["${frontName}"]`, '["X-Remote-User"]', '["X-Remote-Group"]', '["X-Remote-Uid"]', '["X-Remote-Extra-"]'],
    )
  })

  test('a group version is gone with its registration, and back when its server is', async () => {
    assert.equal((await api.delete(`${registrations}/v1.echo.example.com`)).status, 200)
    await eventually('its end', async () => (await api.get(`${echoed}/any`)).status === 404)
    const groups = (await api.get<{ groups: { name: string }[] }>('/apis')).body.groups.map(({ name }) => name)
    assert.ok(!groups.includes('echo.example.com'))
    const service = `/api/v1/namespaces/default/services/things`
    await api.delete(service)
    assert.equal((await untilCondition('v1.things.example.com', 'False'))[1], 'ServiceNotFound')
    assert.equal((await api.get(things)).status, 503)
    const spec = { clusterIP: '127.0.0.201', ports: [{ port: behind.port, protocol: 'TCP' }] }
    await api.create('/api/v1/namespaces/default/services', { kind: 'Service', apiVersion: 'v1', metadata: { name: 'things' }, spec })
    await untilCondition('v1.things.example.com', 'True')
    assert.equal((await api.get(things)).status, 200)
  })

  test('endpoints instead of cluster IPs, and redirects for the client, by flags', {
    skip: ownAddress() === undefined && 'no address but loopback',
  }, async () => {
    const other = await startDaemon({
      flags: ['--platform=kubernetes', ...made.frontFlags, '--enable-aggregator-routing', '--aggregator-reject-forwarding-redirect=false'],
    })
    try {
      const own = apiOf(other.fetch)
      await createService(own, 'echo', echo.port)
      await own.create(registrations, registration('echo', echo.port, 'echo.example.com/v1', { caBundle: caBundle() }))
      await eventually('the server', async () => (await conditionOf(own, 'v1.echo.example.com'))?.[0] === 'True')
      const { body } = await own.get<Echo>(`${echoed}/any`)
      assert.equal(body.fields.find(([name]) => name === 'x-forwarded-host')?.[1], `${ownAddress()}:${echo.port}`)
      const moved = await own.get(`${echoed}/any?location=https://elsewhere.example.com/`)
      assert.deepEqual([moved.status, moved.headers.get('location')], [307, 'https://elsewhere.example.com/'])
    } finally {
      await other.stop()
    }
  })
})
