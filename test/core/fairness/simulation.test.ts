/** A quiet client beside a greedy one, with a simulated clock: how much longer its requests take. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowControl } from '../../../core/fairness/flow-control.ts'
import type { User } from '../../../core/request/exchange.ts'
import { createControl, defaultObjects, exchangeOf, type SimulatedClock, userOf } from './fixtures.ts'

const pods = '/api/v1/namespaces/default/pods/web'
const duration = 6_000

/** Numbers from 0 to 1, always the same (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Exponentially distributed milliseconds. */
const serviceTimes = (seed: number, mean: number) => {
  const next = random(seed)
  return () => -mean * Math.log(1 - next())
}

/** Sends one request and resolves with the milliseconds that it took; undefined: it was refused. */
async function send(control: FlowControl, clock: SimulatedClock, user: User, service: number): Promise<number | undefined> {
  const began = clock.monotonic()
  const ticket = control.ticket(exchangeOf(user, 'GET', pods, began + 60_000))
  try {
    await ticket.take()
  } catch {
    return undefined
  }
  await new Promise<void>((resolve) => void clock.after(service, resolve))
  ticket.end()
  return clock.monotonic() - began
}

/** The 99th percentile of a client's requests, one every 8 ms, beside `greedy` others in flight of one client. */
async function p99(quiet: User, greedy: number): Promise<number> {
  const { control, clock } = createControl()
  const { levels, schemas } = defaultObjects()
  control.configure(levels, schemas)
  const stop = control.start()
  const greedyTimes = serviceTimes(2, 20)
  const keepSending = async () => {
    while (clock.monotonic() < duration) {
      const took = await send(control, clock, userOf('greedy'), greedyTimes())
      if (took === undefined) await new Promise<void>((resolve) => void clock.after(1000, resolve))
    }
  }
  for (let sent = 0; sent < greedy; sent++) void keepSending()
  const times: number[] = []
  const quietTimes = serviceTimes(1, 20)
  const sendOne = () => {
    if (clock.monotonic() >= duration) return
    clock.after(8, sendOne)
    void send(control, clock, quiet, quietTimes()).then((took) => times.push(took ?? Number.POSITIVE_INFINITY))
  }
  clock.after(500, sendOne)
  await clock.run(duration + 20_000)
  stop()
  assert.ok(times.length > 500)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

const account = userOf('system:serviceaccount:default:quiet', 'system:serviceaccounts')

for (const [where, user, factor] of [
  ['another level', account, 3],
  ['the same level', userOf('quiet'), 10],
] as const) {
  test(`a client with 500 requests in flight delays a quiet one on ${where} at most ${factor} times`, async (t) => {
    const alone = await p99(user, 0)
    const beside = await p99(user, 500)
    t.diagnostic(`alone ${alone.toFixed(1)} ms, beside the other ${beside.toFixed(1)} ms`)
    assert.ok(beside <= factor * alone, `${beside} ms, alone ${alone} ms`)
  })
}

test('without fair queues it would be delayed: the greedy client waits', async (t) => {
  const alone = await p99(userOf('greedy'), 0)
  const beside = await p99(userOf('greedy'), 500)
  t.diagnostic(`alone ${alone.toFixed(1)} ms, beside its other requests ${beside.toFixed(1)} ms`)
  assert.ok(beside > 2 * alone, `${beside} ms, alone ${alone} ms`)
})
