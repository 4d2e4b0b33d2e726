import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import type { TestObject } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

const inDefault = '/api/v1/namespaces/default'
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'

test('the service kubernetes has the first address of the range and the advertised endpoint', async (t) => {
  const { api } = await startInProcess({ advertiseAddress: '192.0.2.7', securePort: 8443, serviceClusterIpRanges: ['10.7.0.0/16'] }, t)
  const { body: service } = await api.get(`${inDefault}/services/platform`)
  assert.deepEqual(service.metadata.labels, { component: 'apiserver', provider: 'platform' })
  const { clusterIP, clusterIPs, type, ipFamilyPolicy, ports } = service.spec as { [field: string]: unknown }
  assert.deepEqual([clusterIP, clusterIPs, type, ipFamilyPolicy], ['10.7.0.1', ['10.7.0.1'], 'ClusterIP', 'SingleStack'])
  assert.deepEqual(ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 8443 }])

  const { body: endpoints } = await api.get<TestObject & { subsets: unknown }>(`${inDefault}/endpoints/platform`)
  assert.deepEqual(endpoints.subsets, [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: 8443, protocol: 'TCP' }] }])
  const { body: slice } = await api.get<TestObject & { endpoints: unknown; addressType: string }>(`${slices}/platform`)
  assert.deepEqual([slice.addressType, slice.endpoints], ['IPv4', [{ addresses: ['192.0.2.7'], conditions: { ready: true } }]])
  assert.equal(slice.metadata.labels?.['kubernetes.io/service-name'], 'platform')
})

test('the range is a ready ServiceCIDR, named as on the platform', async (t) => {
  const { api } = await startInProcess({ platform: 'kubernetes' }, t)
  const { body } = await api.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
  assert.deepEqual(body.spec, { cidrs: ['10.0.0.0/24'] })
  const [condition] = (body.status?.['conditions'] ?? []) as { type: string; status: string; message: string }[]
  assert.deepEqual([condition?.type, condition?.status, condition?.message], ['Ready', 'True', 'Kubernetes default Service CIDR is ready'])
  assert.equal((await api.get(`${inDefault}/services/kubernetes`)).status, 200)
})

test('a restarted server keeps the service and updates the endpoint', async (t) => {
  const store = memoryStore()
  const first = await startInProcess({ store, advertiseAddress: '192.0.2.7' })
  const { body: before } = await first.api.get(`${inDefault}/services/platform`)
  await first.close()
  const { api } = await startInProcess({ store, advertiseAddress: '192.0.2.8' }, t)
  assert.deepEqual((await api.get(`${inDefault}/services/platform`)).body, before)
  const { body } = await api.get<TestObject & { subsets: { addresses: unknown }[] }>(`${inDefault}/endpoints/platform`)
  assert.deepEqual(body.subsets[0]?.addresses, [{ ip: '192.0.2.8' }])
})

test('can be a NodePort service; without an advertised address it has no endpoints', async (t) => {
  const { api } = await startInProcess({ clusterServiceNodePort: 30_443 }, t)
  const { type, ports } = (await api.get(`${inDefault}/services/platform`)).body.spec as { type: string; ports: { nodePort: number }[] }
  assert.deepEqual([type, ports[0]?.nodePort], ['NodePort', 30_443])
  assert.equal((await api.get(`${inDefault}/endpoints/platform`)).status, 404)
  assert.equal((await api.get(`${slices}/platform`)).status, 404)
})
