import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import type { Outbound, OutboundOptions } from '../../../../core/ports.ts'
import { type Api, assertFailure } from '../../../support/api.ts'
import { apiOn, type InProcess, startInProcess } from '../../../support/in-process.ts'
import { longestPause } from '../../../support/pauses.ts'
import { pod, pods } from './objects.ts'

/** The last call that was made; nothing answers. */
let called = ''
const names: { readonly [host: string]: readonly string[] } = {
  'named.example': ['192.0.2.9'],
  'inside.example': ['192.0.2.9', '127.0.0.1'],
}
const refused = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
const call = ({ url }: Request, options?: OutboundOptions) => {
  const { protocol, host } = new URL(url)
  called = `${protocol}//${options?.address ?? host}${options?.target}`
  return refused()
}
const outbound: Outbound = {
  fetch: call,
  upgrade: call,
  resolve: (host) => (names[host] ? Promise.resolve(names[host]) : Promise.reject(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }))),
  call: refused,
}

let running: InProcess
let api: Api
before(async () => {
  const upgrade = () => new Response()
  running = await startInProcess({ outbound })
  api = apiOn(running.server, { remoteAddress: '', remotePort: 0, protocol: 'in-process', upgrade })
  await api.create(pods, pod('waiting'))
  await api.create(pods, pod('lost', { nodeName: 'nowhere' }))
  await api.create('/api/v1/nodes', { metadata: { name: 'mute' } })
  await api.create(pods, pod('silent', { nodeName: 'mute' }))
  await api.create('/api/v1/nodes', { metadata: { name: 'near' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } })
  await api.create(pods, pod('near', { nodeName: 'near' }))
  const containers = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ]
  await api.create(pods, pod('pair', { containers, nodeName: 'near' }))
})
after(() => running.close())

/** The address that a request is forwarded to. */
async function addressOf(path: string, headers: HeadersInit = {}): Promise<string> {
  called = ''
  const { status, body } = await api.get<{ message: string }>(path, headers)
  assert.match(body.message, /connect: connection refused$/)
  assert.equal(status, path.includes('/proxy') ? 503 : 500)
  return called
}
const switching = { connection: 'Upgrade', upgrade: 'SPDY/3.1' }

test('no logs of a pod without a node', async () => {
  const { status, body } = await api.get(`${pods}/waiting/log`)
  assert.deepEqual([status, body], [204, ''])
})

test('no exec, attach or port-forward in a pod without a node', async () => {
  const expected = 'pod waiting does not have a host assigned'
  for (const path of ['exec?command=ls', 'attach', 'portforward']) {
    assertFailure(await api.send('POST', `${pods}/waiting/${path}`), 400, 'BadRequest', expected)
    assertFailure(await api.get(`${pods}/waiting/${path}`), 400, 'BadRequest', expected)
  }
})

test('the container must exist', async () => {
  for (const path of ['log', 'exec', 'attach']) {
    const none = await api.get(`${pods}/pair/${path}`)
    assertFailure(none, 400, 'BadRequest', 'a container name must be specified for pod pair, choose one of: [a b]')
    assertFailure(await api.get(`${pods}/pair/${path}?container=c`), 400, 'BadRequest', 'container c is not valid for pod pair')
  }
})

test('the node must exist, have an address and be reachable', async () => {
  assertFailure(await api.get(`${pods}/lost/log`), 404, 'NotFound', 'pods "nowhere" not found')
  const unreachable = 'dial tcp 192.0.2.1:10250: connect: connection refused'
  const expected = [
    [`${pods}/silent/log`, {}, 'no preferred addresses found; known addresses: []'],
    [`${pods}/near/log`, {}, `Get "https://192.0.2.1:10250/containerLogs/default/near/main": ${unreachable}`],
    [`${pods}/pair/exec?container=b`, switching, `error dialing backend: ${unreachable}`],
  ] as const
  for (const [path, headers, message] of expected) {
    const { status, body } = await api.get<Status>(path, headers)
    assert.deepEqual([status, body.reason, body.message], [500, undefined, message])
  }
  assertFailure(await api.send('POST', `${pods}/pair/exec?container=b`), 400, 'BadRequest', 'Upgrade request required')
})

test('requests for a pod go to the agent of its node, at its path, with the options in its words', async () => {
  await api.create('/api/v1/nodes', {
    metadata: { name: 'named' },
    status: {
      addresses: [
        { type: 'InternalIP', address: '2001:db8::1' },
        { type: 'Hostname', address: 'named.example' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10255 } },
    },
  })
  await api.create(pods, pod('far', { nodeName: 'named' }))
  const near = 'https://192.0.2.1:10250'
  const far = 'https://named.example:10255'
  const expected: readonly (readonly [path: string, url: string])[] = [
    ['near/log', `${near}/containerLogs/default/near/main`],
    ['near/log?tailLines=5&follow=true&pretty=true', `${near}/containerLogs/default/near/main?follow=true&tailLines=5`],
    ['far/exec?command=ls&command=-l&stdin=1&tty=true&stdout=false', `${far}/exec/default/far/main?command=ls&command=-l&input=1&tty=1`],
    ['pair/attach?container=b&stdout=1&stderr=1', `${near}/attach/default/pair/b?error=1&output=1`],
    ['near/portforward?ports=80&ports=443', `${near}/portForward/default/near?port=80%2C443`],
  ]
  for (const [path, url] of expected) assert.equal(await addressOf(`${pods}/${path}`, path.includes('/log') ? {} : switching), url, path)
})

test('requests for a node go to its agent or to another of its ports', async () => {
  const node = (name: string) => addressOf(`/api/v1/nodes/${name}`)
  assert.equal(await node('near/proxy/healthz?verbose=1'), 'https://192.0.2.1:10250/healthz?verbose=1')
  assert.equal(await node('near:10250/proxy/'), 'https://192.0.2.1:10250/')
  assert.equal(await node('near:8080/proxy/a%2Fb%25%3F%20c'), 'http://192.0.2.1:8080/a/b%25%3F%20c')
  assert.equal(await node('https:near:8443/proxy/a'), 'https://192.0.2.1:8443/a')
})

test('requests for a node go to the address that was checked, never to a name with an inner one', async () => {
  const named = (name: string, address: string) =>
    api.create('/api/v1/nodes', { metadata: { name }, status: { addresses: [{ type: 'Hostname', address }] } })
  await named('outside', 'named.example')
  await named('inside', 'inside.example')
  await named('unknown', 'unknown.example')
  await named('local', '169.254.169.254')
  assert.equal(await addressOf('/api/v1/nodes/outside/proxy/x'), 'https://192.0.2.9:10250/x')
  assertFailure(await api.get('/api/v1/nodes/inside/proxy/x'), 400, 'BadRequest', 'address not allowed')
  assertFailure(await api.get('/api/v1/nodes/local:80/proxy/x'), 400, 'BadRequest', 'address not allowed')
  assertFailure(await api.get('/api/v1/nodes/unknown/proxy/x'), 400, 'BadRequest', 'lookup unknown.example: no such host')
})

test('requests for a pod or a service go to the IP of a pod, never to other addresses', async () => {
  const namespace = '/api/v1/namespaces/default'
  const containers = [{ name: 'main', image: 'i', ports: [{ containerPort: 8080 }] }]
  await api.create(pods, pod('backend', { containers, nodeName: 'near' }))
  const withIp = (podIP: string) => api.patch(`${pods}/backend/status`, { status: { podIP, podIPs: [{ ip: podIP }] } })
  await api.create(`${namespace}/services`, { metadata: { name: 'app' }, spec: { ports: [{ name: 'http', port: 80 }] } })
  const address = { ip: '198.51.100.7', targetRef: { kind: 'Pod', namespace: 'default', name: 'backend' } }
  const subset = (each: object) => ({ addresses: [each], ports: [{ name: 'http', port: 8080 }] })
  const endpoints = (each: object) => api.patch(`${namespace}/endpoints/app`, { subsets: [subset(each)] })
  await api.create(`${namespace}/endpoints`, { metadata: { name: 'app' }, subsets: [subset(address)] })

  await withIp('198.51.100.7')
  assert.equal(await addressOf(`${pods}/backend/proxy/x?y=z`), 'http://198.51.100.7:8080/x?y=z')
  assert.equal(await addressOf(`${pods}/https:backend:9443/proxy/`), 'https://198.51.100.7:9443/')
  for (const name of ['app:http', 'app:80', 'http:app:80']) {
    assert.equal(await addressOf(`${namespace}/services/${name}/proxy/x`), 'http://198.51.100.7:8080/x', name)
  }
  const none = /^no endpoints available for service "app:http"$/
  for (const other of [
    { ip: '198.51.100.7' },
    { ...address, ip: '198.51.100.8' },
    { ...address, targetRef: { ...address.targetRef, name: 'gone' } },
  ]) {
    await endpoints(other)
    assertFailure(await api.get(`${namespace}/services/app:http/proxy/`), 503, 'ServiceUnavailable', none)
  }
  for (const ip of ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1', '0.0.0.0', '224.0.0.1', '::ffff:127.0.0.1']) {
    await withIp(ip)
    assertFailure(await api.get(`${pods}/backend/proxy/`), 400, 'BadRequest', 'address not allowed')
  }
})

test('validates log options', async () => {
  const both = await api.get(`${pods}/near/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z`)
  assertFailure(both, 422, 'Invalid', /invalid: \[\]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified/)
  assertFailure(await api.get(`${pods}/near/log?tailLines=-1`), 422, 'Invalid', /tailLines: Invalid value: -1/)
})

test('proxies find their pod, service or node, with any path', async () => {
  const services = '/api/v1/namespaces/default/services'
  await api.create(services, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }], selector: { app: 'web' } } })
  assertFailure(await api.get(`${pods}/near:8080/proxy/a/b`), 400, 'BadRequest', 'address not allowed')
  assertFailure(await api.get(`${pods}/nobody/proxy`), 404, 'NotFound')
  assertFailure(await api.get(`${services}/web:81/proxy/`), 503, 'ServiceUnavailable', 'no service port 81 found for service "web"')
  await api.create('/api/v1/namespaces/default/endpoints', { metadata: { name: 'web' } })
  assertFailure(await api.get(`${services}/web:80/proxy/`), 503, 'ServiceUnavailable', 'no endpoints available for service "web"')
  assertFailure(await api.get('/api/v1/nodes/nowhere/proxy/healthz'), 404, 'NotFound', 'nodes "nowhere" not found')
  assertFailure(
    await api.get('/api/v1/nodes/near:10250/proxy/healthz'),
    503,
    'ServiceUnavailable',
    /^error trying to reach service: dial tcp /,
  )
  assertFailure(await api.get('/api/v1/nodes/a:b:c:d/proxy'), 400, 'BadRequest', 'invalid node request "a:b:c:d"')
})

test('as many ports and words of a command as a request may name are passed on, or refused, in time', async () => {
  const many = 80_000
  const each = (name: string, value: string) => Array<string>(many).fill(`${name}=${value}`).join('&')
  const ask = async () => {
    await api.get(`${pods}/near/portforward?${each('ports', '65535')}`, switching)
    assert.equal(new URL(called).searchParams.get('port')?.split(',').length, many)
    await api.get(`${pods}/near/exec?${each('command', 'ls')}`, switching)
    assert.equal(new URL(called).searchParams.getAll('command').length, many)
    const { status, body } = await api.get<Status>(`${pods}/near/portforward?${each('ports', '80')}&ports=x`, switching)
    assert.equal(status, 400)
    const { message = '' } = body
    assert.ok(message.length < 1_000, message.slice(0, 300))
  }
  // The least counts: collections of garbage and other processes disturb single looks.
  let pause = Number.POSITIVE_INFINITY
  for (let look = 0; look < 4 && pause >= 250; look++) pause = Math.min(pause, await longestPause(ask))
  assert.ok(pause < 250, `the thread was held for ${Math.round(pause)} ms`)
})
