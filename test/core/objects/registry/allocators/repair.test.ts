import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PortSet } from '../../../../../core/objects/registry/allocators/port-set.ts'
import { printPorts, readPorts } from '../../../../../core/objects/registry/allocators/range-allocation.ts'
import { assertFailure } from '../../../../support/api.ts'
import { ManualClock } from '../../../../support/clock.ts'
import { watchAt } from '../../../../support/watch-reader.ts'
import { addresses, service, services, start } from './support.ts'

const key = '/registry/ranges/servicenodeports'
const range = { from: 30_000, to: 32_767 }
const interval = 180_000

test('allocations of stored services are restored', async (t) => {
  const before = await start(t)
  await before.api.create(services, service('web', { type: 'NodePort', clusterIP: '10.0.0.5', ports: [{ port: 80, nodePort: 30_080 }] }))
  await before.close()
  for (const lost of [key, '/registry/ipaddresses/10.0.0.5']) {
    const { kv } = await before.store.get(lost)
    assert(kv, lost)
    await before.store.delete(lost, kv.modRevision)
  }
  const after = await start(t, { store: before.store })
  assert.deepEqual(await after.taken(), ['10.0.0.1', '10.0.0.5'])
  assertFailure(
    await after.api.send('POST', services, service('other', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] })),
    422,
    'Invalid',
    /provided port is already allocated$/,
  )
})

test('an allocation without a service is released when it is found a second time', async (t) => {
  const clock = new ManualClock()
  const { api, store, taken } = await start(t)
  await api.create(addresses, {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: {
      name: '10.0.0.9',
      labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'never-stored' } },
  })
  await store.put(key, printPorts(new PortSet(range, [30_999])), 0)
  const watch = await watchAt(api.fetch, addresses, { fieldSelector: 'metadata.name=10.0.0.9' })
  t.after(() => watch.close())

  await start(t, { store, clock })
  assert.deepEqual(await taken(), ['10.0.0.1', '10.0.0.9'], 'found once')
  assert.deepEqual([...readPorts((await store.get(key)).kv?.value, range).taken], [30_999])

  const released = new Promise<void>((resolve) => {
    const following = store.watch(key, 0, {
      events: (events) => {
        const last = events.at(-1)
        if (last?.type === 'put' && readPorts(last.kv.value, range).taken.size === 0) resolve()
      },
      progress() {},
      end() {},
    })
    t.after(() => following.close())
  })
  clock.advance(interval)
  await watch.until(({ type }) => type === 'DELETED')
  await released
})
