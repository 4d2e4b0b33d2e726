/** Coordinated leader election, seen from clients that are candidates: ping, answer, takeover; and which of two servers runs it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { TestClock } from '../../../../runtimes/testing/clock.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import type { Api, TestObject } from '../../../support/api.ts'
import { startCore } from '../../../support/core-server.ts'
import { apiOn } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'

const platform = createPlatform('kubernetes')
const gates = parseFeatureGates(['CoordinatedLeaderElection=true'], platform)
const coordination = '/apis/coordination.k8s.io'
const leases = `${coordination}/v1/namespaces/kube-system/leases`
const ownLease = `${leases}/leader-election-controller`

async function start(
  t: TestContext,
  { clock = new TestClock(webClock), store = memoryStore({ clock }), hostname = 'host', version = 'v1beta1' } = {},
) {
  const server = await startCore(
    {
      platform,
      controllers: [],
      gates,
      hostname,
      serves: (row) => row.names.plural !== 'leasecandidates' || (version !== 'none' && row.version.startsWith('v1')),
    },
    { store, clock, telemetry: { logger: silentLogger } },
  )
  let ended: Promise<void> | undefined
  const close = () => {
    ended ??= server.close()
    return ended
  }
  t.after(close)
  return { api: apiOn(server), close, clock, store: store as KeyValueStore }
}

const specOf = (object: TestObject) => (object.spec ?? {}) as { readonly [field: string]: string | number | undefined }
const microTime = (clock: TestClock) => new Date(clock.now()).toISOString().replace('Z', '000Z')

/** A program that wants the lease `component`. */
async function candidateOf(
  api: Api,
  clock: TestClock,
  name: string,
  versions: { binary: string; emulated: string },
  more: object = {},
  version = 'v1beta1',
) {
  const collection = `${coordination}/${version}/namespaces/kube-system/leasecandidates`
  const path = `${collection}/${name}`
  const spec = {
    leaseName: 'component',
    binaryVersion: versions.binary,
    emulationVersion: versions.emulated,
    strategy: 'OldestEmulationVersion',
    renewTime: microTime(clock),
    ...more,
  }
  await api.create(collection, { metadata: { name }, spec })
  return {
    path,
    /** Waits for a ping after the last answer. */
    pinged: () =>
      eventually(`a ping of ${name}`, async () => {
        const { pingTime, renewTime } = specOf((await api.get(path)).body)
        return pingTime !== undefined && String(pingTime) > String(renewTime)
      }),
    async answer() {
      assert.equal((await api.patch(path, { spec: { renewTime: microTime(clock) } })).status, 200)
    },
  }
}

const lease = async (api: Api, name = 'component') => specOf((await api.get(`${leases}/${name}`)).body)
const holder = (api: Api, expected: string) =>
  eventually(`${expected} holds the lease`, async () => (await lease(api))['holderIdentity'] === expected && lease(api))
/** As a holder does. */
const renew = (api: Api, clock: TestClock, more: object = {}) =>
  api.patch(`${leases}/component`, { spec: { renewTime: microTime(clock), ...more } })

for (const version of ['v1beta1', 'v1alpha2']) {
  test(`a candidate with an older emulated version takes over, by ${version}`, async (t) => {
    const { api, clock } = await start(t, { version })
    const newer = await candidateOf(api, clock, 'newer', { binary: '1.36.0', emulated: '1.36.0' }, {}, version)
    const first = await holder(api, 'newer')
    assert.deepEqual([first['strategy'], first['leaseDurationSeconds'], first['preferredHolder']], ['OldestEmulationVersion', 5, undefined])
    await renew(api, clock, { leaseDurationSeconds: 15, acquireTime: microTime(clock) })
    // Its answer is out of date when the other one comes: it is asked again, and the lease waits for it.
    await clock.advance(6_000)
    await candidateOf(api, clock, 'older', { binary: '1.36.0', emulated: '1.35.0' }, {}, version)
    await newer.pinged()
    assert.equal((await lease(api))['preferredHolder'], undefined)
    await newer.answer()
    await eventually('the holder is asked to yield', async () => (await lease(api))['preferredHolder'] === 'older')
    assert.equal((await lease(api))['holderIdentity'], 'newer')
    // The holder stops renewing.
    await clock.advance(16_000)
    const older = `${coordination}/${version}/namespaces/kube-system/leasecandidates/older`
    await eventually('candidates are asked again', async () => specOf((await api.get(older)).body)['pingTime'] !== undefined)
    await api.patch(older, { spec: { renewTime: microTime(clock) } })
    await newer.answer()
    const last = await holder(api, 'older')
    assert.deepEqual([last['preferredHolder'], last['acquireTime'], last['leaseDurationSeconds']], [undefined, undefined, 5])
  })
}

test('a candidate that does not answer is passed over, and collected after half an hour', async (t) => {
  const { api, clock } = await start(t)
  const dead = await candidateOf(api, clock, 'dead', { binary: '1.35.0', emulated: '1.35.0' })
  await holder(api, 'dead')
  await clock.advance(20_000)
  await candidateOf(api, clock, 'alive', { binary: '1.36.0', emulated: '1.36.0' })
  await dead.pinged()
  assert.equal((await lease(api))['holderIdentity'], 'dead')
  await clock.advance(5_500)
  const alive = `${coordination}/v1beta1/namespaces/kube-system/leasecandidates/alive`
  await eventually('the other one is asked', async () => specOf((await api.get(alive)).body)['pingTime'] !== undefined)
  await api.patch(alive, { spec: { renewTime: microTime(clock) } })
  await holder(api, 'alive')
  await clock.advance(30 * 60_000)
  await eventually('it is deleted', async () => (await api.get(dead.path)).status === 404)
})

test('a lease of another strategy is created without a holder', async (t) => {
  const { api, clock } = await start(t)
  await candidateOf(api, clock, 'one', { binary: '1.36.0', emulated: '1.36.0' }, { strategy: 'example.com/mine' })
  await eventually('the lease', async () => (await lease(api))['strategy'] === 'example.com/mine')
  assert.equal((await lease(api))['holderIdentity'], undefined)
})

test('one of several servers elects; another follows when it ends, or when its lease expires', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const first = await start(t, { clock, store, hostname: 'one' })
  const leader = async (api: Api) => String((await lease(api, 'leader-election-controller'))['holderIdentity'] ?? '')
  await eventually('the first leads', async () => (await leader(first.api)).startsWith('one_'))
  const second = await start(t, { clock, store, hostname: 'two' })
  const spec = await lease(first.api, 'leader-election-controller')
  assert.deepEqual([spec['leaseDurationSeconds'], spec['leaseTransitions']], [15, 0])
  await clock.advance(5_000)
  assert.match(await leader(second.api), /^one_/)
  await first.close()
  const released = await lease(second.api, 'leader-election-controller')
  assert.deepEqual([released['holderIdentity'], released['leaseDurationSeconds']], ['', 1])
  await clock.advance(5_000)
  await eventually('the second leads', async () => (await leader(second.api)).startsWith('two_'))
  assert.equal((await lease(second.api, 'leader-election-controller'))['leaseTransitions'], 1)
  await candidateOf(second.api, clock, 'component-1', { binary: '1.36.0', emulated: '1.36.0' })
  await holder(second.api, 'component-1')
  // Someone else takes the lease: this server stops electing at the latest after the renew deadline.
  await second.api.patch(ownLease, { spec: { holderIdentity: 'somebody', renewTime: microTime(clock), leaseDurationSeconds: 3600 } })
  for (let seconds = 0; seconds < 16; seconds += 4) {
    await clock.advance(4_500)
    await eventually('a try', async () => (await second.api.get(ownLease)).status === 200)
  }
  await second.api.delete(`${leases}/component`)
  await clock.advance(6_000)
  assert.equal((await second.api.get(`${leases}/component`)).status, 404)
})

test('without a served version of candidates a server runs, and elects nobody', async (t) => {
  const { api } = await start(t, { version: 'none' })
  assert.equal((await api.get('/readyz')).status, 200)
  assert.equal((await api.get(ownLease)).status, 404)
})
