import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPorts } from '../../../../../core/objects/registry/allocators/range-allocation.ts'
import { assertFailure } from '../../../../support/api.ts'
import { portOf, service, services, specOf, start, type TestServer, update } from './support.ts'

const range = { from: 30_000, to: 32_767 }
const nodePort = (name: string, ...ports: object[]) => service(name, { type: 'NodePort', ports: ports.length > 0 ? ports : [{ port: 80 }] })

async function takenPorts({ store }: TestServer): Promise<number[]> {
  const { kv } = await store.get('/registry/ranges/servicenodeports')
  return [...readPorts(kv?.value, range).taken].sort((a, b) => a - b)
}

test('NodePort services get ports from the upper part of the range, recorded under one store key', async (t) => {
  const server = await start(t)
  const made = [await server.api.create(services, nodePort('a')), await server.api.create(services, nodePort('b'))]
  for (const each of made) assert(portOf(each) >= 30_086 && portOf(each) <= 32_767, String(portOf(each)))
  await server.api.create(services, service('c'))
  assert.deepEqual(
    await takenPorts(server),
    made.map(portOf).sort((a, b) => a - b),
  )
})

test('a requested port can be taken once and must lie in the range', async (t) => {
  const server = await start(t)
  const { api } = server
  assert.equal(portOf(await api.create(services, nodePort('a', { port: 80, nodePort: 30_001 }))), 30_001)
  assertFailure(
    await api.send('POST', services, nodePort('b', { port: 80, nodePort: 30_001 })),
    422,
    'Invalid',
    'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
  )
  assertFailure(
    await api.send('POST', services, nodePort('b', { port: 80, nodePort: 8080 })),
    422,
    'Invalid',
    'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 8080: provided port is not in the valid range. The range of valid ports is 30000-32767',
  )
  assert.deepEqual(await takenPorts(server), [30_001])
  assert.equal((await server.taken()).length, 2)
})

test('protocols of one port share its node port', async (t) => {
  const server = await start(t)
  const dns = await server.api.create(
    services,
    nodePort('dns', { name: 'udp', port: 53, protocol: 'UDP' }, { name: 'tcp', port: 53, protocol: 'TCP', nodePort: 30_053 }),
  )
  assert.deepEqual(
    specOf(dns).ports.map((each) => each.nodePort),
    [30_053, 30_053],
  )
  assert.deepEqual(await takenPorts(server), [30_053])
})

test('an update without node ports keeps them by port name, allocates new ones and releases the others', async (t) => {
  const server = await start(t)
  await server.api.create(
    services,
    nodePort('web', { name: 'http', port: 80, nodePort: 30_080 }, { name: 'https', port: 443, nodePort: 30_443 }),
  )
  const changed = await update(server.api, nodePort('web', { name: 'http', port: 8080 }, { name: 'metrics', port: 9090 }))
  const [http, metrics] = specOf(changed).ports
  assert.equal(http?.nodePort, 30_080)
  assert(metrics?.nodePort && metrics.nodePort !== 30_443)
  assert.deepEqual(await takenPorts(server), [30_080, metrics.nodePort])
})

test('ports with one name and protocol keep one node port, which fails before validation names them', async (t) => {
  const server = await start(t)
  const http = { name: 'http', port: 80, nodePort: 30_080 }
  await server.api.create(services, nodePort('web', http, { name: 'https', port: 443 }))
  const changed = (...ports: object[]) => server.api.send('PUT', `${services}/web`, nodePort('web', ...ports))
  for (const ports of [
    [http, { ...http, port: 81 }],
    [
      { ...http, nodePort: 0 },
      { ...http, nodePort: 0 },
    ],
  ]) {
    const { status, body } = await changed(...ports)
    assert.deepEqual([status, (body as { message?: string }).message], [500, 'duplicate nodePort: {TCP 30080}'])
  }
})

test('node ports that are left go with the type that needs them, unless there are new ones', async (t) => {
  const server = await start(t)
  const http = { name: 'http', port: 80, nodePort: 30_080 }
  const https = { name: 'https', port: 443, nodePort: 30_443 }
  await server.api.create(services, nodePort('web', http, https))
  const inner = (...ports: object[]) => service('web', { type: 'ClusterIP', ports })
  assertFailure(
    await server.api.send('PUT', `${services}/web`, inner(http, { ...https, nodePort: 30_444 })),
    422,
    'Invalid',
    /spec\.ports\[0\]\.nodePort: Forbidden: may not be used when `type` is 'ClusterIP'/,
  )
  assert.equal(portOf(await update(server.api, inner(http))), 0)
  assert.deepEqual(await takenPorts(server), [])
})

test('a service releases its node ports when its type no longer needs them or it is deleted', async (t) => {
  const server = await start(t)
  const created = await server.api.create(services, nodePort('web', { port: 80, nodePort: 30_080 }))
  const inner = await update(server.api, { ...created, spec: { ...created.spec, type: 'ClusterIP' } })
  assert.equal(portOf(inner), 0)
  assert.deepEqual(await takenPorts(server), [])
  await server.api.create(services, nodePort('other', { port: 80, nodePort: 30_080 }))
  await server.api.delete(`${services}/other`)
  assert.deepEqual(await takenPorts(server), [])
})

test('allocates a health check port for external traffic policy Local; allocateLoadBalancerNodePorts: false allocates no others', async (t) => {
  const server = await start(t)
  const balancer = (name: string, spec: object) => service(name, { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ...spec })
  const created = await server.api.create(services, balancer('a', { healthCheckNodePort: 30_900, allocateLoadBalancerNodePorts: false }))
  assert.deepEqual([specOf(created).healthCheckNodePort, portOf(created)], [30_900, 0])
  assert.deepEqual(await takenPorts(server), [30_900])
  assertFailure(
    await server.api.send('POST', services, balancer('b', { healthCheckNodePort: 30_900 })),
    500,
    'InternalError',
    'Internal error occurred: failed to allocate requested HealthCheck NodePort 30900: provided port is already allocated',
  )
  const chosen = await server.api.create(services, balancer('b', {}))
  const { healthCheckNodePort = 0 } = specOf(chosen)
  assert.deepEqual(
    await takenPorts(server),
    [30_900, healthCheckNodePort, portOf(chosen)].sort((a, b) => a - b),
  )
  await update(server.api, { ...chosen, spec: { ...chosen.spec, externalTrafficPolicy: 'Cluster' } })
  assert.deepEqual(
    await takenPorts(server),
    [30_900, portOf(chosen)].sort((a, b) => a - b),
  )
})

test('a dry run picks and checks ports, but allocates nothing', async (t) => {
  const server = await start(t)
  await server.api.create(services, nodePort('web', { port: 80, nodePort: 30_080 }))
  const { status, body } = await server.api.send('POST', `${services}?dryRun=All`, nodePort('dry'))
  assert.equal(status, 201)
  assert(portOf(body as never) >= range.from)
  assertFailure(
    await server.api.send('POST', `${services}?dryRun=All`, nodePort('dry', { port: 80, nodePort: 30_080 })),
    422,
    'Invalid',
    /provided port is already allocated$/,
  )
  await server.api.send('DELETE', `${services}/web?dryRun=All`)
  assert.deepEqual(await takenPorts(server), [30_080])
})

test('servers on one store never allocate a port twice', async (t) => {
  const serviceNodePortRange = { from: 30_000, to: 30_029 }
  const one = await start(t, { serviceNodePortRange })
  const two = await start(t, { serviceNodePortRange, store: one.store })
  const make = ({ api }: TestServer, name: string) =>
    Array.from({ length: 15 }, (_, index) => api.create(services, nodePort(`${name}-${index}`)))
  const made = await Promise.all([...make(one, 'one'), ...make(two, 'two')])
  assert.equal(new Set(made.map(portOf)).size, 30)
  const addressCount = (await one.taken()).length
  assertFailure(
    await two.api.send('POST', services, nodePort('late')),
    500,
    'InternalError',
    'Internal error occurred: failed to allocate a nodePort: range is full',
  )
  assert.equal((await one.taken()).length, addressCount, 'the address of the failed service is released')
})
