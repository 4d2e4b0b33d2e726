/** Hands, allocations, estimates and waits are those of the reference's own functions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allocate } from '../../../core/fairness/allocation.ts'
import { deal, flowHash } from '../../../core/fairness/dealer.ts'
import { listSeats } from '../../../core/fairness/list-estimate.ts'
import type { ObjectStats } from '../../../core/fairness/object-counts.ts'
import { RetryAfter } from '../../../core/fairness/retry-after.ts'
import { writeEstimate } from '../../../core/fairness/write-estimate.ts'
import { requestInfo } from '../../../core/request/info.ts'
import { allocations, hands, lists, refusals, writes } from './reference-vectors.ts'

test('flows get the same queues', () => {
  for (const { schema, flow, hash, hands: bySizes } of hands) {
    const found = flowHash(schema, flow)
    assert.equal(String(found), hash, `${schema} ${flow}`)
    for (const [sizes, hand] of Object.entries(bySizes)) {
      const [deck = 0, size = 0] = sizes.split('/').map(Number)
      assert.deepEqual(deal(found, deck, size), hand, `${schema} ${flow} ${sizes}`)
    }
  }
})

const isClose = (one: number, other: number) => Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other))

test('levels get the same seats', () => {
  for (const { sum, claims, seats, fair } of allocations) {
    const found = allocate(
      sum,
      claims.map(([target, lower, upper]) => ({ target, lower, upper })),
    )
    const text = JSON.stringify({ claims, found, seats, fair })
    assert.ok(found, text)
    assert.ok(
      found.seats.every((each, index) => isClose(each, seats[index]!)),
      text,
    )
    assert.ok(isClose(found.fairShare, fair), text)
  }
})

test('what cannot be divided is not', () => {
  assert.equal(allocate(10, [{ target: 5, lower: 5, upper: 9 }]), undefined)
  assert.equal(allocate(1, [{ target: 5, lower: 5, upper: 9 }]), undefined)
  assert.equal(allocate(5, [{ target: 1, lower: 5, upper: 9 }]), undefined)
})

test('refused clients are told to wait as long', () => {
  const wait = new RetryAfter()
  for (const [second, refused, seconds] of refusals) {
    let found = 0
    for (let count = 0; count < refused; count++) found = wait.refuse(second * 1000)
    assert.equal(found, seconds, `second ${second}`)
  }
})

const stats: readonly (ObjectStats | undefined)[] = [
  undefined,
  { count: 0, size: 0 },
  { count: 10, size: 1_000 },
  { count: 3_000, size: 2_000 },
  { count: 20, size: 400_000 },
  { count: 30, size: 0 },
]

function seatsOf(verb: string, query: string): number[] {
  const parameters = new URLSearchParams(query)
  const info = { ...requestInfo('GET', '/api/v1/pods', new URLSearchParams()), verb }
  const seats = stats.flatMap((each) => [0, 8].map((most) => listSeats({ info, query: parameters }, each, most, 'bytes')))
  const one = listSeats({ info: { ...info, name: 'one' }, query: parameters }, { count: 3_000, size: 250_000 }, 0, 'bytes')
  return [...seats, one]
}

for (const [verb, query, seats] of lists) {
  test(`${verb} ${query} takes as many seats`, () => assert.deepEqual(seatsOf(verb, query), seats))
}

test('the newest list comes from the cache', () => {
  assert.deepEqual(seatsOf('list', ''), seatsOf('list', 'resourceVersion=0'))
  assert.deepEqual(seatsOf('list', 'limit=5'), seatsOf('list', 'limit=5&resourceVersion=0'))
})

test('by number of objects, a seat stands for a hundred', () => {
  const info = requestInfo('GET', '/api/v1/pods', new URLSearchParams())
  const seats = (query: string) => listSeats({ info, query: new URLSearchParams(query) }, { count: 250, size: 1 }, 0, 'objects')
  assert.equal(seats(''), 3)
  assert.equal(seats('continue=x&limit=100'), 2)
  assert.equal(seats('continue=x&limit=100&labelSelector=a'), 4)
})

test('writes take as many seats for as long', () => {
  for (const [watches, most, initial, final, latency] of writes) {
    const found = writeEstimate(watches, most)
    assert.deepEqual([found.initialSeats, found.finalSeats, found.latency], [initial, final, latency], `${watches} watches, ${most} seats`)
  }
})
