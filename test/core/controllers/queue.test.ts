import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from '../../../core/controllers/queue.ts'

test('work that queues more work yields to other requests in between', async () => {
  let pauses = 0
  let works = 0
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: () => () => {},
    pause: async () => {
      pauses++
    },
  }
  await new Promise<void>((resolve) => {
    const queue = createQueue({
      name: 'loop',
      clock,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      workers: 1,
      async work(key) {
        if (++works === 5) resolve()
        else queue.add(key)
      },
    })
    queue.add('a')
  })
  assert.equal(pauses, 4)
})
