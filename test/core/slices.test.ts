import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses, type Slices } from '../../core/slices.ts'
import { webClock } from '../../runtimes/web/ports.ts'

const { signal } = new AbortController()

/** A clock whose time passes only by work; `others`: milliseconds of other work in each pause. */
function workClock(others: number) {
  let now = 0
  const pause = async () => {
    now += others
  }
  return { clock: { ...webClock, monotonic: () => now, pause }, work: () => void now++ }
}

/** Milliseconds of three slices. */
async function lengths(others: number, begin: (pauses: Pauses) => Slices): Promise<readonly number[]> {
  const { clock, work } = workClock(others)
  const slices = begin(new Pauses(clock))
  const found: number[] = []
  for (let slice = 0; slice < 3; slice++) {
    await slices.next()
    const began = clock.monotonic()
    while (!slices.over) work()
    found.push(clock.monotonic() - began)
  }
  return found
}

test('a slice takes 5 ms; one of a long list a quarter of the time that other work takes, up to 50 ms', async () => {
  for (const [others, fair] of [
    [0, 5],
    [10, 5],
    [40, 10],
    [100, 25],
    [1_000, 50],
  ] as const) {
    assert.deepEqual(await lengths(others, (pauses) => pauses.slices(() => signal)), [5, 5, 5], `${others} ms`)
    assert.deepEqual(await lengths(others, (pauses) => pauses.fairSlices(() => signal)), [fair, fair, fair], `${others} ms, fair`)
  }
})
