/** Identity leases of API servers (KEP-1965). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import type { ServerOptions } from '../../../../core/server.ts'
import { TestClock } from '../../../../runtimes/testing/clock.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { apiOn, startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const platform = createPlatform('kubernetes')

async function start(t: TestContext, store: KeyValueStore, identity: string, clock: TestClock, more: ServerOptions = {}) {
  const { server } = await startInProcess({ platform, controllers: [], identity, hostname: `host-of-${identity}`, ...more, store, clock })
  let ended: Promise<void> | undefined
  const close = () => {
    ended ??= server.close()
    return ended
  }
  t.after(close)
  return { api: apiOn(server), close }
}

test('each server renews a lease every 10 s, and deletes it when it ends', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const { api } = await start(t, store, 'apiserver-a', clock, { advertiseAddress: '2001:db8::1', securePort: 7443 })
  const other = await start(t, store, 'apiserver-b', clock)
  const names = async () => (await api.list(leases)).items.map(({ metadata }) => metadata.name)
  const own = async () => (await api.get(`${leases}/apiserver-a`)).body
  assert.deepEqual(await names(), ['apiserver-a', 'apiserver-b'])
  const { metadata, spec } = await own()
  assert.deepEqual(metadata.labels, {
    'apiserver.kubernetes.io/identity': 'kube-apiserver',
    'kubernetes.io/hostname': 'host-of-apiserver-a',
  })
  assert.deepEqual(metadata.annotations, { 'kubernetes.io/peer-advertise-address': '[2001:db8::1]:7443' })
  assert.match(String(spec?.['holderIdentity']), /^apiserver-a_[0-9a-f-]{36}$/)
  assert.equal(spec?.['leaseDurationSeconds'], 3600)
  assert.match(String(spec?.['renewTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  await clock.advance(10_500)
  await eventually('it is renewed', async () => (await own()).spec?.['renewTime'] !== spec?.['renewTime'])
  // Another one of the same name, as when it is deleted by hand.
  await api.delete(`${leases}/apiserver-a`)
  await clock.advance(10_500)
  await eventually('it is there again', async () => (await api.get(`${leases}/apiserver-a`)).status === 200)
  await other.close()
  assert.deepEqual(await names(), ['apiserver-a'])
})

test('a server that starts replaces the lease that it left when it crashed', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const crashed = await start(t, store, 'apiserver-a', clock)
  const before = (await crashed.api.get(`${leases}/apiserver-a`)).body
  const { api } = await start(t, store, 'apiserver-a', clock)
  const after = (await api.get(`${leases}/apiserver-a`)).body
  assert.notEqual(after.metadata.uid, before.metadata.uid)
  assert.notEqual(after.spec?.['holderIdentity'], before.spec?.['holderIdentity'])
})

test('leases of servers that are gone are collected an hour after their last renewal; others stay', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const { api } = await start(t, store, 'apiserver-a', clock)
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
  const lease = (name: string, age: number, more: object = { labels }) => ({
    metadata: { name, ...more },
    spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime: new Date(clock.now() - age).toISOString().replace('Z', '000Z') },
  })
  await api.create(leases, lease('dead', 60_000))
  await api.create(leases, { metadata: { name: 'without-times', labels }, spec: {} })
  await api.create(leases, lease('of-others', 86_400_000, {}))
  await api.create(leases, lease('alive', -7_200_000))
  await clock.advance(3_600_001)
  await eventually('they are deleted', async () => (await api.get(`${leases}/dead`)).status === 404)
  await eventually('all of them', async () => (await api.get(`${leases}/without-times`)).status === 404)
  const rest = (await api.list(leases)).items.map(({ metadata }) => metadata.name)
  assert.deepEqual(rest, ['alive', 'apiserver-a', 'of-others'])
})

test('without the gate, or without a host name, there is no lease', async (t) => {
  const featureGates = { APIServerIdentity: false, UnknownVersionInteroperabilityProxy: false }
  for (const more of [{ featureGates }, { hostname: '' }] satisfies ServerOptions[]) {
    const clock = new TestClock(webClock)
    const { api, close } = await start(t, memoryStore({ clock }), 'apiserver-a', clock, more)
    assert.deepEqual((await api.list(leases)).items, [])
    assert.doesNotMatch(String((await api.get('/readyz?verbose')).body), /identity-lease/)
    await close()
  }
})
