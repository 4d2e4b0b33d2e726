import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alarm, Alarms } from '../../../core/common/alarms.ts'
import { ManualClock } from '../../support/clock.ts'
import { randomNumbers } from '../../support/random.ts'

test('alarms ring at their times, whatever is set, moved and cleared', () => {
  const { integer, pick, chance } = randomNumbers(31)
  const clock = new ManualClock()
  const alarms = new Alarms(clock)
  const began = alarms.time()
  const wanted = new Map<Alarm, number>()
  let rung = 0
  const all = Array.from({ length: 300 }, (): Alarm => {
    const alarm: Alarm = {
      due: 0,
      place: -1,
      ring() {
        assert.equal(clock.monotonic(), wanted.get(alarm))
        wanted.delete(alarm)
        rung++
        if (chance(0.3)) set(alarm)
        if (chance(0.2)) clear(pick(all))
      },
    }
    return alarm
  })
  const set = (alarm: Alarm) => {
    const due = Math.max(clock.monotonic(), began) + 1 + integer(1_000)
    wanted.set(alarm, due)
    alarms.set(alarm, due)
  }
  const clear = (alarm: Alarm) => {
    wanted.delete(alarm)
    alarms.clear(alarm)
  }
  for (let round = 0; round < 2_000; round++) {
    if (chance(0.7)) set(pick(all))
    else clear(pick(all))
    if (chance(0.3)) clock.advance(integer(20))
    assert.equal(clock.pending, wanted.size > 0 ? 1 : 0, 'one timer, while an alarm is set')
  }
  clock.advance(1_000_000)
  assert.equal(wanted.size, 0, 'all have rung')
  assert.equal(clock.pending, 0)
  assert(rung > 300)
})

test('an alarm that is set to a later time does not ring at the earlier one', () => {
  const clock = new ManualClock()
  const alarms = new Alarms(clock)
  const rung: number[] = []
  const alarm: Alarm = { due: 0, place: -1, ring: () => void rung.push(clock.monotonic()) }
  const now = alarms.time()
  alarms.set(alarm, now + 10)
  alarms.set(alarm, now + 30)
  clock.advance(20)
  assert.deepEqual(rung, [])
  clock.advance(20)
  assert.deepEqual(rung, [now + 30])
  alarms.set(alarm, now + 100)
  alarms.clear(alarm)
  assert.equal(clock.pending, 0)
})
