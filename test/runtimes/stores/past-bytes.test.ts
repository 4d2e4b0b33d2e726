/** Past revisions are kept up to a size limit, so that many writes of large objects fill neither memory nor disk. */
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { bytes, text } from '../../../runtimes/testing/store/recorder.ts'
import { configMap } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { hostClock, temporaryDirectory, warnings } from './helpers.ts'

const pastBytes = 100_000
const durablePast = 500_000

/** Replaces one value repeatedly with different ones. Returns the revisions. */
async function replace(store: KeyValueStore, times: number, size = 1_000): Promise<number[]> {
  const revisions: number[] = []
  for (let i = 0; i < times; i++) {
    const { revision } = await store.put('k', bytes(`${i} ${'x'.repeat(size)}`), revisions.at(-1) ?? 0)
    revisions.push(revision)
  }
  return revisions
}

const isCompacted = (error: unknown) => error instanceof StoreError && error.code === 'compacted'

/** The oldest readable revision. */
async function oldestOf(store: KeyValueStore, revisions: readonly number[]): Promise<number> {
  for (const revision of revisions) {
    try {
      await store.get('k', revision)
      return revision
    } catch (error) {
      assert(isCompacted(error), String(error))
    }
  }
  assert.fail('nothing can be read')
}

/** Asserts that the newest past values are kept; each has a hundredth of the limit. */
async function keepsTheNewest(store: KeyValueStore, kept = pastBytes): Promise<void> {
  const revisions = await replace(store, 300, kept / 100)
  const oldest = await oldestOf(store, revisions)
  const left = revisions.length - revisions.indexOf(oldest)
  assert(left > 45 && left <= 101, `${left} values`)
  for (const [index, revision] of revisions.entries())
    if (revision >= oldest) assert.match(text((await store.get('k', revision)).kv?.value) ?? '', new RegExp(`^${index} `))
  await store.delete('k', revisions.at(-1) ?? 0)
}

test('a store in memory drops the older half of its past at the limit', async () => {
  const store = memoryStore({ pastBytes })
  await keepsTheNewest(store)
  // Only past values count, not current ones.
  for (let i = 0; i < 200; i++) await store.put(`/many/${i}`, bytes('x'.repeat(1_000)), 0)
  const revision = await store.currentRevision()
  for (let i = 0; i < 200; i++) await store.put(`/small/${i}`, bytes('x'), 0)
  assert.equal((await store.list({ prefix: '/many/', revision })).items.length, 200)
})

test('current values may be larger than the limit for the past, and deleted ones count', async () => {
  const store = memoryStore({ pastBytes })
  const { revision } = await store.put('large', bytes('x'.repeat(300_000)), 0)
  const deleted = await store.delete('large', revision)
  assert(deleted.ok)
  await store.put('k', bytes('x'), 0)
  await assert.rejects(store.get('large', revision), isCompacted)
  assert.equal((await store.get('large', deleted.revision)).kv, undefined)
})

test('a durable store drops it too and shrinks its files; sizes are restored on open', async () => {
  const { directory, remove } = await temporaryDirectory()
  const open = () => openDurableStore({ directory, clock: hostClock, logger: warnings(), segmentBytes: 50_000, pastBytes: durablePast })
  const sizeOf = () => readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  const first = await open()
  await keepsTheNewest(first, durablePast)
  const revisions = await replace(first, 40, durablePast / 100)
  await first.close()
  // The past, a base, and a segment with spare room.
  assert(sizeOf() < 1_000_000, `${sizeOf()} bytes`)
  const second = await open()
  assert.match(text((await second.get('k', revisions[0])).kv?.value) ?? '', /^0 /)
  let last = revisions.at(-1) ?? 0
  for (let i = 0; i < 110; i++) ({ revision: last } = await second.put('k', bytes('y'.repeat(durablePast / 100)), last))
  await second.currentRevision()
  await assert.rejects(second.get('k', revisions[0]), isCompacted)
  await second.close()
  await remove()
})

test('clients get the error of an expired resourceVersion, as from kube-apiserver', async (t) => {
  const { api, fetch } = await startInProcess({ store: memoryStore({ pastBytes }), controllers: [], watchCache: false }, t)
  const path = '/api/v1/namespaces/default/configmaps'
  for (const name of ['a', 'b']) await api.create(path, configMap(name))
  const { metadata } = await api.list(`${path}?limit=1`)
  for (let i = 0; i < 20; i++) await api.patch(`${path}/a`, { data: { text: `${i} ${'x'.repeat(10_000)}` } })
  const expired = await api.get<{ reason: string }>(`${path}?limit=1&continue=${metadata.continue}`)
  assert.deepEqual([expired.status, expired.body.reason], [410, 'Expired'])
  const exact = await api.get<{ message: string }>(`${path}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)
  assert.deepEqual([exact.status, exact.body.message], [410, 'The resourceVersion for the provided list is too old.'])
  const reader = await watchAt(fetch, path, { resourceVersion: metadata.resourceVersion })
  const [event] = await reader.rest()
  assert.equal(event?.type, 'ERROR')
  const { code, reason, message } = event.object as unknown as { code: number; reason: string; message: string }
  assert.deepEqual([code, reason, message], [410, 'Expired', 'The resourceVersion for the provided watch is too old.'])
})
