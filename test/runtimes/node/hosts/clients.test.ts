/** Clients of servers below a path: @kubernetes/client-node, and watches over WebSockets; and the interface's document and tools. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node'
import { within } from '../../../support/wait.ts'
import { watchMessages } from '../../../support/watch-messages.ts'
import { hosts, type TestHosts } from './support.ts'

const list = '/hosts/v1/servers'
const configMaps = '/api/v1/namespaces/default/configmaps'

let here: TestHosts
before(async () => {
  here = await hosts()
  await here.ask('POST', list, { name: 'one' })
})
after(() => here.close())

test('@kubernetes/client-node', async () => {
  const { path } = await here.kubeconfig('one')
  const config = new KubeConfig()
  config.loadFromFile(path)
  const core = config.makeApiClient(CoreV1Api)
  await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'node' }, data: { a: 'b' } } })
  assert.deepEqual((await core.readNamespacedConfigMap({ namespace: 'default', name: 'node' })).data, { a: 'b' })
  const seen = new Promise<string>((resolve, reject) => {
    const each = (type: string, object: { metadata: { name: string } }) => {
      if (object.metadata.name === 'node') resolve(type)
    }
    new Watch(config).watch(configMaps, {}, each, reject).then((ends) => void seen.finally(() => ends.abort()), reject)
  })
  assert.equal(await within('an event', seen), 'ADDED')
})

test('a watch over a WebSocket', async () => {
  const { token } = await here.kubeconfig('one')
  const { hostname: host, port } = new URL(here.url)
  const place = { host, port: Number(port), tls: { ca: here.ca } }
  const reader = await watchMessages(place, `/servers/one${configMaps}?watch=true&fieldSelector=metadata.name%3Dsocket`, [], {
    authorization: `Bearer ${token}`,
  })
  await here.ask('POST', `/servers/one${configMaps}`, { metadata: { name: 'socket' } }, { token })
  const { type, object } = await within('an event', reader.event())
  assert.deepEqual([type, (object as { metadata: { name: string } }).metadata.name], ['ADDED', 'socket'])
  await reader.peer.close()
})

test('webhooks of configurations are called at a URL without certificates', async () => {
  const asked: string[] = []
  const listener = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { request: review, ...rest } = JSON.parse(text)
    asked.push(review.name)
    const answer = { uid: review.uid, allowed: false, status: { message: 'the webhook says no' } }
    response.end(JSON.stringify({ ...rest, response: answer }))
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const manifests = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: refusing}
webhooks:
- name: no.example.com
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: refusing, namespace: default}}
`
  const answers = { 'no.example.com': { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/review` } }
  assert.deepEqual((await here.ask('POST', `${list}/one/webhooks`, { manifests, answers })).body, { webhooks: ['no.example.com'] })
  await here.ask('POST', `${list}/one/fork`, { name: 'forked' })
  for (const name of ['one', 'forked']) {
    const { token } = await here.kubeconfig(name)
    const secrets = `/servers/${name}/api/v1/namespaces/default/secrets`
    const { code, body } = await here.ask('POST', secrets, { metadata: { name: `of-${name}` } }, { token })
    assert.deepEqual([code, /denied the request: the webhook says no/.test(body.message)], [400, true], body.message)
  }
  assert.deepEqual(asked, ['of-one', 'of-forked'])
  listener.close()
})

test('snapshots, the clock, faults and recorded requests', async () => {
  await here.ask('POST', list, { name: 'desk' })
  const { token } = await here.kubeconfig('desk')
  const create = (name: string) => here.ask('POST', `/servers/desk${configMaps}`, { metadata: { name } }, { token })
  const names = async (server: string, credential: string) =>
    (await here.ask('GET', `/servers/${server}${configMaps}`, undefined, { token: credential })).body.items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-root-ca.crt')
  await create('before')
  assert.equal((await here.ask('POST', `${list}/desk/snapshot`, { name: 'kept' })).code, 201)
  await create('after')
  await here.ask('POST', `${list}/desk/fork`, { name: 'of-kept', snapshot: 'kept' })
  assert.deepEqual(await names('of-kept', (await here.kubeconfig('of-kept')).token), ['before'])
  assert.deepEqual(await names('desk', token), ['after', 'before'])
  await here.ask('POST', `${list}/desk/restore`, { snapshot: 'kept' })
  assert.deepEqual(await names('desk', token), ['before'])
  assert.deepEqual((await here.ask('GET', `${list}/desk/snapshots`)).body.snapshots, ['kept'])
  const stopped = await here.ask('POST', `${list}/desk/clock`, { time: '2040-01-01T00:00:00Z', frozen: true })
  assert.deepEqual(stopped.body, { time: '2040-01-01T00:00:00.000Z', frozen: true })
  assert.equal((await create('later')).body.metadata.creationTimestamp, '2040-01-01T00:00:00Z')
  await here.ask('DELETE', `${list}/desk/requests`)
  await here.ask('POST', `${list}/desk/faults`, { verb: 'create', resource: 'configmaps', ...JSON.parse('{"then": 409}'), times: 1 })
  assert.deepEqual([(await create('refused')).code, (await create('taken')).code], [409, 201])
  const { requests } = (await here.ask('GET', `${list}/desk/requests?verb=write&resource=configmaps`)).body
  assert.deepEqual(
    requests.map(({ user, verb, name, code }) => ({ user, verb, name, code })),
    [409, 201].map((code, at) => ({ user: 'admin', verb: 'create', name: ['refused', 'taken'][at], code })),
  )
})

test('where everything is allowed, requests still need a token', async () => {
  await here.ask('POST', list, { name: 'open', options: { authorizationModes: ['AlwaysAllow'] } })
  assert.equal((await here.ask('GET', `/servers/open${configMaps}`, undefined, { token: '' })).code, 401)
  const { token } = await here.kubeconfig('open')
  assert.equal((await here.ask('GET', `/servers/open${configMaps}`, undefined, { token })).code, 200)
})

test('the OpenAPI document has every route, each under a name of its own', async () => {
  const { body } = await here.ask('GET', '/hosts/v1/openapi.json')
  assert.equal(body.openapi, '3.1.0')
  const operations = Object.entries(body.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  for (const verb of ['fork', 'snapshot', 'restore', 'load', 'clock', 'faults', 'webhooks'])
    assert.ok(operations.includes(`post ${list}/{name}/${verb}`), verb)
  const ids = Object.values(body.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  assert.equal(new Set(ids).size, ids.length, ids.join())
  assert.deepEqual(body.paths[list]?.['post']?.requestBody.content['application/json']?.schema.required, ['name'])
})
