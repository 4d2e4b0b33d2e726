/** Servers on one store, which reach each other by calls in the process. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseFeatureGates } from '../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { KeyValueStore, Outbound, OutboundOptions } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import type { Api } from '../../support/api.ts'
import { type CoreOptions, startCore } from '../../support/core-server.ts'
import { apiOn } from '../../support/in-process.ts'
import { peersOf } from '../../support/peers.ts'
import { eventually } from '../../support/wait.ts'

const platform = createPlatform('kubernetes')
const jobs = '/apis/batch/v1/namespaces/default/jobs'
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
const texts: { readonly [path: string]: string } = {
  'ca.crt': pem('CERTIFICATE'),
  'proxy.crt': pem('CERTIFICATE'),
  'proxy.key': pem('PRIVATE KEY'),
}
const files = { read: async (path: string) => new TextEncoder().encode(texts[path] ?? ''), watch: () => () => {} }

interface Call {
  readonly url: string
  readonly options: OutboundOptions
  readonly headers: Headers
}

type Fetch = (request: Request) => Promise<Response>

/** A cluster without network: servers by `HOST:PORT`, and the calls between them. */
function cluster(t: TestContext) {
  const store = memoryStore()
  const calls: Call[] = []
  const servers = new Map<string, Fetch>()
  const outbound: Outbound = {
    async fetch(request, options = {}) {
      calls.push({ url: request.url, options, headers: request.headers })
      const server = servers.get(new URL(request.url).host)
      if (server === undefined) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      return server(new Request(`http://server${options.target}`, request))
    },
    call: () => Promise.reject(new Error('no calls')),
  }
  async function start(name: string, more: CoreOptions = {}, on: KeyValueStore = store): Promise<Api> {
    const address = `192.0.2.${name.charCodeAt(0)}`
    const options: CoreOptions = {
      ...{ platform, controllers: [], identity: name, hostname: `host-${name}`, advertiseAddress: address, peerCaFile: 'ca.crt' },
      ...{ proxyClientFiles: { certificate: 'proxy.crt', key: 'proxy.key' } },
      ...more,
    }
    const server = await startCore(options, { store: on, files, outbound })
    servers.set(`${address}:6443`, (request) => server.fetch(request))
    t.after(() => server.close())
    return apiOn(server)
  }
  return { store, calls, servers, start }
}

const without = (group: string): CoreOptions => ({ serves: (definition) => definition.group !== group })
const untilServed = (api: Api, path: string) => eventually(`${path} is served`, async () => (await api.get(path)).status === 200)

test('a request goes to the server that has the resource, as the user of the client and once', async (t) => {
  const { start, calls } = cluster(t)
  await start('b')
  const api = await start('a', without('batch'))
  await untilServed(api, jobs)
  calls.length = 0
  const headers = { 'x-remote-user': 'admin', 'x-kubernetes-peer-proxied': 'false', 'x-other': 'kept' }
  assert.equal((await api.get(`${jobs}?limit=5&a=%2F`, headers)).status, 200)
  assert.equal(calls.length, 1)
  const [call] = calls
  const { fields, ...options } = call?.options ?? {}
  assert.deepEqual(options, {
    target: `${jobs}?a=%2F&limit=5`,
    egress: 'controlplane',
    connectTimeout: 30_000,
    serverName: 'kubernetes.default.svc',
    certificateAuthority: texts['ca.crt'],
    clientCertificate: { certificate: texts['proxy.crt'], key: texts['proxy.key'] },
  })
  assert.deepEqual(
    fields?.find(([name]) => name === 'X-Remote-User'),
    ['X-Remote-User', 'system:anonymous'],
  )
  const sent = ['x-remote-user', 'x-kubernetes-peer-proxied', 'x-other'].map((name) => call?.headers.get(name) ?? null)
  assert.deepEqual(sent, [null, 'true', 'kept'])
  assert.equal((await api.get('/apis/batch/v1/namespaces/default/none')).status, 404)
  assert.equal((await api.get(jobs, { 'x-kubernetes-peer-proxied': 'false, true' })).status, 404)
  assert.equal(calls.length, 1)
})

test('the other server gets the UID of the user, whatever the gate of aggregated APIs says', async (t) => {
  const { start, calls } = cluster(t)
  await start('b')
  const gates = parseFeatureGates(['RemoteRequestHeaderUID=false'], platform)
  const user = { name: 'alice', uid: 'alice-7', groups: ['system:authenticated'] }
  const tokenAuthenticators = [{ name: 'one', authenticateToken: (token: string) => (token === 'alice' ? { user } : undefined) }]
  const api = await start('a', { ...without('batch'), gates, tokenAuthenticators })
  const uidsOf = () => calls.map(({ options }) => options.fields?.filter(([name]) => name === 'X-Remote-Uid').map(([, value]) => value))
  await untilServed(api, jobs)
  assert.deepEqual(new Set(uidsOf().flat()), new Set(['system:apiserver']), 'asked what it serves')
  calls.length = 0
  await api.get(jobs, { authorization: 'Bearer alice' })
  assert.deepEqual(uidsOf(), [['alice-7']])
})

test('a request that is sent on holds no place among the requests in flight', async (t) => {
  const { start, servers } = cluster(t)
  await start('b')
  const limits: CoreOptions = { priorityAndFairness: 'off', maxReadOnlyInFlight: 1, maxMutatingInFlight: 1 }
  const api = await start('a', { ...without('batch'), ...limits })
  await untilServed(api, jobs)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const answer = servers.get('192.0.2.98:6443')
  servers.set('192.0.2.98:6443', async (request) => {
    arrived()
    await held
    return answer?.(request) ?? Response.error()
  })
  const slow = api.get(jobs)
  await arrival
  assert.equal((await api.get('/api/v1/namespaces/default')).status, 200)
  release()
  assert.equal((await slow).status, 200)
})

test('a server without an address is not chosen, and asked again until it answers', async (t) => {
  const { start, servers, store } = cluster(t)
  await start('b')
  const api = await start('a', without('batch'))
  const peer = peersOf(api.fetch)
  await untilServed(api, jobs)
  // It says what it serves only at its third answer.
  let answers = 0
  const other = await start('z', {}, memoryStore())
  servers.set('192.0.2.122:6443', async (request) => {
    answers++
    if (answers === 1) return new Response('later', { status: 503 })
    if (answers === 2) return new Response('<html>', { headers: { 'content-type': 'text/html' } })
    return other.fetch(request.url.replace('http://server', ''), request)
  })
  const lease = {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: 'z', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
  }
  await api.create(leases, { ...lease, spec: { holderIdentity: 'z_1' } })
  const errors = async () => (await api.get<string>('/metrics')).body.match(/^apiserver_peer_discovery_sync_errors_total.*$/gm) ?? []
  await eventually('it has no address', async () => (await errors()).some((line) => line.includes('hostport_resolution')))
  for (let tries = 0; tries < 20; tries++) assert.equal((await api.get(jobs)).status, 200)
  assert.ok((await peer.all()).has('batch/v1'))
  assert.equal(answers, 0)
  const address = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { labels: { apiserverIdentity: 'z' } },
    subsets: [{ addresses: [{ ip: '192.0.2.122' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
  }
  await store.put('/registry/peerserverleases/z', new TextEncoder().encode(JSON.stringify(address)), 0)
  await eventually('it serves, too', async () => {
    const before = answers
    return (await api.get(jobs)).status === 200 && before > 3 && answers > before
  })
  assert.ok((await errors()).some((line) => line.includes('fetch_discovery')))
})

test('the address is a stored object with a label, which ends with the server', async (t) => {
  const { start, store } = cluster(t)
  await start('a', { peerAdvertiseIp: '2001:db8::7', peerAdvertisePort: 7443, storageMediaType: 'application/json' })
  const { kv } = await store.get('/registry/peerserverleases/a')
  const { metadata, subsets, kind } = JSON.parse(new TextDecoder().decode(kv?.value))
  assert.deepEqual(
    [kind, metadata.labels, subsets],
    [
      'Endpoints',
      { apiserverIdentity: 'a' },
      [{ addresses: [{ ip: '2001:db8::7' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] }],
    ],
  )
})

test('without the feature a server has no address, and its requests stay', async (t) => {
  const { start, store, calls } = cluster(t)
  await start('b')
  const gates = parseFeatureGates(['UnknownVersionInteroperabilityProxy=false'], platform)
  const api = await start('a', { ...without('batch'), gates })
  assert.equal((await store.get('/registry/peerserverleases/a')).kv, undefined)
  assert.equal((await api.get(`${leases}/a`)).body.metadata.annotations, undefined)
  assert.equal((await api.get(jobs)).status, 404)
  assert.equal(calls.filter(({ url }) => url.includes('192.0.2.98')).length, 0)
  assert.doesNotMatch((await api.get<string>('/metrics')).body, /nopeer_requests_total/)
  assert.doesNotMatch((await api.get<string>('/readyz?verbose')).body, /peer-/)
})
