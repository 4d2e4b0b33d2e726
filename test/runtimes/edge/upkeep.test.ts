/** The alarm of a Durable Object, with a clock that the test moves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Upkeep } from '../../../runtimes/edge/upkeep.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import type { SqlDatabase } from '../../../runtimes/stores/sql/database.ts'
import { put } from '../../../runtimes/testing/store/calls.ts'
import { ManualClock } from '../../support/clock.ts'
import { eventually } from '../../support/wait.ts'

const interval = 60_000
const second = 1_000

/** An upkeep with the alarms that it sets; null: none. */
async function started() {
  const clock = new ManualClock()
  const alarms: (number | null)[] = []
  const storage = {
    setAlarm: async (time: number) => void alarms.push(time),
    deleteAlarm: async () => void alarms.push(null),
    getAlarm: async () => null,
  }
  const upkeep = new Upkeep(storage, interval, clock)
  const database: SqlDatabase = { rows: () => [], run() {}, transaction: (work) => work(), size: () => 0 }
  const { nextExpiry } = upkeep.observe(database)
  assert(nextExpiry)
  const store = memoryStore({ clock })
  await upkeep.follow(store)
  /** Waits for the alarm, as the runtime knows it. */
  async function alarmed(times: readonly (number | null)[]): Promise<void> {
    await eventually(`alarms ${times}`, async () => alarms.length >= times.length)
    assert.deepEqual(alarms, times)
  }
  return { clock, upkeep, store, nextExpiry, alarms, alarmed }
}

test('the alarm is set for the earliest of what is due, and only when that changes', async () => {
  const { clock, store, nextExpiry, alarmed } = await started()
  const now = clock.now()
  nextExpiry(now + 90 * second)
  await alarmed([now + 90 * second])
  nextExpiry(now + 90 * second)
  await put(store, 'k', '1', 0)
  await alarmed([now + 90 * second, now + interval])
  nextExpiry(undefined)
  nextExpiry(now + 30 * second)
  await alarmed([now + 90 * second, now + interval, now + 30 * second])
})

test('an alarm compacts, and is not set again until something changes', async () => {
  const { clock, store, upkeep, alarmed } = await started()
  const now = clock.now()
  const first = await put(store, 'k', '1', 0)
  await put(store, 'k', '2', first)
  await alarmed([now + interval])
  clock.advance(interval)
  await upkeep.run(store)
  await assert.rejects(store.get('k', first - 1), { code: 'compacted' })
  // What came after the first change.
  await alarmed([now + interval, now + 2 * interval])
  clock.advance(interval)
  await upkeep.run(store)
  await alarmed([now + interval, now + 2 * interval])
})

test('an alarm lasts until leases have ended, at most half a minute, and is repeated after another half', async () => {
  const { clock, store, upkeep, nextExpiry, alarmed } = await started()
  const now = clock.now()
  nextExpiry(now + second)
  await alarmed([now + second])
  clock.advance(second)
  const ending = upkeep.run(store)
  nextExpiry(undefined)
  await ending
  await alarmed([now + second])

  nextExpiry(now + 2 * second)
  await alarmed([now + second, now + 2 * second])
  clock.advance(second)
  let isDone = false
  const failing = upkeep.run(store).then(() => {
    isDone = true
  })
  clock.advance(29 * second)
  assert(!isDone)
  clock.advance(second)
  await failing
  await alarmed([now + second, now + 2 * second, now + 2 * second + 60 * second])
})
