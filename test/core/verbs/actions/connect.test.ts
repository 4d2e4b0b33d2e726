import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, assertFailure } from '../../../support/api.ts'
import { pod, pods, type Running, start } from './server.ts'

let running: Running
let api: Api
before(async () => {
  running = await start()
  api = running.api
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
  assertFailure(await api.get(`${pods}/lost/log`), 404, 'NotFound', 'nodes "nowhere" not found')
  assertFailure(await api.get(`${pods}/silent/log`), 500, 'InternalError', 'no preferred addresses found; known addresses: []')
  assertFailure(await api.get(`${pods}/near/log`), 503, 'ServiceUnavailable', /^error dialing backend: /)
  assertFailure(await api.send('POST', `${pods}/pair/exec?container=b`), 503, 'ServiceUnavailable', /^error dialing backend: /)
})

test('validates log options', async () => {
  const both = await api.get(`${pods}/near/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z`)
  assertFailure(both, 422, 'Invalid', /at most one of `sinceTime` or `sinceSeconds` may be specified/)
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
  assertFailure(await api.get('/api/v1/nodes/near:10250/proxy/healthz'), 503, 'ServiceUnavailable', /^error dialing backend: /)
  assertFailure(await api.get('/api/v1/nodes/a:b:c:d/proxy'), 400, 'BadRequest', 'invalid node request "a:b:c:d"')
})
