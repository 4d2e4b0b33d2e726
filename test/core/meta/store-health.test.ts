import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeCheck } from '../../../core/meta/store-health.ts'
import type { KeyValueStore } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { ManualClock } from '../../support/clock.ts'

function setUp(currentRevision: () => Promise<number>) {
  const clock = new ManualClock()
  let asked = 0
  const store: KeyValueStore = {
    ...memoryStore({ clock }),
    currentRevision() {
      asked++
      return currentRevision()
    },
  }
  return { clock, asked: () => asked, check: storeCheck('store', store, clock, 2_000).check }
}

test('a store that answers is healthy, and no timer remains', async () => {
  const { clock, check } = setUp(async () => 1)
  await check()
  assert.equal(clock.pending, 0)
})

test('a failing store is unhealthy', async () => {
  const { check } = setUp(() => Promise.reject(new Error('down')))
  await assert.rejects(async () => check(), /^Error: down$/)
})

test('a hanging store gets one request until the timeout', async () => {
  const { clock, asked, check } = setUp(() => new Promise(() => {}))
  const checks = [check(), check()]
  clock.advance(2_000)
  for (const each of checks) await assert.rejects(async () => each, /no answer within 2000 ms/)
  assert.equal(asked(), 1)
  void Promise.resolve(check()).catch(() => {})
  assert.equal(asked(), 2)
})
