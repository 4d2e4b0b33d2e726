/** Metrics of allocations, of the node authorizer's graph and of filters, by the requests that cause them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiServer } from '../../../../core/server.ts'
import { type Api, apiOf } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'

const services = '/api/v1/namespaces/default/services'
const range = '10.9.0.0/24'
/** In the lower bands, from which nothing is taken unless it is asked for. */
const [chosenAddress, chosenPort] = ['10.9.0.5', 30_003]
/** A timer of the server does not keep the process alive. */
const alive = setInterval(() => {}, 1_000)
let server: ApiServer
let api: Api
before(async () => {
  server = (
    await startInProcess({
      platform: 'kubernetes',
      controllers: [],
      priorityAndFairness: 'on',
      authorizationModes: ['Node', 'RBAC'],
      serviceClusterIpRanges: [range],
      serviceNodePortRange: { from: 30_000, to: 30_099 },
      tokens: [
        { token: 'admin', user: { name: 'admin', groups: ['system:masters'] } },
        { token: 'node', user: { name: 'system:node:one', groups: ['system:nodes'] } },
      ],
      telemetry: { logger: silentLogger },
    })
  ).server
  api = as('admin')
})
after(async () => {
  clearInterval(alive)
  await server.close()
})

const as = (token: string, more: Record<string, string> = {}) =>
  apiOf((path, init) => {
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries({ authorization: `Bearer ${token}`, ...more })) headers.set(name, value)
    return server.fetch(new Request(`http://server${path}`, { ...init, headers }))
  })
async function sample(name: string, labels = ''): Promise<number | undefined> {
  const line = (await api.get<string>('/metrics')).body.split('\n').find((each) => each.startsWith(`${name}${labels} `))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}
const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })

test('cluster IPs are counted by range, and by whether the client asked for the address', async () => {
  const ips = (name: string, scope = '') =>
    sample(`kube_apiserver_clusterip_allocator_${name}`, `{cidr="${range}"${scope && `,scope="${scope}"`}}`)
  const taken = (await ips('allocated_ips')) ?? 0
  assert.equal(taken + ((await ips('available_ips')) ?? 0), 254)
  const before = [(await ips('allocation_total', 'dynamic')) ?? 0, (await ips('allocation_total', 'static')) ?? 0]
  await api.create(services, service('any', {}))
  await api.create(services, service('one', { clusterIP: chosenAddress }))
  assert.equal((await api.send('POST', services, service('two', { clusterIP: chosenAddress }))).status, 422)
  assert.equal((await api.send('POST', `${services}?dryRun=All`, service('dry', {}))).status, 201)
  assert.equal(await ips('allocated_ips'), taken + 2)
  assert.equal(await ips('available_ips'), 252 - taken)
  assert.deepEqual(
    [await ips('allocation_total', 'dynamic'), await ips('allocation_total', 'static')],
    before.map((each) => each + 1),
  )
  assert.equal(await ips('allocation_errors_total', 'static'), 1)
  assert.ok(((await ips('allocation_duration_seconds_count')) ?? 0) >= 2)
  await api.delete(`${services}/one`)
  assert.equal(await ips('allocated_ips'), taken + 1)
})

test('node ports are counted', async () => {
  const ports = (name: string, scope = '') => sample(`kube_apiserver_nodeport_allocator_${name}`, scope && `{scope="${scope}"}`)
  assert.deepEqual([await ports('allocated_ports'), await ports('available_ports')], [0, 100])
  await api.create(services, service('open', { type: 'NodePort' }))
  await api.create(services, service('chosen', { type: 'NodePort', ports: [{ port: 80, nodePort: chosenPort }] }))
  const again = service('again', { type: 'NodePort', ports: [{ port: 80, nodePort: chosenPort }] })
  assert.equal((await api.send('POST', services, again)).status, 422)
  assert.deepEqual([await ports('allocated_ports'), await ports('available_ports')], [2, 98])
  assert.deepEqual([await ports('allocation_total', 'dynamic'), await ports('allocation_total', 'static')], [1, 1])
  assert.equal(await ports('allocation_errors_total', 'static'), 1)
  await api.delete(`${services}/open`)
  assert.equal(await ports('allocated_ports'), 1)
})

test('filters are timed, each for the requests that pass it', async () => {
  const names = ['authentication', 'constrainedimpersonation', 'priorityandfairness', 'authorization']
  /** From one page, which is a request itself. */
  const count = async () => {
    const lines = (await api.get<string>('/metrics')).body.split('\n')
    const start = (name: string) => `apiserver_request_filter_duration_seconds_count{filter="${name}"} `
    return names.map((name) =>
      Number(
        lines
          .find((line) => line.startsWith(start(name)))
          ?.split(' ')
          .at(-1) ?? 0,
      ),
    )
  }
  await count()
  const before = await count()
  assert.equal((await as('nobody').send('GET', '/api/v1/nodes')).status, 401)
  assert.equal((await as('admin', { 'impersonate-user': 'jane' }).send('GET', '/api/v1/nodes')).status, 403)
  // The page that was read before is counted in it, and the new one in the new one.
  assert.deepEqual(
    (await count()).map((each, index) => each - (before[index] ?? 0)),
    [2, 2, 2, 1],
  )
})

test('changes of the graph of nodes are timed', async () => {
  await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
  await api.create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'here' },
    spec: { nodeName: 'one', automountServiceAccountToken: false, containers: [{ name: 'a', image: 'b' }] },
  })
  await as('node').send('GET', '/api/v1/namespaces/default/secrets/none')
  assert.ok(((await sample('node_authorizer_graph_actions_duration_seconds_count', '{operation="AddPod"}')) ?? 0) >= 1)
})
