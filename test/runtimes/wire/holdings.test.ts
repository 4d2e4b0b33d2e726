import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Holder, Holdings } from '../../../runtimes/wire/holdings.ts'
import { Budget } from '../../../runtimes/wire/server/limits.ts'

/** Holds bytes until it is told to drop them. */
class Peer implements Holder {
  held = 0
  readonly moved: number
  readonly #holdings: Holdings
  constructor(holdings: Holdings, moved: number) {
    this.#holdings = holdings
    this.moved = moved
  }
  hold(bytes: number): void {
    this.held += bytes
    this.#holdings.add(this, bytes)
  }
  drop(): boolean {
    if (this.held === 0) return false
    const bytes = this.held
    this.held = 0
    this.#holdings.remove(this, bytes)
    return true
  }
}

test('over the total limit, the connections idle for longest are dropped', () => {
  const holdings = new Holdings(100)
  const [still, slow, fast] = [new Peer(holdings, 1), new Peer(holdings, 5), new Peer(holdings, 9)]
  still.hold(30)
  slow.hold(30)
  fast.hold(40)
  assert.equal(holdings.total, 100)
  fast.hold(10)
  assert.deepEqual([still.held, slow.held, fast.held, holdings.total], [0, 30, 50, 80])
  slow.hold(200)
  assert.deepEqual([slow.held, fast.held, holdings.total], [0, 50, 50])
})

test('a budget refills with time and progress, up to its burst', () => {
  const budget = new Budget({ burst: 3, perSecond: 2 })
  assert.deepEqual([budget.spend(2), budget.spend(1), budget.spend(1)], [true, true, false])
  budget.refill(1_000)
  assert.deepEqual([budget.spend(1), budget.spend(1)], [true, false])
  budget.earn(100)
  assert.deepEqual([budget.spend(3), budget.spend(1)], [true, false])
})
