import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedStore } from '../../../runtimes/stores/bounded.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { put, storeError } from '../../../runtimes/testing/store/calls.ts'
import { bytes } from '../../../runtimes/testing/store/recorder.ts'
import { configMap } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'

const value = 'x'.repeat(100)
const bound = { bytes: 10_000, perObject: 900 }

test('new objects are refused beyond the bound, and updates a quarter later; deletions make room', async () => {
  const store = boundedStore(memoryStore(), bound)
  const revisions: number[] = []
  for (let i = 0; i < 10; i++) revisions.push(await put(store, `k${i}`, value, 0))
  await assert.rejects(store.put('k10', bytes(value), 0), storeError('no-space'))
  // However often: what an update replaces does not count.
  for (let i = 0; i < 100; i++) revisions[0] = await put(store, 'k0', value, revisions[0] ?? 0)
  await assert.rejects(store.put('k0', bytes('x'.repeat(3_000)), revisions[0] ?? 0), storeError('no-space'))
  await assert.rejects(store.put('k10', bytes(value), 0), storeError('no-space'))
  await store.delete('k9', revisions[9] ?? 0)
  await put(store, 'k10', value, 0)
  await assert.rejects(store.put('k11', bytes(value), 0), storeError('no-space'))
})

test('counts what a store has when it is opened', async () => {
  const inner = memoryStore()
  for (let i = 0; i < 10; i++) await put(inner, `k${i}`, value, 0)
  await assert.rejects(boundedStore(inner, bound).put('k10', bytes(value), 0), storeError('no-space'))
})

test('a client gets a Status that says why', async (t) => {
  const { api } = await startInProcess({ store: boundedStore(memoryStore(), { bytes: 500_000, perObject: 1_024 }) }, t)
  const collection = '/api/v1/namespaces/default/configmaps'
  let answer = await api.send('POST', collection, configMap('k0', { value }))
  for (let i = 1; answer.status === 201; i++) answer = await api.send('POST', collection, configMap(`k${i}`, { value }))
  assert.equal(answer.status, 507)
  assert.match(JSON.stringify(answer.body), /no space left: its objects need 500000 bytes of memory, all that this runtime has for them/)
  assert.equal((await api.patch(`${collection}/k0`, { data: { more: 'x' } })).status, 200)
  assert.equal((await api.delete(`${collection}/k0`)).status, 200)
  assert.equal((await api.send('POST', collection, configMap('again', { value }))).status, 201)
})
