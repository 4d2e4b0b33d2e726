/** Traces of requests, as a collector, a webhook and etcd receive them; and slow requests in the log. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { bundle, type Daemon, readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { startEtcdProxy } from '../support/etcd-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'

const memory = ['--data-dir=:memory:', '--controllers=', '--platform=kubernetes']
const collection = '/api/v1/namespaces/default/configmaps'
const callers = '2222222222222222'
/** A trace ID of the caller's: `1` is `11111…`. */
const traceOf = (digit: string) => digit.repeat(32)
const parent = (digit: string, flags = '01') => ({ traceparent: `00-${traceOf(digit)}-${callers}-${flags}` })

function directoryOf(t: TestContext): string {
  const { path, remove } = temporaryDirectory('tracing')
  t.after(remove)
  return path
}

/** Flags with a file of kind TracingConfiguration, and with tokens for a user without rights. */
function traced(directory: string, endpoint: string, rate?: number): string[] {
  const [file, tokens] = [join(directory, 'tracing.yaml'), join(directory, 'tokens.csv')]
  const sampling = rate === undefined ? '' : `samplingRatePerMillion: ${rate}\n`
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${endpoint}\n${sampling}`)
  writeFileSync(tokens, 'joes-token,joe,joe,"system:authenticated"\n')
  return [`--tracing-config-file=${file}`, `--token-auth-file=${tokens}`]
}

const send = async (
  daemon: Daemon,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: object,
  type = 'application/json',
) => {
  const response = await daemon.fetch(path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Names of spans below each other: `name > child`. */
const tree = (spans: readonly ReceivedSpan[]) =>
  spans.map(({ name, parent: id }) => `${spans.find((span) => span.id === id)?.name ?? ''} > ${name}`).sort()
const named = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.filter((span) => span.name === name)
  assert.equal(found.length, 1, `${found.length} spans ${name}`)
  return found[0]!
}
/** Nanoseconds: times of spans are whole milliseconds in part, and each span has a clock of its own. */
const inaccuracy = 5_000_000n
const hasRoot = (spans: readonly ReceivedSpan[]) => spans.some(({ kind }) => kind === 2)

/** Admission webhooks that keep the header of each call, and answer after some time. */
async function startWebhooks(t: TestContext, delay = 0) {
  const authority = issueAuthority('webhooks', newKey(), Date.now())
  const serving = issue(authority, { commonName: 'service', names: ['127.0.0.1'] }, Date.now())
  const headers = new Map<string, string | undefined>()
  const service = createServer({ cert: serving.certPem, key: serving.keyPem }, async (request, response) => {
    const { kind, apiVersion, request: review } = (await json(request)) as { kind: string; apiVersion: string; request: { uid: string } }
    headers.set(request.url?.split('?')[0] ?? '', request.headers['traceparent'] as string | undefined)
    await new Promise((resolve) => setTimeout(resolve, delay))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind, apiVersion, response: { uid: review.uid, allowed: true } }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => {
    service.close()
    service.closeAllConnections()
  })
  const configure = async (daemon: Daemon, kind: 'Mutating' | 'Validating') => {
    const { port } = service.address() as AddressInfo
    const caBundle = Buffer.from(authority.certPem).toString('base64')
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`
    const status = await send(daemon, path, {}, 'POST', {
      metadata: { name: 'recording' },
      webhooks: [
        {
          name: `${kind.toLowerCase()}.webhooks.test`,
          clientConfig: { url: `https://127.0.0.1:${port}/${kind}`, caBundle },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    assert.equal(status, 201)
  }
  return { headers, configure }
}

/** Parts of every request, by what they are parts of. */
const filtersOf = (root: string) =>
  ['authentication', 'authorization', 'constrainedimpersonation', 'priorityandfairness'].map((name) => `${root} > ${name}`)

test('requests of privileged callers with a traceparent, down to webhooks', async (t) => {
  using collector = await startOtlpReceiver()
  const daemon = await startDaemon({ flags: [...memory, ...traced(directoryOf(t), collector.endpoint)] })
  t.after(() => daemon.stop())
  const { headers, configure } = await startWebhooks(t)
  await configure(daemon, 'Mutating')
  await configure(daemon, 'Validating')
  const create = { ...parent('1'), 'audit-id': 'the-create', 'user-agent': 'tester' }
  assert.equal(await send(daemon, `${collection}?fieldManager=me&secret=hidden`, create, 'POST', { metadata: { name: 'a' } }), 201)
  assert.equal(await send(daemon, `${collection}/a`, parent('2')), 200)
  assert.equal(await send(daemon, '/api/v1/configmaps?limit=2', parent('3')), 200)
  assert.equal(await send(daemon, `${collection}/a`, parent('4'), 'PATCH', { data: { a: 'b' } }, 'application/merge-patch+json'), 200)
  assert.equal(await send(daemon, `${collection}/a`, parent('5'), 'DELETE'), 200)
  assert.equal(await send(daemon, '/version', parent('6')), 200)
  assert.equal(await send(daemon, `${collection}/none`, parent('7')), 404)
  assert.equal(await send(daemon, `${collection}/none`, parent('8', '00')), 404)
  assert.equal(await send(daemon, `${collection}/none`, { traceparent: `00-${traceOf('0')}-${callers}-01` }), 404)
  assert.equal(await send(daemon, `${collection}/none`, {}), 404)
  await daemon.stop()

  const spansOf = (digit: string) => collector.trace(traceOf(digit), hasRoot)
  const created = await spansOf('1')
  const root = 'POST /api/v1/namespaces/{:namespace}/configmaps'
  assert.deepEqual(
    tree(created),
    [
      ` > ${root}`,
      ...filtersOf(root),
      `${root} > Create`,
      ...['Call mutating webhook', 'Call validating webhook', 'Create etcd3', 'SerializeObject'].map((name) => `Create > ${name}`),
    ].sort(),
  )
  const top = named(created, root)
  assert.equal(top.parent, callers)
  assert.deepEqual([top.kind, top.status.code], [2, 0])
  const {
    'network.peer.port': port,
    'http.response.body.size': size,
    'service.instance.id': _id,
    ...attributes
  } = { ...top.attributes, ...top.resource }
  assert.ok(Number(port) > 0 && Number(size) > 100)
  assert.deepEqual(attributes, {
    'service.name': 'apiserver',
    'server.address': '127.0.0.1',
    'server.port': daemon.port,
    'http.request.method': 'POST',
    'url.scheme': 'https',
    'network.peer.address': '127.0.0.1',
    'user_agent.original': 'tester',
    'client.address': '127.0.0.1',
    'url.path': collection,
    'network.protocol.version': '1.1',
    'http.target': `${collection}?fieldManager=me&secret=REDACTED`,
    'audit-id': 'the-create',
    'http.request.body.size': 25,
    'http.response.status_code': 201,
  })
  const verb = named(created, 'Create')
  assert.deepEqual(
    verb.events.map(({ name }) => name),
    [
      'limitedReadBody succeeded',
      'About to convert to expected version',
      'Conversion done',
      'About to store object in database',
      'Write to database call succeeded',
      'About to write a response',
    ],
  )
  assert.deepEqual([verb.attributes['resource'], verb.attributes['verb'], verb.attributes['scope']], ['configmaps', 'POST', 'resource'])
  assert.equal(named(created, 'Create etcd3').attributes['key'], '/configmaps/default/a')
  for (const [path, name] of [['/Mutating', 'Call mutating webhook'] as const, ['/Validating', 'Call validating webhook'] as const]) {
    const call = named(created, name)
    assert.equal(headers.get(path), `00-${traceOf('1')}-${call.id}-01`, 'the webhook gets the span of its call')
    assert.equal(call.attributes['configuration'], 'recording')
  }
  for (const span of created) {
    const outer = created.find(({ id }) => id === span.parent)
    assert.ok(span.start <= span.end)
    if (outer)
      assert.ok(span.start >= outer.start - inaccuracy && span.end <= outer.end + inaccuracy, `${span.name} is within ${outer.name}`)
  }

  const of = async (digit: string) => tree(await spansOf(digit)).filter((line) => !filtersOf('').some((part) => line.endsWith(part)))
  const object = '/api/v1/namespaces/{:namespace}/configmaps/{:name}'
  const whole = (line: string, verbName: string, ...parts: string[]) =>
    [` > ${line}`, `${line} > ${verbName}`, ...parts.map((part) => `${verbName} > ${part}`)].sort()
  assert.deepEqual(await of('2'), whole(`GET ${object}`, 'Get', 'SerializeObject', 'cacher.Get'))
  assert.deepEqual(await of('3'), whole('GET /api/v1/configmaps', 'List', 'SerializeObject', 'cacher.GetList'))
  assert.deepEqual(await of('4'), whole(`PATCH ${object}`, 'Patch', 'GuaranteedUpdate etcd3', 'SerializeObject'))
  assert.ok((await of('5')).includes(`DELETE ${object} > Delete`))
  assert.deepEqual(await of('6'), [' > GET'])
  assert.equal(named(await spansOf('7'), `GET ${object}`).attributes['http.response.status_code'], 404)
  const traces = new Set(collector.spans.map(({ traceId }) => traceId))
  assert.deepEqual([...traces].sort(), ['1', '2', '3', '4', '5', '6', '7'].map(traceOf), 'the others were not to be sampled')
})

test('other callers decide nothing; a rate samples new traces', async (t) => {
  using collector = await startOtlpReceiver()
  const daemon = await startDaemon({ flags: [...memory, ...traced(directoryOf(t), collector.endpoint, 1_000_000)] })
  t.after(() => daemon.stop())
  const client = tlsFetch(daemon.url, { ca: readCredentials(daemon.kubeconfig).ca })
  t.after(() => client.close())
  const ask = async (headers: Record<string, string>) => {
    const response = await client.fetch(collection, { headers })
    await response.arrayBuffer()
    return response.status
  }
  assert.equal(await ask({ ...parent('1'), authorization: 'Bearer joes-token', 'audit-id': 'joe' }), 403)
  assert.equal(await ask({ ...parent('2', '00'), 'audit-id': 'anonymous' }), 403)
  assert.equal(await send(daemon, collection, { ...parent('3', '00') }), 200)
  await daemon.stop()
  const roots = collector.spans.filter(({ kind }) => kind === 2)
  for (const [id, digit] of [['joe', '1'] as const, ['anonymous', '2'] as const]) {
    const [root] = roots.filter(({ attributes }) => attributes['audit-id'] === id)
    assert.ok(root && root.parent === '' && root.traceId !== traceOf(digit))
    assert.deepEqual(root.links, [{ traceId: traceOf(digit), id: callers }])
    assert.equal(root.attributes['http.response.status_code'], 403)
  }
  for (const digit of ['1', '2', '3']) assert.ok(!collector.spans.some(({ traceId }) => traceId === traceOf(digit)), digit)
})

test('a rate between none and all samples a part of the traces', async (t) => {
  using collector = await startOtlpReceiver()
  const daemon = await startDaemon({ flags: [...memory, ...traced(directoryOf(t), collector.endpoint, 300_000)] })
  t.after(() => daemon.stop())
  const count = 200
  for (let number = 0; number < count; number++) await send(daemon, `${collection}/none`, { 'audit-id': `part-${number}` })
  await daemon.stop()
  const roots = collector.spans.filter(({ kind, attributes }) => kind === 2 && String(attributes['audit-id']).startsWith('part-'))
  // Five standard deviations from 60.
  assert.ok(roots.length > 27 && roots.length < 93, `${roots.length} of ${count}`)
})

test('etcd gets the header of the span of its call', async (t) => {
  const etcd = await startEtcd()
  t.after(() => etcd.stop())
  const proxy = await startEtcdProxy(etcd.servers[0]!.replace('http://', ''))
  t.after(() => proxy.close())
  using collector = await startOtlpReceiver()
  const flags = ['--controllers=', '--platform=kubernetes', `--kvstore-servers=${proxy.url}`]
  const daemon = await startDaemon({ flags: [...flags, ...traced(directoryOf(t), collector.endpoint)] })
  t.after(() => daemon.stop())
  assert.equal(await send(daemon, collection, parent('1'), 'POST', { metadata: { name: 'a' } }), 201)
  await daemon.stop()
  const spans = await collector.trace(traceOf('1'), hasRoot)
  const call = named(spans, 'etcdserverpb.KV/Txn')
  assert.deepEqual([call.kind, spans.find(({ id }) => id === call.parent)?.name], [3, 'Create etcd3'])
  const told = proxy.calls.filter(({ traceparent }) => traceparent !== undefined)
  assert.ok(told.some(({ method, traceparent }) => method === 'KV/Txn' && traceparent === `00-${traceOf('1')}-${call.id}-01`))
  assert.ok(told.every(({ traceparent }) => traceparent?.includes(traceOf('1')) || traceparent?.endsWith('-00')))
  assert.ok(proxy.calls.length > told.length, 'calls that no request waits for have no header')
})

test('a collector that is away costs no request anything; it gets what comes later', async (t) => {
  const port = await freePort()
  const daemon = await startDaemon({ flags: [...memory, ...traced(directoryOf(t), `127.0.0.1:${port}`)] })
  t.after(() => daemon.stop())
  for (let count = 0; count < 600; count++) await send(daemon, `${collection}/none`, parent('1'))
  using collector: OtlpReceiver = await startOtlpReceiver(port)
  await eventually('the collector is found', async () => {
    // As long as the queue is full, new spans are dropped.
    await send(daemon, `${collection}/none`, parent('2'))
    return collector.spans.some(({ traceId }) => traceId === traceOf('2'))
  })
  const late = collector.spans.filter(({ traceId }) => traceId === traceOf('1'))
  assert.ok(late.length > 0 && late.length <= 2048 + 2 * 512, `the queue is bounded: ${late.length}`)
})

test('OpenTelemetry is loaded only for a tracing file, and its errors name file and field', async (t) => {
  const directory = directoryOf(t)
  const hook = join(directory, 'hook.cjs')
  writeFileSync(
    hook,
    `const { Module } = require('node:module'); const load = Module._load
     Module._load = function (name, ...rest) { if (/opentelemetry/.test(name)) console.error('LOADED ' + name); return load.call(this, name, ...rest) }`,
  )
  const command = [process.execPath, '--require', hook, bundle] as const
  using collector = await startOtlpReceiver()
  for (const [flags, loads] of [[[], false] as const, [traced(directory, collector.endpoint), true] as const]) {
    const daemon = await startDaemon({ command, flags: [...memory, ...flags] })
    await daemon.stop()
    assert.equal(daemon.log().includes('LOADED @opentelemetry'), loads)
  }
  const bad = traced(directory, collector.endpoint, 1_000_001)
  const { code, stderr } = await runProgram(bad)
  assert.equal(code, 1)
  assert.match(stderr, /^error: --tracing-config-file: .*tracing\.yaml: samplingRatePerMillion: Invalid value: 1000001: /)
  const port = await runProgram(traced(directory, 'localhost:99999'))
  assert.match(port.stderr, /^error: --tracing-config-file: .*tracing\.yaml: endpoint: Invalid value: "localhost:99999": must be HOST:PORT/)
})

test('slow requests are logged with their steps from verbosity 2 on', async (t) => {
  for (const [verbosity, isLogged] of [['1', false] as const, ['2', true] as const]) {
    const daemon = await startDaemon({ flags: [...memory, `--v=${verbosity}`] })
    t.after(() => daemon.stop())
    const { configure } = await startWebhooks(t, 600)
    await configure(daemon, 'Validating')
    await send(daemon, `${collection}?secret=hidden`, { 'user-agent': 'tester', 'audit-id': 'slow' }, 'POST', { metadata: { name: 'a' } })
    await send(daemon, `${collection}/a`, { 'audit-id': 'fast' })
    await daemon.stop()
    const log = daemon.log()
    assert.ok(!log.includes('audit-id:fast') && !log.includes('hidden'))
    const [, number, body] = /I\d{4} .* [\w-]+\.ts:\d+\] Trace\[(\d+)\]: "Create" ([\s\S]*?) END\n/.exec(log) ?? []
    assert.equal(number !== undefined, isLogged)
    if (body === undefined) continue
    const time = String.raw`\d\d:\d\d:\d\d\.\d{3}`
    assert.match(
      body,
      new RegExp(
        [
          String.raw`^accept:,audit-id:slow,client:127\.0\.0\.1,api-group:,api-version:v1,name:,subresource:,namespace:default,protocol:HTTP/1\.1,resource:configmaps,scope:resource,url:${collection},user-agent:tester,verb:POST \(\d\d-\w{3}-\d{4} ${time}\) \(total time: \d+ms\):`,
          String.raw`Trace\[${number}\]: \["Call validating webhook" configuration:recording,webhook:validating\.webhooks\.test,resource:/v1, Resource=configmaps,subresource:,operation:CREATE \d+ms \(${time}\)`,
          String.raw`Trace\[${number}\]:  ---"Request completed" \d+ms \(${time}\)\]`,
          String.raw`Trace\[${number}\]: \[[\d.]+ms\] \[[\d.]+ms\]$`,
        ].join('\n'),
      ),
    )
  }
})
