import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestClock } from '../../../runtimes/edge/index.ts'

test('what is due happens while a request lasts, in its order, or with the next one', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const pass = (milliseconds: number) => {
    now += milliseconds
    t.mock.timers.tick(milliseconds)
  }
  const clock = new RequestClock(100)
  const done: string[] = []
  clock.after(150, () => {
    done.push('late')
    clock.after(0, () => done.push('after it'))
  })
  clock.after(50, () => done.push('early'))
  const cancel = clock.after(50, () => done.push('never'))
  pass(1_000)
  assert.deepEqual(done, [], 'no request')
  cancel()
  clock.drive()
  assert.deepEqual(done, ['early', 'late'])
  pass(100)
  assert.deepEqual(done, ['early', 'late', 'after it'])
})
