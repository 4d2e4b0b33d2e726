/** Writes of the server itself, and work that time starts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Status } from '../../../core/answers/status.ts'
import { ownWrite, RequestFailed } from '../../../core/controllers/client.ts'
import { repeat, repeatEvery } from '../../../core/controllers/repeat.ts'
import { ManualClock } from '../../support/clock.ts'

const refused = (reason: string) =>
  new RequestFailed({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason } as Status)

/** A write that fails with these errors, one after the other. */
function failing(...errors: readonly Error[]) {
  const left = [...errors]
  const state = { tries: 0 }
  const write = async () => {
    state.tries++
    const error = left.shift()
    if (error) throw error
  }
  return { state, write }
}

test('a write of the server says when another writer was first, and is tried as often as asked', async () => {
  for (const error of ['NotFound', 'Conflict', 'AlreadyExists'].flatMap((reason) => [
    refused(reason),
    new ApiError(reason as 'Conflict', 'x'),
  ])) {
    assert.equal(await ownWrite(failing(error).write), false)
    const twice = failing(error, error)
    assert.deepEqual([await ownWrite(twice.write, 3), twice.state.tries], [true, 3])
    const often = failing(error, error, error)
    assert.deepEqual([await ownWrite(often.write, 2), often.state.tries], [false, 2])
  }
  const other = failing(refused('Forbidden'))
  await assert.rejects(ownWrite(other.write, 3), RequestFailed)
  assert.equal(other.state.tries, 1)
})

/** Lets what was resolved run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('work is done now, then after what it says, and is waited for when it is stopped', async () => {
  const clock = new ManualClock()
  let [times, ended] = [0, 0]
  let release = () => {}
  const repetition = repeat(clock, async () => {
    times++
    await new Promise<void>((resolve) => {
      release = resolve
    })
    ended++
    return times * 100
  })
  release()
  await repetition.first
  clock.advance(99)
  assert.equal(times, 1)
  clock.advance(1)
  assert.equal(times, 2)
  const stopped = repetition.stop()
  release()
  await stopped
  assert.equal(ended, 2)
  clock.advance(10_000)
  assert.equal(times, 2)
})

test('work in each interval begins by the clock, unless it takes longer', async () => {
  const clock = new ManualClock()
  const start = clock.monotonic()
  const began: number[] = []
  let release = () => {}
  const repetition = repeatEvery(clock, 1_000, () => {
    began.push(clock.monotonic() - start)
    return new Promise<void>((resolve) => {
      release = resolve
    })
  })
  clock.advance(300)
  release()
  await repetition.first
  clock.advance(700)
  clock.advance(1_500)
  release()
  await settle()
  clock.advance(0)
  assert.deepEqual(began, [0, 1_000, 2_500])
  release()
  await repetition.stop()
})
