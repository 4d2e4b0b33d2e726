/** Parts of the test harness beyond the server: clients, faults, files, ports. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  ApiFailure,
  eventually,
  failure,
  readSnapshot,
  saveSnapshot,
  startTestServer,
  type TestObject,
  type TestServerOptions,
} from '../../../runtimes/testing/index.ts'
import { kubectls } from '../../support/kubectl.ts'
import { run } from '../../support/run.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { within } from '../../support/wait.ts'

interface ConfigMap extends TestObject {
  readonly data?: { readonly [key: string]: string }
}

async function start(t: TestContext, options: TestServerOptions = {}) {
  const server = await startTestServer(options)
  t.after(() => server.close())
  return server
}

function directory(t: TestContext): string {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  return path
}

test('a client for one kind: all verbs, and errors with their reason', async (t) => {
  const server = await start(t)
  const maps = server.objects<ConfigMap>('v1', 'ConfigMap')
  const created = await maps.create({ metadata: { name: 'a' }, data: { k: '1' } })
  assert.deepEqual((await maps.update({ ...created, data: { k: '2' } })).data, { k: '2' })
  assert.deepEqual((await maps.patch('a', { data: { l: '3' } })).data, { k: '2', l: '3' })
  assert.deepEqual((await maps.apply({ metadata: { name: 'a' }, data: { k: '4' } })).data, { k: '4', l: '3' })
  assert.deepEqual(
    (await maps.list({ fieldSelector: 'metadata.name=a' })).map(({ metadata }) => metadata?.name),
    ['a'],
  )
  await assert.rejects(maps.update({ ...created, data: {} }), (error) => error instanceof ApiFailure && error.reason === 'Conflict')
  await maps.delete('a')
  await maps.gone('a')
  await assert.rejects(maps.get('a'), { code: 404, reason: 'NotFound', message: 'configmaps "a" not found' })
})

test('watches, and waiting for an object', async (t) => {
  const server = await start(t)
  const maps = server.objects<ConfigMap>('v1', 'ConfigMap', { namespace: 'default' })
  const seen: string[] = []
  const done = (async () => {
    for await (const { type, object } of maps.watch({ resourceVersion: '0', labelSelector: 'mine' })) {
      seen.push(`${type} ${object.data?.['k']}`)
      if (type === 'DELETED') return
    }
  })()
  const reached = maps.until('a', ({ data }) => data?.['k'] === '2')
  await maps.create({ metadata: { name: 'a', labels: { mine: '' } }, data: { k: '1' } })
  await eventually('the watch sees it', () => seen.length === 1)
  await maps.patch('a', { data: { k: '2' } })
  assert.equal((await reached).data?.['k'], '2')
  await maps.delete('a')
  await done
  assert.deepEqual(seen, ['ADDED 1', 'MODIFIED 2', 'DELETED 2'])
})

test('waiting in vain ends with the reason and the object as last seen', async (t) => {
  const server = await start(t)
  const maps = server.objects<ConfigMap>('v1', 'ConfigMap')
  const never = () => false
  await assert.rejects(maps.until('a', never, 50), { message: 'ConfigMap a: condition not met within 50 ms; it does not exist' })
  await maps.create({ metadata: { name: 'a' }, data: { k: '1' } })
  await assert.rejects(maps.until('a', never, 50), /ConfigMap a: condition not met within 50 ms; last seen as \{.*"data":\{"k":"1"\}/)
  await assert.rejects(maps.gone('a', 50), /last seen as .*"data":\{"k":"1"\}/)
  await maps.patch('a', { data: { k: 'x'.repeat(10_000) } })
  await assert.rejects(maps.until('a', never, 50), ({ message }: Error) => message.endsWith('…') && message.length < 5_000)
  let watching = () => {}
  const watched = new Promise<void>((resolve) => {
    watching = resolve
  })
  server.intercept(async (request, next) => {
    const response = await next(request)
    if (request.url.includes('watch=true')) watching()
    return response
  })
  const refused = assert.rejects(maps.until('a', never), /ConfigMap a: the watch ended before the condition was met; last seen as/)
  await watched
  await server.restore(server.snapshot())
  await refused
})

test('writes with unknown fields are refused, unless the query says otherwise', async (t) => {
  const server = await start(t)
  const typo = { metadata: { name: 'a' }, dta: { k: '1' } } as unknown as ConfigMap
  const maps = server.objects<ConfigMap>('v1', 'ConfigMap')
  const refused = { code: 400, reason: 'BadRequest', message: /unknown field "dta"/ }
  await assert.rejects(maps.create(typo), refused)
  assert.equal((await maps.create(typo, { fieldValidation: 'Ignore' })).data, undefined)
  await assert.rejects(maps.update(typo), refused)
  await assert.rejects(maps.patch('a', { dta: { k: '1' } }), /unknown field "dta"/)
  await assert.rejects(maps.apply(typo), /dta/)
  await assert.rejects(server.load([{ ...typo, apiVersion: 'v1', kind: 'ConfigMap' }]), /dta/)
})

test('users and snapshots are validated before anything happens', async (t) => {
  const server = await start(t)
  const wrong = (value: unknown) => value as never
  assert.throws(() => server.as(wrong('alice')), { name: 'OptionError', message: 'as: user: must be an object, not a string' })
  assert.throws(() => server.as(wrong({ groups: ['a'] })), { message: 'as: user.name: required' })
  assert.throws(() => server.as(wrong({ name: 'alice', group: ['a'] })), /as: user\.group: unknown option; did you mean groups\?/)
  assert.throws(() => server.as(wrong(undefined)), { message: 'as: user: required' })
  await assert.rejects(server.restore(wrong(undefined)), { message: 'restore: snapshot: required' })
  await assert.rejects(server.restore(wrong({ store: {}, ahead: 0, secrets: {} })), /restore: snapshot\.store\.base: required; /)
  assert.equal((await server.fetch('/readyz')).status, 200)
})

test('names are those of Kubernetes, unless the neutral platform is asked for', async (t) => {
  const kubernetes = await start(t)
  await kubernetes.load('{ apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: kube-system } }')
  const neutral = await start(t, { platform: 'platform' })
  assert.equal((await neutral.fetch('/api/v1/namespaces/kube-system')).status, 404)
  assert.equal((await neutral.fetch('/api/v1/namespaces/platform-system')).status, 200)
  const fork = await kubernetes.fork()
  t.after(() => fork.close())
  assert.equal((await fork.fetch('/api/v1/namespaces/kube-system/configmaps/a')).status, 200)
})

test('requests of every client can be made to fail', async (t) => {
  const server = await start(t)
  const maps = server.objects<ConfigMap>('v1', 'ConfigMap')
  const stop = server.intercept((request, next) =>
    request.method === 'POST' ? failure(503, 'ServiceUnavailable', 'not now') : next(request),
  )
  await assert.rejects(maps.create({ metadata: { name: 'a' } }), { code: 503, message: 'not now' })
  assert.equal((await server.as({ name: 'jane' })('/api/v1/configmaps')).status, 200)
  stop()
  await maps.create({ metadata: { name: 'a' } })
})

test('options are plain data', async (t) => {
  const server = await start(t, {
    platform: 'kubernetes',
    featureGates: { WatchList: false },
    runtimeConfig: { 'resource.k8s.io/v1beta1': true },
    tokens: [{ token: 'sesame', user: { name: 'ali', groups: ['baba'] } }],
    admissionPlugins: { enable: ['AlwaysPullImages'], disable: ['ServiceAccount'] },
    authorizationModes: ['RBAC'],
    authorizers: [{ name: 'mine', authorize: ({ user }) => ({ verdict: user.name === 'ali' ? 'allow' : 'no-opinion', reason: '' }) }],
  })
  const status = async (path: string, init?: RequestInit) => (await server.fetch(path, init)).status
  assert.equal(await status('/api/v1/namespaces/kube-system'), 200)
  assert.equal(await status('/apis/resource.k8s.io/v1beta1'), 200)
  assert.equal(await status('/api/v1/pods', { headers: { authorization: 'Bearer sesame' } }), 200)
  assert.equal(await status('/api/v1/pods', { headers: { authorization: 'Bearer simsim' } }), 401)
  const watch = '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  assert.equal(await status(watch), 422)
  const pods = server.objects<TestObject & { spec: { containers: { name: string; image: string; imagePullPolicy?: string }[] } }>(
    'v1',
    'Pod',
  )
  const pod = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } })
  assert.equal(pod.spec.containers[0]?.imagePullPolicy, 'Always')
  await assert.rejects(
    startTestServer({ featureGates: { Nonsense: true } }),
    /startTestServer: featureGates: unrecognized feature gate: Nonsense/,
  )
})

test('a snapshot saved to a file and loaded: objects, resource versions, expiring events, keys', async (t) => {
  const path = join(directory(t), 'world.json')
  const first = await start(t)
  const maps = first.objects<ConfigMap>('v1', 'ConfigMap')
  const kept = await maps.create({ metadata: { name: 'kept' }, data: { k: 'v' } })
  await first.objects('v1', 'Event').create({ metadata: { name: 'e' }, involvedObject: { namespace: 'default' } })
  await first.clock.advance(1800_000)
  await saveSnapshot(first.snapshot(), path)

  const second = await start(t, { from: await readSnapshot(path) })
  assert.deepEqual(await second.objects('v1', 'ConfigMap').get('kept'), kept)
  assert.equal((await second.fetch('/api/v1/namespaces/default/events/e')).status, 200)
  // One hour, and the minute during which writes share a lease.
  await second.clock.advance(1900_000)
  await second.objects('v1', 'Event').gone('e')
})

test('kubectl over a port with TLS', { skip: kubectls().length === 0 ? 'no kubectl on this machine' : false }, async (t) => {
  const server = await start(t, { authorizationModes: ['RBAC'] })
  const port = await server.listen({ tls: true })
  const kubeconfig = join(directory(t), 'kubeconfig')
  await port.writeKubeconfig(kubeconfig)
  await server.objects('v1', 'ConfigMap').create({ metadata: { name: 'seen' } })
  const { stdout, stderr } = await run(kubectls()[0]?.path ?? '', ['--kubeconfig', kubeconfig, 'get', 'configmaps', '-o', 'name'])
  assert.match(stdout, /configmap\/seen/, stderr)
})

test('over a port, each request counts as in flight until its response is sent', async (t) => {
  const server = await start(t, { maxReadOnlyInFlight: 1, tokens: [{ token: 'of-jane', user: { name: 'jane' } }] })
  const { url } = await server.listen()
  const get = async () => {
    const response = await fetch(`${url}/api/v1/namespaces`, { headers: { authorization: 'Bearer of-jane' } })
    await response.arrayBuffer()
    return response.status
  }
  assert.deepEqual([await get(), await get()], [200, 200])
  server.intercept(async (request, next) => {
    await next(request)
    return new Response('replaced')
  })
  assert.deepEqual([await get(), await get()], [200, 200])
})

test('kinds of a group that is not served: the error says so, and refused discovery too', async (t) => {
  const server = await start(t, { authorizationModes: ['RBAC'] })
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } }
  const message = 'no kind Widget: the server does not serve example.com/v1; load its CustomResourceDefinition first'
  await Promise.all([
    assert.rejects(server.objects('example.com/v1', 'Widget').list(), { message }),
    assert.rejects(server.load([widget]), { message }),
    assert.rejects(server.objects('v1', 'Widget').list(), { message: 'no kind Widget in v1' }),
  ])
  for (const code of [403, 503]) {
    const remove = server.intercept(() => failure(code, '', 'never'))
    await assert.rejects(server.objects('v1', 'Pod').list(), { name: 'ApiFailure', code, message: 'discovery of v1: never' })
    remove()
  }
})

test('waiting ends before the limit of test runners, five seconds, so that its message is seen', async (t) => {
  const server = await start(t)
  const never = () => false
  const ends = Promise.all([
    assert.rejects(server.objects('v1', 'ConfigMap').until('a', never), /ConfigMap a: condition not met within 4000 ms/),
    assert.rejects(server.objects('v1', 'Namespace').gone('default'), /Namespace default: condition not met within 4000 ms/),
    assert.rejects(eventually('it', never), { message: 'it: not within 4000 ms' }),
  ])
  await within('the ends', ends, 5_000)
})

test('a closed server refuses everything', async () => {
  const server = await startTestServer()
  const port = await server.listen()
  const maps = server.objects('v1', 'ConfigMap')
  const alice = server.as({ name: 'alice' })
  const { clock } = server
  const prepared = server.snapshot()
  await Promise.all([server.close(), server.close()])
  const closed = { message: 'the test server is closed' }
  const calls: { readonly [name: string]: () => unknown } = {
    fetch: () => server.fetch('/readyz'),
    'fetch as a user': () => alice('/readyz'),
    as: () => server.as({ name: 'bob' }),
    'objects, made before': () => maps.list(),
    objects: () => server.objects('v1', 'ConfigMap'),
    load: () => server.load('{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }'),
    kubeConfig: () => server.kubeConfig({} as never),
    listen: () => server.listen(),
    intercept: () => server.intercept((request, next) => next(request)),
    snapshot: () => server.snapshot(),
    restore: () => server.restore(prepared),
    fork: () => server.fork(),
    clock: () => server.clock,
    webhooks: () => server.webhooks({}),
    faults: () => server.faults,
    requests: () => server.requests,
  }
  const methods = Object.keys(server).filter((name) => name !== 'close')
  assert.deepEqual(
    methods.filter((name) => !(name in calls)),
    [],
    'all of them are tried',
  )
  for (const [name, call] of Object.entries(calls)) await assert.rejects(async () => call(), closed, name)
  await assert.rejects(fetch(`${port.url}/readyz`))
  await clock.advance(1)
  await (await startTestServer({ from: prepared })).close()
})

test('advance refuses what is no length of time', async (t) => {
  const { clock } = await start(t)
  for (const wrong of ['1h', -5, Number.NaN, Number.POSITIVE_INFINITY, 1e15, undefined, null, 5n])
    await assert.rejects(clock.advance(wrong as never), { name: 'OptionError', message: /^advance: milliseconds: / }, String(wrong))
  assert.equal(clock.ahead, 0)
  await clock.advance(0)
  await clock.advance(0.5)
  assert.equal(clock.ahead, 0.5)
})

test('fetch takes paths, URLs and requests', async (t) => {
  const { fetch } = await start(t)
  const path = '/api/v1/namespaces/default'
  for (const input of [
    path,
    `http://x${path}`,
    `https://apiserver.test:6443${path}`,
    new URL(`http://x${path}`),
    new Request(`http://x${path}`),
  ])
    assert.equal((await fetch(input)).status, 200, String(input))
  assert.equal((await fetch('//api/v1')).status, 404)
  await assert.rejects(fetch('api/v1'), { message: 'fetch: "api/v1" is neither a path, which starts with a slash, nor a URL' })
})

test('patches of every type', async (t) => {
  const server = await start(t)
  const services = server.objects('v1', 'Service')
  await services.create({ metadata: { name: 'a' }, spec: { type: 'LoadBalancer', ports: [{ port: 80, name: 'http' }] } } as object)
  const portsOf = ({ spec }: TestObject) => (spec as { ports: { port: number }[] }).ports.map(({ port }) => port)
  const added = { spec: { ports: [{ port: 81, name: 'more' }] } }
  assert.deepEqual(portsOf(await services.patch('a', added, { type: 'strategic' })).toSorted(), [80, 81])
  assert.deepEqual(portsOf(await services.patch('a', added)), [81])
  const operations = [{ op: 'replace', path: '/spec/ports/0/port', value: 82 }]
  assert.deepEqual(portsOf(await services.patch('a', operations)), [82])
  assert.deepEqual(portsOf(await services.patch('a', operations, { type: 'json', query: { dryRun: 'All' } })), [82])
  const status = { status: { loadBalancer: { ingress: [{ ip: '10.1.2.3', ipMode: 'VIP' }] } } }
  for (const options of ['status', { subresource: 'status' }])
    assert.deepEqual((await services.patch('a', status, options))['status'], status.status)
  await assert.rejects(services.patch('a', {}, { type: 'apply' } as never), { name: 'OptionError', message: /^patch: type: / })
  await assert.rejects(services.patch('a', { spce: {} }, { type: 'strategic' }), /unknown field "spce"/)
})
