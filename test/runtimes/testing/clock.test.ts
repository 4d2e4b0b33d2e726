/** The clock of a test server: advanced, set, stopped and continued. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../runtimes/testing/clock.ts'
import { ManualClock } from '../../support/clock.ts'

const start = Date.UTC(2026, 0, 1)

function clocks() {
  const host = new ManualClock(start)
  const clock = new TestClock(host)
  const fired: string[] = []
  const after = (milliseconds: number, name: string) => clock.after(milliseconds, () => fired.push(name))
  return { host, clock, fired, after }
}

test('a clock that stands still fires what it is advanced to, and continues at the time that it shows', async () => {
  const { host, clock, fired, after } = clocks()
  after(1_000, 'before')
  clock.freeze()
  after(2_000, 'while')
  host.advance(10_000)
  assert.deepEqual([clock.now(), clock.isFrozen, clock.ahead, fired], [start, true, -10_000, []])
  await clock.advance(1_500)
  assert.deepEqual([clock.now(), fired], [start + 1_500, ['before']])
  clock.resume()
  host.advance(499)
  assert.deepEqual([clock.now(), clock.isFrozen, fired], [start + 1_999, false, ['before']])
  host.advance(1)
  assert.deepEqual(fired, ['before', 'while'])
})

test('a later date advances the clock; an earlier one changes no timer', async () => {
  const { host, clock, fired, after } = clocks()
  after(1_000, 'one')
  await clock.set(start - 86_400_000)
  assert.deepEqual([clock.now(), fired], [start - 86_400_000, []])
  host.advance(1_000)
  assert.deepEqual(fired, ['one'])
  after(3_600_000, 'two')
  await clock.set(start)
  assert.deepEqual([clock.now(), fired], [start, ['one', 'two']])
  await assert.rejects(clock.set(Number.NaN), { name: 'OptionError' })
})
