/** Leases of events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { startInProcess } from '../../../support/in-process.ts'

const event = {
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Test',
  type: 'Normal',
}

for (const [eventTtl, leases] of [
  [0, 0],
  [600, 1],
] as const) {
  test(`with an event TTL of ${eventTtl} s, an event is stored with ${leases} leases`, async (t) => {
    const store = memoryStore()
    let granted = 0
    const grantLease: typeof store.grantLease = (seconds) => {
      granted++
      return store.grantLease(seconds)
    }
    const { api } = await startInProcess({ eventTtl, controllers: [], store: { ...store, grantLease } }, t)
    const before = granted
    await api.create('/api/v1/namespaces/default/events', event)
    assert.equal(granted - before, leases)
  })
}

test('a list in YAML has its members in the order of their names', async (t) => {
  const { fetch } = await startInProcess({ controllers: [] }, t)
  const yaml = { headers: { accept: 'application/yaml' } }
  const namesIn = async (path: string) => {
    const response = await fetch(path, yaml)
    return [...(await response.text()).matchAll(/^(\w+):/gm)].map(([, name]) => name)
  }
  const members = ['apiVersion', 'items', 'kind', 'metadata']
  assert.deepEqual(await namesIn('/api/v1/namespaces'), members)
  assert.deepEqual(await namesIn('/api/v1/secrets'), members)
  assert.deepEqual(await namesIn('/api/v1/namespaces/default'), ['apiVersion', 'kind', 'metadata', 'spec', 'status'])
})
