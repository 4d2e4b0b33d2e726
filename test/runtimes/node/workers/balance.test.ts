/** Connections of HTTP/2 move away from a worker that has many more than another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '../../../../core/ports.ts'
import { balanced, ConnectionCounts } from '../../../../runtimes/node/workers/balance.ts'
import { ManualClock } from '../../../support/clock.ts'

const request = new Request('http://x/')
const over = (protocol: Connection['protocol']): Connection => ({ remoteAddress: '', remotePort: 0, protocol })

function worker(own: number, ...others: readonly number[]) {
  const counts = new ConnectionCounts(ConnectionCounts.memory(1 + others.length))
  for (const [index, connections] of others.entries()) counts.set(2 + index, connections)
  const clock = new ManualClock()
  const state = { connections: own }
  const balance = balanced(() => new Response(''), { counts, worker: 1, connections: () => state.connections, clock })
  const moved = async (protocol: Connection['protocol'], requests = 20) => {
    let count = 0
    for (let sent = 0; sent < requests; sent++) {
      const { headers } = await balance.answer(request, over(protocol))
      if (headers.get('connection') === 'close') count++
    }
    return count
  }
  return { ...balance, clock, counts, state, moved }
}

test('a tenth of the connections that are too many moves in each second, until few are', async () => {
  const { state, counts, clock, moved } = worker(108, 20)
  const perSecond: number[] = []
  for (let second = 0; second < 30; second++) {
    const count = await moved('h2')
    perSecond.push(count)
    state.connections -= count
    counts.set(2, 128 - state.connections)
    clock.advance(1_000)
  }
  assert.equal(perSecond[0], 6)
  assert.equal(perSecond.at(-1), 0)
  assert(state.connections > 64 && state.connections <= 2 * (128 - state.connections) + 8, String(state.connections))
})

test('connections of HTTP/1 stay, and those of a worker that has no more than others', async () => {
  assert.equal(await worker(100, 1).moved('http/1.1'), 0)
  assert.equal(await worker(48, 20).moved('h2'), 0)
  assert.equal(await worker(1, 100, 100).moved('h2'), 0)
})

test('a worker that does not serve counts for nothing', async () => {
  const { counts, clock, moved } = worker(100, 90, 0)
  assert.notEqual(await moved('h2'), 0)
  counts.set(3, -1)
  clock.advance(1_000)
  assert.equal(await moved('h2'), 0)
})
