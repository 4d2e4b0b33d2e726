import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../../../core/ports.ts'
import { memoryStore } from '../../../../../runtimes/web/index.ts'
import { assertFailure, type TestObject } from '../../../../support/api.ts'
import { addresses, addressOf, ranges, service, services, specOf, start, update } from './support.ts'

const own = '10.0.0.1'
const lastByte = (address: string) => Number(address.split('.')[3])

test('a service gets an address from the upper part of the range, recorded as an IPAddress', async (t) => {
  const { api } = await start(t)
  for (let index = 0; index < 20; index++) {
    const address = addressOf(await api.create(services, service(`web-${index}`)))
    assert.match(address, /^10\.0\.0\.\d+$/)
    assert(lastByte(address) >= 17 && lastByte(address) <= 254, address)
  }
  const created = await api.create(services, service('web'))
  const { clusterIP = '', clusterIPs, ipFamilies, ipFamilyPolicy } = specOf(created)
  assert.deepEqual(
    { clusterIPs, ipFamilies, ipFamilyPolicy },
    { clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  )
  const { body } = await api.get(`${addresses}/${clusterIP}`)
  assert.deepEqual(body.spec, { parentRef: { resource: 'services', namespace: 'default', name: 'web' } })
  assert.deepEqual(body.metadata.labels, {
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  })
})

test('a requested address can be taken once and must lie in a range', async (t) => {
  const { api, taken } = await start(t)
  assert.equal(addressOf(await api.create(services, service('dns', { clusterIP: '10.0.0.10' }))), '10.0.0.10')
  const refuse = async (clusterIP: string, why: string) => {
    const status = assertFailure(
      await api.send('POST', services, service('web', { clusterIP })),
      422,
      'Invalid',
      `Service "web" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: ${why}`,
    )
    assert.equal(status.details?.causes?.[0]?.field, 'spec.clusterIPs')
  }
  await refuse('10.0.0.10', 'provided IP is already allocated')
  await refuse(own, 'provided IP is already allocated')
  await refuse('10.0.1.1', 'the provided network does not match the current range')
  await refuse('10.0.0.0', 'the provided IP (10.0.0.0) is not in the valid range. The range of valid IPs is 10.0.0.0/24')
  await refuse('10.0.0.255', 'the provided IP (10.0.0.255) is not in the valid range. The range of valid IPs is 10.0.0.0/24')
  assert.deepEqual(await taken(), [own, '10.0.0.10'])
})

test('headless and ExternalName services take no address', async (t) => {
  const { api, taken } = await start(t)
  const free = specOf(await api.create(services, service('free', { clusterIP: 'None' })))
  assert.deepEqual([free.clusterIPs, free.ipFamilies, free.ipFamilyPolicy], [['None'], ['IPv4', 'IPv6'], 'RequireDualStack'])
  const selecting = specOf(await api.create(services, service('selecting', { clusterIP: 'None', selector: { app: 'web' } })))
  assert.deepEqual([selecting.clusterIPs, selecting.ipFamilies, selecting.ipFamilyPolicy], [['None'], ['IPv4'], 'SingleStack'])
  const external = specOf(await api.create(services, service('external', { type: 'ExternalName', externalName: 'example.org' })))
  assert.deepEqual([external.clusterIP, external.clusterIPs, external.ipFamilies], [undefined, undefined, undefined])
  assert.deepEqual(await taken(), [own])
})

test('changing to ExternalName releases the address, changing back allocates one', async (t) => {
  const { api, taken } = await start(t)
  const created = await api.create(services, service('web', { clusterIP: '10.0.0.5' }))
  const external = await update(api, { ...created, spec: { ...created.spec, type: 'ExternalName', externalName: 'example.org' } })
  assert.equal(specOf(external).clusterIP, undefined)
  assert.deepEqual(await taken(), [own])
  const back = await update(api, { ...external, spec: { type: 'ClusterIP', ports: specOf(created).ports } })
  assert.deepEqual(await taken(), [own, addressOf(back)].sort())
})

test('an update without clusterIP keeps it', async (t) => {
  const { api, taken } = await start(t)
  const created = await api.create(services, service('web'))
  const again = await update(api, service('web', {}, { labels: { tier: 'front' } }))
  assert.deepEqual(again.spec, created.spec)
  assert.deepEqual(await taken(), [own, addressOf(created)].sort())
})

test('a deleted service releases its address when it is removed, not earlier', async (t) => {
  const { api, taken } = await start(t)
  await api.create('/api/v1/namespaces/default/endpoints', { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 'web' } })
  await api.create(services, service('web', { clusterIP: '10.0.0.5' }, { finalizers: ['example.org/hold'] }))
  await api.delete(`${services}/web`)
  assert.deepEqual(await taken(), [own, '10.0.0.5'])
  await api.patch(`${services}/web`, { metadata: { finalizers: null } })
  assert.deepEqual(await taken(), [own])
  assert.equal((await api.get('/api/v1/namespaces/default/endpoints/web')).status, 404)
  await api.create(services, service('next', { clusterIP: '10.0.0.5' }))
  await api.delete(`${services}/next`)
  assert.deepEqual(await taken(), [own])
})

test('a failed create releases its address', async (t) => {
  const { api, taken } = await start(t)
  const created = await api.create(services, service('web'))
  assertFailure(await api.send('POST', services, service('web')), 409, 'AlreadyExists')
  assertFailure(await api.send('POST', services, service('Not_A_Name')), 422, 'Invalid')
  assert.deepEqual(await taken(), [own, addressOf(created)].sort())
})

test('a dry run gets the network address, detects addresses outside of ranges, and allocates nothing', async (t) => {
  const { api, taken } = await start(t)
  const { status, body } = await api.send('POST', `${services}?dryRun=All`, service('web'))
  assert.equal(status, 201)
  assert.equal(addressOf(body), '10.0.0.0')
  assert.equal((await api.send('POST', `${services}?dryRun=All`, service('web', { clusterIP: own }))).status, 201)
  assertFailure(
    await api.send('POST', `${services}?dryRun=All`, service('web', { clusterIP: '10.9.0.1' })),
    422,
    'Invalid',
    /the provided IP \(10\.9\.0\.1\) is not in the valid range\. The range of valid IPs is 10\.0\.0\.0\/24$/,
  )
  const unnamed = { ...service(''), metadata: {} }
  assertFailure(
    await api.send('POST', `${services}?dryRun=All`, unnamed),
    422,
    'Invalid',
    /^Service "" is invalid: metadata\.name: Required/,
  )
  const created = await api.create(services, service('web'))
  await api.send('DELETE', `${services}/web?dryRun=All`)
  const external = { ...created, spec: { type: 'ExternalName', externalName: 'example.org' } }
  assert.equal((await api.send('PUT', `${services}/web?dryRun=All`, external)).status, 200)
  assert.deepEqual(await taken(), [own, addressOf(created)].sort())
})

test('a small range allocates all its addresses and is then full', async (t) => {
  const { api, taken } = await start(t, { serviceClusterIpRanges: ['10.9.0.0/29'] })
  for (let index = 0; index < 5; index++) await api.create(services, service(`web-${index}`))
  assert.deepEqual(
    await taken(),
    [1, 2, 3, 4, 5, 6].map((last) => `10.9.0.${last}`),
  )
  assertFailure(
    await api.send('POST', services, service('late')),
    500,
    'InternalError',
    'Internal error occurred: failed to allocate a serviceIP: range is full',
  )
  await api.delete(`${services}/web-3`)
  await api.create(services, service('late'))
})

test('concurrently created services get different addresses', async (t) => {
  const { api, taken } = await start(t, { serviceClusterIpRanges: ['10.9.0.0/26'] })
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => api.create(services, service(`web-${index}`))))
  assert.equal(new Set(made.map(addressOf)).size, 40)
  assert.equal((await taken()).length, 41)
})

test('additional ServiceCIDRs are used once they are ready', async (t) => {
  const { api } = await start(t, { serviceClusterIpRanges: ['10.9.0.0/29'] })
  for (let index = 0; index < 5; index++) await api.create(services, service(`full-${index}`))
  assertFailure(await api.send('POST', services, service('web')), 500, 'InternalError', /range is full$/)
  await api.create(ranges, {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'more' },
    spec: { cidrs: ['10.8.0.0/24'] },
  })
  assert.match(addressOf(await api.create(services, service('web'))), /^10\.8\.0\./)
  const { body } = await api.get(`${ranges}/more`)
  const condition = { type: 'Ready', status: 'False', reason: 'Terminating', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const { status } = await api.send('PUT', `${ranges}/more/status`, { ...body, status: { conditions: [condition] } })
  assert.equal(status, 200)
  assertFailure(await api.send('POST', services, service('late')), 500, 'InternalError', /range is full$/)
})

test('a dual-stack server allocates both families', async (t) => {
  const { api, taken } = await start(t, { serviceClusterIpRanges: ['10.0.0.0/24', 'fd00::/112'] })
  const single = specOf(await api.create(services, service('single')))
  assert.deepEqual([single.ipFamilies, single.clusterIPs?.length], [['IPv4'], 1])
  const dual = await api.create(services, service('dual', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }))
  const { clusterIP = '', clusterIPs = [], ipFamilies } = specOf(dual)
  assert.deepEqual(ipFamilies, ['IPv6', 'IPv4'])
  assert.equal(clusterIPs[0], clusterIP)
  assert.match(clusterIPs[0] ?? '', /^fd00::/)
  assert.match(clusterIPs[1] ?? '', /^10\./)

  const refused = { ...dual, spec: { ...dual.spec, clusterIPs: clusterIPs.slice(0, 1) } }
  assertFailure(
    await api.send('PUT', `${services}/dual`, refused),
    422,
    'Invalid',
    /must be 'SingleStack' to release the secondary cluster IP/,
  )
  const smaller: TestObject = await update(api, { ...dual, spec: { ...dual.spec, ipFamilyPolicy: 'SingleStack' } })
  assert.deepEqual([specOf(smaller).ipFamilies, specOf(smaller).clusterIPs], [['IPv6'], [clusterIP]])
  assert.equal((await taken()).includes(clusterIPs[1] ?? ''), false)
  const larger = await update(api, { ...smaller, spec: { ...smaller.spec, ipFamilyPolicy: 'PreferDualStack' } })
  assert.equal(specOf(larger).clusterIPs?.length, 2)
  for (const address of specOf(larger).clusterIPs ?? []) assert((await taken()).includes(address), address)
})

test('a single-stack server refuses RequireDualStack, and serves PreferDualStack with one family', async (t) => {
  const { api } = await start(t)
  assertFailure(
    await api.send('POST', services, service('web', { ipFamilyPolicy: 'RequireDualStack' })),
    422,
    'Invalid',
    'Service "web" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  )
  assertFailure(
    await api.send('POST', services, service('web', { ipFamilies: ['IPv6'] })),
    422,
    'Invalid',
    'Service "web" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
  )
  assertFailure(
    await api.send('POST', services, service('web', { clusterIP: 'fd00::5' })),
    422,
    'Invalid',
    'Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::5"]: IPv6 is not configured on this cluster',
  )
  const preferred = specOf(await api.create(services, service('web', { ipFamilyPolicy: 'PreferDualStack' })))
  assert.deepEqual([preferred.ipFamilies, preferred.clusterIPs?.length], [['IPv4'], 1])
})

test('an attempt that loses its conditional write releases its address', async (t) => {
  const store = memoryStore()
  const key = '/registry/services/specs/default/web'
  let lost = 0
  const contended: KeyValueStore = {
    ...store,
    async put(at, value, expected, lease) {
      const { kv } = await store.get(at)
      if (at === key && kv && lost < 3) {
        lost++
        await store.put(at, kv.value, kv.modRevision)
      }
      return store.put(at, value, expected, lease)
    },
  }
  const { api, taken } = await start(t, { store: contended })
  await api.create(services, service('web', { type: 'ExternalName', externalName: 'example.org' }))
  const { status, body } = await api.patch(`${services}/web`, { spec: { type: 'ClusterIP', externalName: null } })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(lost, 3)
  assert.deepEqual(await taken(), [own, addressOf(body)].sort())
})
