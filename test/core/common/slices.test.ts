import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses, type Slices } from '../../../core/common/slices.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

const { signal } = new AbortController()

/** A clock whose time passes only by work, and by `others` milliseconds of other work in each pause. */
class WorkClock {
  now = 0
  others: number
  readonly clock = {
    ...webClock,
    monotonic: () => this.now,
    pause: async () => {
      this.now += this.others
    },
  }

  constructor(others: number) {
    this.others = others
  }

  /** Milliseconds of each of so many slices. */
  async lengths(slices: Slices, count: number): Promise<readonly number[]> {
    const found: number[] = []
    for (let slice = 0; slice < count; slice++) {
      await slices.next()
      const began = this.now
      while (!slices.over) this.now++
      found.push(this.now - began)
    }
    return found
  }
}

test('a slice takes 5 ms; one of a long list a quarter of the time that other work takes for long, up to 50 ms', async () => {
  for (const [others, fair] of [
    [0, 5],
    [10, 5],
    [40, 10],
    [100, 25],
    [1_000, 50],
  ] as const) {
    const last = async (begin: (pauses: Pauses) => Slices) => {
      const work = new WorkClock(others)
      return (await work.lengths(begin(new Pauses(work.clock)), 200)).slice(-3)
    }
    assert.deepEqual(await last((pauses) => pauses.slices(() => signal)), [5, 5, 5], `${others} ms`)
    assert.deepEqual(await last((pauses) => pauses.fairSlices(() => signal)), [fair, fair, fair], `${others} ms, fair`)
  }
})

test('while others catch up after a stall, a slice is no longer than before', async () => {
  const work = new WorkClock(8)
  const slices = new Pauses(work.clock).fairSlices(() => signal)
  await work.lengths(slices, 50)
  for (const others of [100, 60, 40, 20]) {
    work.others = others
    assert.deepEqual(await work.lengths(slices, 1), [5], `${others} ms`)
  }
})
