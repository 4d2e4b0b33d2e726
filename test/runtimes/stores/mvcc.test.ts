import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '../../../core/ports.ts'
import type { Journal } from '../../../runtimes/stores/engine.ts'
import { History } from '../../../runtimes/stores/history.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { createMvcc } from '../../../runtimes/stores/mvcc.ts'
import { bytes, describeEvent, Recorder } from '../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../support/clock.ts'
import { hostClock } from './helpers.ts'

test('revisions start at 1, and the first write creates 2', async () => {
  const store = memoryStore()
  assert.equal(await store.currentRevision(), 1)
  assert.deepEqual(await store.put('k', bytes('v'), 0), { ok: true, revision: 2 })
})

test('changes of one turn of the event loop reach a watcher in one call', async () => {
  const store = memoryStore()
  const recorder = new Recorder()
  store.watch('', 1, recorder)
  await Promise.all(Array.from({ length: 10 }, (_, i) => store.put(`k${i}`, bytes('v'), 0)))
  await recorder.until(({ log }) => log.length === 10)
  assert.equal(recorder.batches.length, 1)
})

test('a lease may be longer than the longest timer', async () => {
  const clock = new ManualClock()
  const store = memoryStore({ clock })
  const days = 60
  const lease = await store.grantLease(days * 86_400)
  await store.put('k', bytes('v'), 0, lease)
  const recorder = new Recorder()
  store.watch('', 2, recorder)
  clock.advance(days * 86_400_000 - 1)
  await store.put('barrier', bytes('v'), 0)
  assert.equal(await store.count('k'), 1)
  clock.advance(1)
  await recorder.until(({ log }) => log.length === 2)
  assert.deepEqual(recorder.received.map(describeEvent), ['put barrier=v', 'delete k (was v)'])
})

test('a watcher that throws loses its watch and disturbs no others', async () => {
  const store = memoryStore()
  const bad = new Recorder()
  bad.events = () => {
    throw new Error('oops')
  }
  const good = new Recorder()
  store.watch('', 1, bad)
  store.watch('', 1, good)
  for (const key of ['a', 'b']) assert((await store.put(key, bytes('v'), 0)).ok)
  await good.until(({ log }) => log.length === 2)
  assert.equal(bad.ended?.error?.message, 'watcher failed: oops')
})

test('a write is visible only when the journal has it, and a failed commit changes nothing', async () => {
  const gates: { open: () => void; fail: (error: Error) => void; size: number }[] = []
  const journal: Journal = {
    append: (changes) => new Promise((open, fail) => gates.push({ open, fail, size: changes.length })),
    grant: async () => {},
    endLease: async () => {},
    compact: async () => {},
    size: () => 0,
    close: async () => {},
  }
  const store = createMvcc({ clock: hostClock, history: new History(), journal })
  const recorder = new Recorder()
  const watch = store.watch('', 1, recorder)
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  const first = store.put('a', bytes('1'), 0)
  await turn()
  // Both wait for the first and are committed together. The losing swap must not return a value before it is durable.
  const second = store.put('a', bytes('2'), 2)
  const loser = store.put('a', bytes('3'), 2)
  await recorder.caughtUp(store, watch)
  assert.deepEqual([await store.currentRevision(), await store.count(''), recorder.log], [1, 0, []])
  gates[0]?.open()
  assert.deepEqual(await first, { ok: true, revision: 2 })
  await turn()
  assert.equal(gates[1]?.size, 1)
  gates[1]?.fail(new Error('no space left'))
  for (const failed of [second, loser]) {
    await assert.rejects(
      failed,
      (error) => error instanceof StoreError && error.code === 'unavailable' && /no space left/.test(error.message),
    )
  }
  const third = store.put('a', bytes('4'), 2)
  await turn()
  gates[2]?.open()
  assert.deepEqual(await third, { ok: true, revision: 3 })
  await recorder.until(({ log }) => log.length === 2)
  assert.deepEqual(recorder.received.map(describeEvent), ['put a=1', 'put a=4 (was 1)'])
})
