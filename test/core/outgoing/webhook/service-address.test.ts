import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServiceAddress } from '../../../../core/outgoing/service-address.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'

const label = 'kubernetes.io/service-name'
const service = (spec: object) => ({ kind: 'Service', apiVersion: 'v1', metadata: { name: 'hook', namespace: 'dev' }, spec })
const slice = (addressType: string, ports: object[], endpoints: object[], name = 'hook') => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { labels: { [label]: name } },
  addressType,
  ports,
  endpoints,
})

function resolve(spec: object | undefined, slices: readonly object[], port = 443): Promise<string> {
  const address = createServiceAddress(
    { find: async () => spec && (service(spec) as ApiObject), list: async () => slices as ApiObject[] },
    label,
  )
  return address('dev', 'hook', port, undefined)
}

const ports = [{ port: 443 }]
const webhook = [{ name: '', port: 8443 }]
const ready = { addresses: ['10.0.0.1'] }

test('a service resolves to a ready endpoint, at the target port', async () => {
  const notReady = { addresses: ['10.0.0.2'], conditions: { ready: false } }
  const other = slice('IPv4', webhook, [{ addresses: ['10.9.9.9'] }], 'other')
  assert.equal(await resolve({ ports }, [other, slice('IPv4', webhook, [notReady, ready])]), '10.0.0.1:8443')
  const named = {
    ports: [
      { name: 'metrics', port: 80 },
      { name: 'hook', port: 443 },
    ],
  }
  const both = [
    { name: 'metrics', port: 9090 },
    { name: 'hook', port: 8443 },
  ]
  assert.equal(await resolve(named, [slice('IPv4', both, [ready])]), '10.0.0.1:8443')
  const six = slice('IPv6', webhook, [{ addresses: ['fd00::1'] }])
  const dual = { ports, ipFamilies: ['IPv6', 'IPv4'] }
  assert.equal(await resolve(dual, [slice('IPv4', webhook, [ready]), six]), '[fd00::1]:8443', 'the first IP family of the service')
  assert.equal(await resolve({ type: 'ExternalName', externalName: 'hook.example.com' }, []), 'hook.example.com:443')
})

test('errors name what is missing', async () => {
  await assert.rejects(resolve(undefined, []), /^Error: service "hook" not found$/)
  await assert.rejects(resolve({ ports }, [], 8080), { message: 'no service port 8080 found for service "hook"' })
  const none = { message: 'no endpoints available for service "hook"' }
  await assert.rejects(resolve({ ports }, []), none)
  await assert.rejects(resolve({ ports }, [slice('IPv4', webhook, [{ addresses: ['10.0.0.1'], conditions: { ready: false } }])]), none)
  await assert.rejects(resolve({ ports }, [slice('IPv4', [{ name: 'other', port: 1 }], [ready])]), none)
})
