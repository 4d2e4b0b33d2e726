import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '../../../../core/ports.ts'
import { FailedWrites } from '../../../../runtimes/stores/log/failed-writes.ts'
import { ManualClock } from '../../../support/clock.ts'

test('writes that fail and succeed in turn are logged twice a minute', () => {
  const lines: [level: string, refused: number][] = []
  const line = (level: string) => (fields: object) => void lines.push([level, (fields as { refused: number }).refused])
  const clock = new ManualClock()
  const writes = new FailedWrites({ debug() {}, info: line('info'), warn: line('warn'), error: line('error') }, clock)
  const turns = (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      writes.failed('log', new StoreError('no-space', 'ENOSPC'), 1)
      writes.succeeded()
    }
  }
  turns(100)
  clock.advance(60_000)
  turns(100)
  assert.deepEqual(lines, [
    ['error', 1],
    ['info', 1],
    ['error', 100],
    ['info', 100],
  ])
})
