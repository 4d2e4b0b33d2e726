/** Which events a request has, when, and what happens when they can't be stored. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Connection } from '../../../core/ports.ts'
import type { ApiServer, ServerOptions } from '../../../core/server.ts'
import { startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'

const policyOf = (...rules: object[]) => ({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules })
const configMaps = '/api/v1/namespaces/default/configmaps'
const object = (name: string) => JSON.stringify({ metadata: { name }, data: { a: 'b' } })

interface Line {
  readonly stage: string
  readonly auditID: string
  readonly level: string
  readonly requestObject?: object
  readonly responseObject?: { readonly kind: string; readonly metadata?: object; readonly items?: unknown[] }
  readonly responseStatus?: object
  readonly objectRef?: object
  readonly annotations?: object
}

const running: ApiServer[] = []
/** A timer of the server does not keep the process alive. */
const alive = setInterval(() => {}, 1_000)
after(async () => {
  clearInterval(alive)
  for (const server of running) await server.close()
})

/** A server whose log is `write`, by default the returned list. */
async function serve(auditPolicy: object, more: ServerOptions = {}, write?: (lines: Uint8Array) => Promise<void>) {
  const lines: Line[] = []
  const audit = async (bytes: Uint8Array) => {
    for (const line of new TextDecoder().decode(bytes).split('\n').slice(0, -1)) lines.push(JSON.parse(line))
  }
  const options: ServerOptions = { platform: 'kubernetes', controllers: [], auditPolicy, ...more }
  const { server } = await startInProcess({ ...options, telemetry: { logger: silentLogger, audit: write ?? audit } })
  running.push(server)
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}, connection?: Connection) => {
    const id = `${method} ${path} ${Math.floor(performance.now() * 1000)}`.replaceAll(' ', '-')
    const request = new Request(`http://test${path}`, {
      method,
      headers: { 'audit-id': id, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    })
    const response = await server.fetch(request, connection)
    return { response, id, lines: () => lines.filter(({ auditID }) => auditID === id) }
  }
  return { server, send, lines, metrics: more.metrics }
}

test('the response waits for its events, which are received, and complete', async () => {
  const { send } = await serve(policyOf({ level: 'Metadata' }))
  const { lines, response, id } = await send('POST', configMaps, object('a'))
  assert.equal(response.headers.get('audit-id'), id)
  assert.deepEqual(
    lines().map(({ stage, level, requestObject, responseObject }) => [stage, level, requestObject, responseObject]),
    ['RequestReceived', 'ResponseComplete'].map((stage) => [stage, 'Metadata', undefined, undefined]),
  )
  assert.deepEqual(lines()[1]?.responseStatus, { metadata: {}, code: 201 })
})

test('an Audit-ID is made when the client sends none, or an empty one', async () => {
  const { send, lines } = await serve(policyOf({ level: 'Metadata' }))
  for (const headers of [{ 'audit-id': '' }]) {
    const { response } = await send('GET', configMaps, undefined, headers)
    const id = response.headers.get('audit-id') ?? ''
    assert.match(id, /^[\da-f-]{36}$/)
    assert.equal(lines.filter(({ auditID }) => auditID === id).length, 2)
  }
})

test('each level records more; stages and managed fields are omitted', async () => {
  const { send } = await serve(
    policyOf(
      { level: 'None', verbs: ['list'] },
      { level: 'Request', verbs: ['create'], omitStages: ['RequestReceived'] },
      { level: 'RequestResponse', omitManagedFields: true, omitStages: ['RequestReceived'] },
    ),
  )
  assert.deepEqual((await send('GET', configMaps)).lines(), [])
  const [created, ...others] = (await send('POST', configMaps, object('b'))).lines()
  assert.deepEqual(
    [created?.stage, created?.requestObject, created?.responseObject, others.length],
    ['ResponseComplete', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'b' }, data: { a: 'b' } }, undefined, 0],
  )
  const [read] = (await send('GET', `${configMaps}/b`)).lines()
  assert.deepEqual(Object.keys(read?.responseObject?.metadata ?? {}), ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'])
})

test('a watch has an event when it starts, and one when it has ended', async () => {
  const { send } = await serve(policyOf({ level: 'RequestResponse' }))
  const { lines, response } = await send('GET', `${configMaps}?watch=true`)
  const stages = () => lines().map(({ stage }) => stage)
  assert.deepEqual(stages(), ['RequestReceived', 'ResponseStarted'])
  await response.body?.cancel()
  assert.deepEqual(stages(), ['RequestReceived', 'ResponseStarted', 'ResponseComplete'])
})

test('a watch over a connection is complete when the listener says so', async () => {
  const { send } = await serve(policyOf({ level: 'Metadata' }))
  const ended: (() => void)[] = []
  const connection: Connection = {
    remoteAddress: '10.0.0.1',
    remotePort: 1,
    protocol: 'h2',
    whenSent(_response, callback) {
      ended.push(callback)
    },
  }
  const { lines, response } = await send('GET', `${configMaps}?watch=true`, undefined, {}, connection)
  assert.equal(lines().length, 2)
  for (const callback of ended) callback()
  assert.equal(lines()[2]?.stage, 'ResponseComplete')
  await response.body?.cancel()
})

test('a handler that fails has the stage Panic', async () => {
  const { send } = await serve(policyOf({ level: 'RequestResponse' }), {
    delegates: new Map([
      [
        'broken.example.com/v1',
        () => {
          throw new Error('defect')
        },
      ],
    ]),
  })
  const { lines, response } = await send('GET', '/apis/broken.example.com/v1/things')
  assert.equal(response.status, 500)
  const [, panic, ...others] = lines()
  assert.deepEqual(
    [panic?.stage, panic?.responseStatus, panic?.responseObject, others],
    ['Panic', { metadata: {}, status: 'Failure', message: "APIServer panic'd: defect", reason: 'InternalError', code: 500 }, undefined, []],
  )
})

test('the answer at the deadline is the one that is recorded', async () => {
  const { send } = await serve(policyOf({ level: 'Metadata' }), {
    requestTimeout: 20,
    delegates: new Map([['slow.example.com/v1', () => new Promise<Response>(() => {})]]),
  })
  const { lines, response } = await send('GET', '/apis/slow.example.com/v1/things')
  assert.equal(response.status, 504)
  assert.deepEqual(
    lines().map(({ stage }) => stage),
    ['RequestReceived', 'ResponseComplete'],
  )
})

const failing = async () => {
  throw new Error('disk full')
}

test('blocking-strict: a request fails, before anything is done, when its first event can not be stored', async () => {
  const { server, send } = await serve(
    policyOf({ level: 'None', verbs: ['get'] }, { level: 'Metadata' }),
    { auditLogMode: 'blocking-strict' },
    failing,
  )
  const { response } = await send('POST', configMaps, object('c'))
  assert.equal(response.status, 500)
  assert.equal(await response.text(), `Internal Server Error: "${configMaps}": failed to store audit event\n`)
  assert.equal((await server.fetch(new Request(`http://test${configMaps}/c`))).status, 404)
  const metrics = await (await server.fetch(new Request('http://test/metrics'))).text()
  const sample = (name: string) => metrics.split('\n').find((line) => line.startsWith(name))
  assert.equal(sample('apiserver_audit_requests_rejected_total'), 'apiserver_audit_requests_rejected_total 1')
  assert.equal(sample('apiserver_audit_error_total{'), 'apiserver_audit_error_total{plugin="log"} 1')
  assert.equal(sample('apiserver_audit_level_total{level="Metadata"}'), 'apiserver_audit_level_total{level="Metadata"} 1')
  assert.equal(sample('apiserver_audit_event_total'), 'apiserver_audit_event_total 1')
})

test('blocking: a request is answered though its events are lost', async () => {
  const { send } = await serve(policyOf({ level: 'Metadata' }), {}, failing)
  assert.equal((await send('GET', configMaps)).response.status, 200)
})

test('batch: a request waits for nothing; closing the server stores what is left', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let written = 0
  const { server, send } = await serve(policyOf({ level: 'Metadata' }), { auditLogMode: 'batch' }, async (lines) => {
    await held
    written += new TextDecoder().decode(lines).split('\n').length - 1
  })
  await send('GET', configMaps)
  assert.equal(written, 0)
  const closed = server.close()
  release()
  await closed
  assert.equal(written, 2)
})

test('no policy, no filter: nothing observes the requests', async () => {
  const { lines, send } = await serve(policyOf({ level: 'None' }))
  await send('GET', configMaps)
  assert.deepEqual(lines, [])
})
