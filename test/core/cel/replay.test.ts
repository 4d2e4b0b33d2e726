import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Replay } from '../../../core/cel/replay.ts'
import { Pauses } from '../../../core/common/slices.ts'

test('a computation ends even if replaying up to its next part takes longer than a slice', async () => {
  let now = 0
  let pauses = 0
  const clock = {
    now: () => now,
    monotonic: () => now,
    after: () => () => {},
    async pause() {
      pauses++
      assert.ok(pauses < 100, 'it does not end')
    },
  }
  const slices = new Pauses(clock).slices(() => new AbortController().signal)
  const replay = new Replay(slices)
  const parts: number[] = []
  await replay.run(() => {
    // Reaching each part takes a millisecond, even if it is already computed.
    for (let index = 0; index < 50; index++) {
      now += 1
      replay.part(() => ({ finish: () => parts.push(index) }))
    }
  })
  assert.deepEqual(parts, [...Array(50).keys()])
  assert.ok(pauses > 1, `${pauses} pauses`)
})
