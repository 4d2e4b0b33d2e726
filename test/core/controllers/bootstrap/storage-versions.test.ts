/** Storage versions (feature gate StorageVersionAPI). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiError } from '../../../../core/answers/status.ts'
import { StorageVersionBarrier, withVersions } from '../../../../core/controllers/bootstrap/storage-versions.ts'
import { writeBarrier } from '../../../../core/filters/write-barrier.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Connection, KeyValueStore } from '../../../../core/ports.ts'
import type { Exchange } from '../../../../core/request/exchange.ts'
import { requestInfo } from '../../../../core/request/info.ts'
import { TestClock } from '../../../../runtimes/testing/clock.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const path = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'

async function open(t: TestContext, store: KeyValueStore, identity: string, clock = new TestClock(webClock), served = true) {
  const options = {
    platform: 'kubernetes' as const,
    controllers: [],
    featureGates: { StorageVersionAPI: true },
    runtimeConfig: { 'internal.apiserver.k8s.io/v1alpha1': served },
  }
  const { api } = await startInProcess({ ...options, identity, hostname: `host-of-${identity}`, store, clock }, t)
  return api
}

const of = (server: string, encodingVersion: string) => ({
  apiServerID: server,
  encodingVersion,
  decodableVersions: ['v1'],
  servedVersions: ['v1'],
})
const when = Date.UTC(2026, 0, 2)

test('the common version is that of all servers, and the condition says whether there is one', () => {
  const one = withVersions({}, of('a', 'v1'), when)
  const set = {
    type: 'AllEncodingVersionsEqual',
    status: 'True',
    reason: 'CommonEncodingVersionSet',
    message: 'Common encoding version set',
  }
  const lastTransitionTime = '2026-01-02T00:00:00Z'
  assert.deepEqual(one, {
    storageVersions: [of('a', 'v1')],
    commonEncodingVersion: 'v1',
    conditions: [{ ...set, lastTransitionTime }],
  })
  assert.deepEqual(withVersions(one, of('a', 'v1'), when + 5_000), one, 'nothing changes')
  const two = withVersions(one, of('b', 'v2'), when + 5_000)
  const unset = { ...set, status: 'False', reason: 'CommonEncodingVersionUnset', message: 'Common encoding version unset' }
  assert.deepEqual(two, {
    storageVersions: [of('a', 'v1'), of('b', 'v2')],
    conditions: [{ ...unset, lastTransitionTime: '2026-01-02T00:00:05Z' }],
  })
  const later = withVersions(one, of('a', 'v2'), when + 5_000)
  assert.equal(later.commonEncodingVersion, 'v2')
  assert.equal(later.conditions?.[0]?.lastTransitionTime, '2026-01-02T00:00:05Z', 'another common version is a transition')
})

test('a server writes the versions of every built-in resource, and again what others delete', async (t) => {
  const clock = new TestClock(webClock)
  const store = memoryStore({ clock })
  const api = await open(t, store, 'apiserver-a', clock)
  const { items } = await api.list(path)
  const names = items.map(({ metadata }) => metadata.name)
  for (const name of [
    'apps.deployments',
    'core.events',
    'core.pods',
    'apiextensions.k8s.io.customresourcedefinitions',
    'internal.apiserver.k8s.io.storageversions',
  ])
    assert.ok(names.includes(name), name)
  assert.ok(!names.includes('events.k8s.io.events'), 'one object for all groups of a resource')
  assert.ok(!names.some((name) => name?.includes('review')), 'only what is stored')
  const { status, spec } = (await api.get(`${path}/autoscaling.horizontalpodautoscalers`)).body
  assert.deepEqual(spec, {})
  assert.deepEqual(status?.['storageVersions'], [
    {
      apiServerID: 'apiserver-a',
      encodingVersion: 'autoscaling/v2',
      decodableVersions: ['autoscaling/v2', 'autoscaling/v1'],
      servedVersions: ['autoscaling/v2', 'autoscaling/v1'],
    },
  ])
  assert.equal(status?.['commonEncodingVersion'], 'autoscaling/v2')
  const events = (await api.get(`${path}/core.events`)).body.status as { storageVersions: { decodableVersions: string[] }[] }
  assert.deepEqual(events.storageVersions[0]?.decodableVersions, ['v1', 'events.k8s.io/v1'])
  assert.match((await api.get<string>('/readyz?verbose')).body, /\[\+\]poststarthook\/built-in-resources-storage-version-updater ok/)

  const before = (await api.get(`${path}/core.pods`)).body
  await api.delete(`${path}/core.secrets`)
  await clock.advance(601_000)
  await eventually('it is there again', async () => (await api.get(`${path}/core.secrets`)).body.status?.['commonEncodingVersion'] === 'v1')
  assert.deepEqual((await api.get(`${path}/core.pods`)).body, before, 'what is right is not written')

  const other = await open(t, store, 'apiserver-b', clock)
  const both = ((await other.get(`${path}/core.pods`)).body.status ?? {}) as { storageVersions?: { apiServerID: string }[] }
  assert.deepEqual(
    both.storageVersions?.map((each) => each.apiServerID),
    ['apiserver-a', 'apiserver-b'],
  )
})

test('writes wait for the version of their resource', () => {
  const platform = createPlatform('kubernetes')
  const resource = (group: string, name: string, others: string[] = []) => ({
    on: { group, resource: name },
    others: others.map((each) => ({ group: each, resource: name })),
    versions: { encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v1'] },
  })
  const [events, deployments, leases] = [
    resource('', 'events', ['events.k8s.io']),
    resource('apps', 'deployments'),
    resource('coordination.k8s.io', 'leases'),
  ]
  const barrier = new StorageVersionBarrier([events, deployments, leases])
  const connection = (remotePort: number): Connection => ({ remoteAddress: '', remotePort, protocol: 'in-process' })
  const [own, client] = [connection(0), connection(1)]
  const filter = writeBarrier(barrier, platform, own)
  const done = new Response('done')
  /** Undefined: it goes on. */
  const refused = (method: string, target: string, from = client) => {
    const { pathname, searchParams } = new URL(target, 'http://x')
    const exchange = { info: requestInfo(method, pathname, searchParams), connection: from } as Exchange
    try {
      assert.equal(
        filter(exchange, () => done),
        done,
      )
      return undefined
    } catch (error) {
      assert(error instanceof ApiError)
      const { code, reason, message } = error.status
      return `${code} ${reason} ${message}`
    }
  }
  const text = (name: string, error = '<nil>') =>
    `503 ServiceUnavailable wait for storage version registration to complete for resource: ${name}, last seen error: ${error}`
  const collection = '/apis/apps/v1/namespaces/a/deployments'
  for (const [method, target] of [
    ['POST', collection],
    ['DELETE', collection],
    ['PUT', `${collection}/b`],
    ['PATCH', `${collection}/b/status`],
    ['DELETE', `${collection}/b`],
  ] as const)
    assert.equal(refused(method, target), text('deployments.apps'), method)
  assert.equal(refused('POST', '/apis/events.k8s.io/v1/namespaces/a/events'), text('events.events.k8s.io'))
  assert.equal(refused('POST', '/apis/coordination.k8s.io/v1/namespaces/a/leases'), text('leases.coordination.k8s.io'))
  for (const [method, target, from] of [
    ['GET', collection],
    ['GET', `${collection}?watch=true`],
    ['POST', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'],
    ['PUT', `${path}/core.pods/status`],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['POST', '/apis/example.com/v1/namespaces/a/things'],
    ['POST', '/healthz'],
    ['POST', collection, own],
  ] as const)
    assert.equal(refused(method, target, from), undefined, `${method} ${target}`)
  barrier.failed(deployments, 'no answer')
  assert.equal(refused('POST', collection), text('deployments.apps', 'no answer'))
  barrier.written(deployments)
  assert.equal(refused('POST', collection), undefined)
  assert.equal(barrier.open, false)
  barrier.written(events)
  barrier.written(leases)
  assert.equal(barrier.open, true)
})

test('where storage versions are not served, nothing is held', async (t) => {
  const api = await open(t, memoryStore(), 'apiserver-a', undefined, false)
  await api.create('/api/v1/namespaces/default/configmaps', configMap('one'))
})
