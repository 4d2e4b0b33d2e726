import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from '../../../core/controllers/queue.ts'
import { queueMetrics } from '../../../core/controllers/queue-metrics.ts'
import { createMetrics } from '../../../core/meta/metrics/registry.ts'
import { ManualClock } from '../../support/clock.ts'
import { silentLogger } from '../../support/logger.ts'

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
      logger: silentLogger,
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

test('a queue shows what it has done, and what it does', async () => {
  const clock = new ManualClock()
  const registry = createMetrics()
  const releases: (() => void)[] = []
  let fails = true
  const queue = createQueue({
    name: 'things',
    clock,
    logger: silentLogger,
    workers: 2,
    queues: queueMetrics(registry),
    async work() {
      await new Promise<void>((resolve) => releases.push(resolve))
      if (fails) throw new Error('not yet')
    },
  })
  const shown = () =>
    Object.fromEntries(
      [...registry.text().matchAll(/^workqueue_(\w+)\{name="things"\} (.*)$/gm)].map(([, name, value]) => [name, Number(value)]),
    )
  assert.equal(shown()['adds_total'], 0, 'a queue is seen before its first key')
  for (const key of ['a', 'b', 'c', 'a']) queue.add(key)
  clock.advance(2_000)
  const { adds_total, depth, longest_running_processor_seconds, unfinished_work_seconds, retries_total } = shown()
  assert.deepEqual(
    [adds_total, depth, longest_running_processor_seconds, unfinished_work_seconds, retries_total],
    // The second `a` waits, because the first one runs.
    [4, 2, 2, 4, 0],
  )
  fails = false
  while (releases.length > 0) {
    releases.shift()?.()
    for (let turn = 0; turn < 10; turn++) await undefined
  }
  const after = shown()
  assert.deepEqual([after['depth'], after['unfinished_work_seconds'], after['work_duration_seconds_count']], [0, 0, 4])
  assert.deepEqual([after['work_duration_seconds_sum'], after['queue_duration_seconds_sum']], [4, 4])
  fails = true
  queue.add('d')
  releases.shift()?.()
  for (let turn = 0; turn < 10; turn++) await undefined
  assert.equal(shown()['retries_total'], 1)
  queue.close()
  assert.equal(shown()['depth'], 0)
})
