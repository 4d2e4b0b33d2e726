import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCompaction } from '../../../../core/objects/storage/compaction.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { bytes } from '../../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../../support/clock.ts'
import { silentLogger } from '../../../support/logger.ts'

const interval = 300_000

/** A store that records compactions and counts the writes of replicas to the compaction key. */
function observed(store: KeyValueStore) {
  const compactions: number[] = []
  let turns = 0
  const seen: KeyValueStore = {
    ...store,
    async put(...write) {
      const result = await store.put(...write)
      turns++
      return result
    },
    async compact(revision) {
      compactions.push(revision)
      await store.compact(revision)
    },
  }
  return { store: seen, compactions, turns: () => turns }
}

/** Advances the clock by an interval and waits until every replica has run. */
async function pass(clock: ManualClock, replicas: number): Promise<void> {
  clock.advance(interval)
  while (clock.pending < replicas) await new Promise((resolve) => setImmediate(resolve))
}

async function write(store: KeyValueStore, key: string): Promise<number> {
  const { revision } = await store.put(key, bytes('x'), 0)
  return revision
}

test('keeps the history of the last interval', async () => {
  const clock = new ManualClock()
  const { store, compactions } = observed(memoryStore())
  const stop = startCompaction(store, clock, silentLogger, interval)
  await write(store, 'a')
  await pass(clock, 1)
  assert.deepEqual(compactions, [])
  const first = await store.currentRevision()
  const second = await write(store, 'b')
  await pass(clock, 1)
  assert.deepEqual(compactions, [first])
  await assert.rejects(store.get('a', first - 1), { code: 'compacted' })
  assert((await store.get('b', second)).kv)
  stop()
  assert.equal(clock.pending, 0)
})

test('replicas share the work: one compaction per interval', async () => {
  const clock = new ManualClock()
  const { store, compactions } = observed(memoryStore())
  const stops = [1, 2, 3].map(() => startCompaction(store, clock, silentLogger, interval))
  for (let round = 0; round < 5; round++) {
    await write(store, `k${round}`)
    await pass(clock, 3)
  }
  assert.equal(compactions.length, 4)
  assert.deepEqual(
    compactions,
    [...new Set(compactions)].toSorted((a, b) => a - b),
  )
  // The version of the key counts compactions of all replicas.
  const { kv } = await store.get('compact_rev_key')
  assert.equal(new TextDecoder().decode(kv?.value), String(compactions.at(-1)))
  for (const stop of stops) stop()
})

test('a replica that starts later does not compact revisions that others still keep', async () => {
  const clock = new ManualClock()
  const { store, compactions } = observed(memoryStore())
  const stopFirst = startCompaction(store, clock, silentLogger, interval)
  await pass(clock, 1)
  await pass(clock, 1)
  stopFirst()
  const before = compactions.length
  const stop = startCompaction(store, clock, silentLogger, interval)
  const kept = await write(store, 'kept')
  await pass(clock, 1)
  assert.equal(compactions.length, before)
  await pass(clock, 1)
  assert.equal(compactions.length, before + 1)
  assert((compactions.at(-1) ?? 0) >= kept)
  stop()
})

test('compaction is retried after a store failure', async () => {
  const clock = new ManualClock()
  const { store, compactions } = observed(memoryStore())
  let warned = 0
  let failing = true
  const faulty: KeyValueStore = { ...store, put: (...write) => (failing ? Promise.reject(new Error('down')) : store.put(...write)) }
  const stop = startCompaction(faulty, clock, { ...silentLogger, warn: () => void warned++ }, interval)
  await pass(clock, 1)
  assert.equal(warned, 1)
  failing = false
  await pass(clock, 1)
  await pass(clock, 1)
  assert.equal(compactions.length, 1)
  stop()
})
