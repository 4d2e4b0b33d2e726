import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BatchOptions, EventBuffer } from '../../../core/audit/buffer.ts'
import type { AuditEvent } from '../../../core/audit/event.ts'
import { createThrottle } from '../../../core/audit/throttle.ts'
import type { Rate } from '../../../core/ports.ts'
import { ManualClock } from '../../support/clock.ts'

const event = (auditId: string, requestObject?: Uint8Array) => ({ auditId, requestObject }) as AuditEvent
/** Promises that are settled have been followed. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A buffer with a receiver that is told when to finish. */
function setUp({
  throttle,
  ...options
}: Partial<Omit<BatchOptions, 'throttle'>> & { concurrency?: number; joins?: boolean; throttle?: Rate } = {}) {
  const clock = new ManualClock()
  const batches: string[][] = []
  const losses: [string, string, string[]][] = []
  const ends: (() => void)[] = []
  const ids = (events: readonly AuditEvent[]) => events.map(({ auditId }) => auditId)
  const buffer = new EventBuffer({
    bufferSize: 4,
    maxSize: 2,
    maxWait: 1_000,
    concurrency: 1,
    joins: false,
    ...options,
    ...(throttle && { throttle: createThrottle(throttle, clock) }),
    clock,
    deliver(events) {
      batches.push(ids(events))
      return new Promise((resolve) => ends.push(() => resolve(true)))
    },
    reportLoss: (plugin, why, events) => losses.push([plugin, why, ids(events)]),
  })
  return { buffer, clock, batches, losses, ends }
}

test('a batch is delivered when it is full, or after a while', async () => {
  const { buffer, clock, batches, ends } = setUp()
  buffer.process(event('a'))
  await settled()
  assert.deepEqual(batches, [])
  buffer.process(event('b'))
  buffer.process(event('c'))
  await settled()
  assert.deepEqual(batches, [['a', 'b']])
  ends.shift()?.()
  clock.advance(999)
  await settled()
  assert.deepEqual(batches.length, 1)
  clock.advance(1)
  await settled()
  assert.deepEqual(batches, [['a', 'b'], ['c']])
})

test('a full buffer loses events, which is reported', async () => {
  const { buffer, losses, ends, batches } = setUp({ bufferSize: 2, maxSize: 1 })
  for (const id of ['a', 'b', 'c']) assert.equal(buffer.process(event(id)), true)
  assert.deepEqual(losses, [['buffered', 'audit buffer queue blocked', ['c']]])
  await settled()
  ends.shift()?.()
  await settled()
  assert.deepEqual(batches, [['a'], ['b']])
})

test('events are bounded in bytes, until they are delivered', async () => {
  const { buffer, losses, ends } = setUp({ bufferSize: 1_000, maxSize: 1 })
  const large = new Uint8Array(100 * 1024 * 1024)
  for (const id of ['a', 'b', 'c']) buffer.process(event(id, large))
  assert.deepEqual(
    losses.map(([, , ids]) => ids),
    [['c']],
  )
  await settled()
  buffer.process(event('d', large))
  assert.equal(losses.length, 2)
  ends.shift()?.()
  await settled()
  buffer.process(event('e', large))
  assert.equal(losses.length, 2)
})

test('no more batches are delivered at the same time than allowed', async () => {
  const { buffer, batches, ends } = setUp({ maxSize: 1, concurrency: 2 })
  for (const id of ['a', 'b', 'c']) buffer.process(event(id))
  await settled()
  assert.deepEqual(batches, [['a'], ['b']])
  ends.shift()?.()
  await settled()
  assert.deepEqual(batches, [['a'], ['b'], ['c']])
})

test('a receiver that does not see batches gets all that waits', async () => {
  const { buffer, batches, clock } = setUp({ maxSize: 1, joins: true, bufferSize: 100 })
  for (const id of ['a', 'b']) buffer.process(event(id))
  await settled()
  clock.advance(10)
  buffer.process(event('c'))
  await settled()
  assert.deepEqual(batches, [])
  clock.advance(10)
  await settled()
  assert.deepEqual(batches, [['a', 'b', 'c']])
})

test('events that join a batch do not fill the buffer, and do not wait when it is closed', async () => {
  const { buffer, batches, ends, losses } = setUp({ maxSize: 1, joins: true, bufferSize: 4 })
  buffer.process(event('a'))
  await settled()
  buffer.process(event('b'))
  await settled()
  assert.deepEqual(batches, [['a', 'b']])
  ends.shift()?.()
  await settled()
  buffer.process(event('c'))
  await settled()
  const closed = buffer.close()
  await settled()
  assert.deepEqual(batches, [['a', 'b'], ['c']])
  ends.shift()?.()
  await closed
  assert.deepEqual(losses, [])
})

test('batches are throttled: a burst at once, then so many per second', async () => {
  const { buffer, batches, clock } = setUp({ maxSize: 1, concurrency: 9, throttle: { qps: 2, burst: 2 } })
  for (const id of ['a', 'b', 'c', 'd']) buffer.process(event(id))
  await settled()
  assert.equal(batches.length, 2)
  clock.advance(499)
  await settled()
  assert.equal(batches.length, 2)
  clock.advance(1)
  await settled()
  assert.equal(batches.length, 3)
  clock.advance(500)
  await settled()
  assert.equal(batches.length, 4)
})

test('closing delivers what waits; later events are lost', async () => {
  const { buffer, batches, ends, losses } = setUp({ bufferSize: 9, maxSize: 5 })
  buffer.process(event('a'))
  const closed = buffer.close()
  await settled()
  assert.deepEqual(batches, [['a']])
  ends.shift()?.()
  await closed
  buffer.process(event('b'))
  assert.deepEqual(losses, [['buffered', 'audit backend shut down', ['b']]])
})

test('closing ends after 30 seconds, and reports what is left', async () => {
  const { buffer, clock, losses } = setUp({ bufferSize: 9, maxSize: 1 })
  for (const id of ['a', 'b']) buffer.process(event(id))
  const closed = buffer.close()
  await settled()
  clock.advance(30_000)
  await closed
  assert.deepEqual(losses, [['buffered', 'audit backend shut down', ['a', 'b']]])
})

test('closing does not wait for the throttle', async () => {
  const { buffer, batches, ends } = setUp({ bufferSize: 9, maxSize: 5, concurrency: 9, throttle: { qps: 0.001, burst: 1 } })
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) buffer.process(event(id))
  await settled()
  const closed = buffer.close()
  await settled()
  for (const end of ends) end()
  await settled()
  assert.deepEqual(batches, [['a', 'b', 'c', 'd', 'e'], ['f']])
  for (const end of ends) end()
  await closed
})

test('closing ends a wait for the throttle that has begun', async () => {
  const { buffer, batches, ends, losses } = setUp({ bufferSize: 9, maxSize: 1, concurrency: 9, throttle: { qps: 0.001, burst: 1 } })
  for (const id of ['a', 'b', 'c']) buffer.process(event(id))
  await settled()
  assert.deepEqual(batches, [['a']])
  const closed = buffer.close()
  await settled()
  assert.deepEqual(batches, [['a'], ['b'], ['c']])
  for (const end of ends) end()
  await closed
  assert.deepEqual(losses, [])
})
