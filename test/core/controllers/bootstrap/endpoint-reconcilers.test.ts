/** Endpoints of the cluster's own service with several servers on one store (--endpoint-reconciler-type). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Clock, KeyValueStore } from '../../../../core/ports.ts'
import { TestClock } from '../../../../runtimes/testing/clock.ts'
import { type EmbeddedOptions, memoryStore } from '../../../../runtimes/web/index.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import type { Api, TestObject } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'

const endpointsPath = '/api/v1/namespaces/default/endpoints/kubernetes'
const slicePath = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes'

interface Endpoints extends TestObject {
  readonly subsets?: readonly {
    readonly addresses: readonly { readonly ip: string }[]
    readonly ports: readonly { readonly port: number }[]
  }[]
}
interface Slice extends TestObject {
  readonly addressType: string
  readonly endpoints: readonly { readonly addresses: readonly string[] }[] | null
  readonly ports: readonly { readonly port: number }[] | null
}

const start = (t: TestContext, store: KeyValueStore, advertiseAddress: string, more: Partial<EmbeddedOptions> = {}) =>
  startInProcess({ platform: 'kubernetes', controllers: [], advertiseAddress, ...more, store, telemetry: { logger: silentLogger } }, t)

const ipsOf = async (api: Api) => {
  const { body } = await api.get<Endpoints>(endpointsPath)
  return (body.subsets ?? []).flatMap(({ addresses }) => addresses.map(({ ip }) => ip))
}
const sliceOf = async (api: Api) => {
  const { addressType, endpoints, ports } = (await api.get<Slice>(slicePath)).body
  return [addressType, (endpoints ?? []).flatMap(({ addresses }) => addresses), (ports ?? []).map(({ port }) => port)]
}
const leasesOf = async (store: KeyValueStore) =>
  (await store.list({ prefix: '/registry/masterleases/' })).items.map(({ key }) => key.slice('/registry/masterleases/'.length))

test('with leases, the endpoints are the servers that are alive, and one that ends is removed at once', async (t) => {
  const store = memoryStore()
  const first = await start(t, store, '192.0.2.9')
  const second = await start(t, store, '192.0.2.10')
  assert.deepEqual(await ipsOf(first.api), ['192.0.2.10', '192.0.2.9'], 'in the order of the texts, as in the reference')
  assert.deepEqual(await sliceOf(first.api), ['IPv4', ['192.0.2.10', '192.0.2.9'], [6443]])
  assert.deepEqual(await leasesOf(store), ['192.0.2.10', '192.0.2.9'])
  await second.close()
  assert.deepEqual(await ipsOf(first.api), ['192.0.2.9'])
  assert.deepEqual(await sliceOf(first.api), ['IPv4', ['192.0.2.9'], [6443]])
  await first.close()
  // The objects stay, without addresses.
  assert.deepEqual(await leasesOf(store), [])
  const reader = await start(t, store, '')
  const { body } = await reader.api.get<Endpoints>(endpointsPath)
  assert.deepEqual([body.subsets, body.metadata.labels], [undefined, { 'endpointslice.kubernetes.io/skip-mirror': 'true' }])
  assert.deepEqual(await sliceOf(reader.api), ['IPv4', [], []])
})

test('a server that dies is removed when its lease has expired, 15 s after its last renewal', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const { api } = await start(t, store, '192.0.2.1', { clock })
  // This one never renews its lease, as if it had been killed.
  await start(t, store, '192.0.2.2', { clock: { ...webClock, after: () => () => {} } })
  const revision = async () => (await store.get('/registry/masterleases/192.0.2.1')).kv?.modRevision
  assert.deepEqual(await ipsOf(api), ['192.0.2.1', '192.0.2.2'])
  const before = await revision()
  await clock.advance(10_500)
  await eventually('the other one renews its lease', async () => (await revision()) !== before)
  assert.deepEqual(await ipsOf(api), ['192.0.2.1', '192.0.2.2'])
  await clock.advance(5_000)
  await eventually('the lease expires', async () => (await leasesOf(store)).length === 1)
  await clock.advance(5_500)
  await eventually('the address is removed', async () => (await ipsOf(api)).length === 1)
  assert.deepEqual(await ipsOf(api), ['192.0.2.1'])
  await eventually('from the slice, too', async () => JSON.stringify(await sliceOf(api)) === '["IPv4",["192.0.2.1"],[6443]]')
})

test('a server restores service and endpoints within 10 s, and keeps their ports unless it starts', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const { api } = await start(t, store, '192.0.2.1', { clock, securePort: 7443 })
  for (const path of ['/api/v1/namespaces/default/services/kubernetes', endpointsPath, slicePath]) await api.delete(path)
  await clock.advance(10_500)
  await eventually('all are there again', async () => (await api.get(slicePath)).status === 200)
  assert.equal((await api.get('/api/v1/namespaces/default/services/kubernetes')).status, 200)
  assert.deepEqual(await sliceOf(api), ['IPv4', ['192.0.2.1'], [7443]])
  // As in the reference, another server's port is that of all.
  await start(t, store, '192.0.2.2', { securePort: 8443 })
  assert.deepEqual(await sliceOf(api), ['IPv4', ['192.0.2.1', '192.0.2.2'], [8443]])
})

test('addresses of both families: the slice has those of one; its type follows', async (t) => {
  const store = memoryStore()
  const six = await start(t, store, '2001:db8::1')
  assert.deepEqual(await sliceOf(six.api), ['IPv6', ['2001:db8::1'], [6443]])
  const four = await start(t, store, '192.0.2.1')
  assert.deepEqual(await ipsOf(four.api), ['192.0.2.1', '2001:db8::1'])
  assert.deepEqual(await sliceOf(four.api), ['IPv4', ['192.0.2.1'], [6443]])
})

test('with master-count, a server beyond the count replaces the next one', async (t) => {
  const store = memoryStore()
  const options = { endpointReconciler: 'master-count', serverCount: 2 } as const
  const first = await start(t, store, '192.0.2.1', options)
  const third = await start(t, store, '192.0.2.3', options)
  assert.deepEqual(await ipsOf(first.api), ['192.0.2.1', '192.0.2.3'])
  const second = await start(t, store, '192.0.2.2', options)
  assert.deepEqual(await ipsOf(first.api), ['192.0.2.1', '192.0.2.2'])
  assert.deepEqual(await leasesOf(store), [])
  await first.close()
  assert.deepEqual(await ipsOf(second.api), ['192.0.2.2'])
  await third.close()
  assert.deepEqual(await ipsOf(second.api), ['192.0.2.2'])
})

test('with none, the endpoints are left to others', async (t) => {
  const store = memoryStore()
  const { api } = await start(t, store, '192.0.2.1', { endpointReconciler: 'none' })
  assert.equal((await api.get('/api/v1/namespaces/default/services/kubernetes')).status, 200)
  assert.deepEqual([(await api.get(endpointsPath)).status, (await api.get(slicePath)).status], [404, 404])
  assert.deepEqual(await leasesOf(store), [])
})

test('without an address a server sets no timer', async (t) => {
  const delays: number[] = []
  const clock: Clock = {
    ...webClock,
    after(milliseconds, callback) {
      delays.push(milliseconds)
      return webClock.after(milliseconds, callback)
    },
  }
  await start(t, memoryStore(), '', { clock })
  assert.ok(!delays.includes(10_000), delays.join())
})
