/** The number of connections of a listener is bounded: the oldest that do nothing are closed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionBound } from '../../../../runtimes/wire/server/connection-bound.ts'
import { limits } from '../../../../runtimes/wire/server/limits.ts'

const idle = () => false
const busy = () => true

test('beyond the bound, connections whose users are unknown are closed, oldest first', () => {
  const bound = new ConnectionBound()
  const dropped: number[] = []
  const open = (index: number) => bound.open(() => dropped.push(index))
  const first = open(-1)
  for (let index = 0; index < limits.unknownConnections - 1; index++) open(index)
  assert.deepEqual(dropped, [])
  first.close()
  open(limits.unknownConnections)
  assert.deepEqual(dropped, [])
  open(limits.unknownConnections + 1)
  assert.equal(dropped.length, limits.unknownConnections / 8 + 1)
  assert.deepEqual(
    dropped,
    dropped.map((_, index) => index),
  )
})

test('connections of known users stay while they have requests, whatever others open', () => {
  const bound = new ConnectionBound()
  let dropped = 0
  let left = 0
  const open = () => bound.open(() => void dropped++)
  const leave = () => void left++
  for (let index = 0; index < limits.idleConnections * 2; index++) open().identified(busy, leave)
  for (let index = 0; index < limits.unknownConnections; index++) open()
  assert.equal(dropped + left, 0)
  for (let index = 0; index < limits.idleConnections * 1.25; index++) open().identified(idle, leave)
  assert.ok(left >= limits.idleConnections / 8, `${left} left`)
  assert.ok(left <= limits.idleConnections / 2, `${left} left`)
})

test('a connection that has ended is not counted, also when its user is known late', () => {
  const bound = new ConnectionBound()
  for (let index = 0; index < limits.idleConnections * 2; index++) {
    const place = bound.open(() => assert.fail('dropped'))
    if (index % 2 === 0) place.identified(idle, () => assert.fail('left'))
    place.close()
    place.identified(idle, () => assert.fail('left'))
  }
})
