import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webClock } from '../../../runtimes/web/ports.ts'

const requests = 3
const slices = 40
/** Milliseconds; more than a timer of Node waits at least. */
const length = 2

test('paused requests let sockets and files have their turn, however many they are', async () => {
  let [withoutTurn, most] = [0, 0]
  let isDone = false
  const turn = () => {
    withoutTurn = 0
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const request = async () => {
    for (let slice = 0; slice < slices; slice++) {
      const until = performance.now() + length
      while (performance.now() < until);
      most = Math.max(most, ++withoutTurn)
      await webClock.pause?.()
    }
  }
  await Promise.all(Array.from({ length: requests }, request))
  isDone = true
  assert.ok(most <= 2 * requests, `${most} slices in one turn of the loop`)
})
