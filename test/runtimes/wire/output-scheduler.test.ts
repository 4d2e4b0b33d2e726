import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { OutputScheduler } from '../../../runtimes/wire/output-scheduler.ts'
import { eventually } from '../../support/wait.ts'

test('responses are written at the end of a turn, before streams; each stream once', async () => {
  const turns = new OutputScheduler()
  const written: string[] = []
  const writer = (name: string) => ({ write: () => void written.push(name) })
  const [stream, other, answer] = [writer('stream'), writer('other'), writer('answer')]
  turns.later(stream)
  turns.later(other)
  turns.later(stream)
  turns.soon(answer)
  assert.deepEqual(written, [])
  await turn()
  assert.deepEqual(written, ['answer', 'stream', 'other'])
  turns.later(stream)
  await turn()
  assert.deepEqual(written, ['answer', 'stream', 'other', 'stream'])
})

test('many streams yield to other work, and responses overtake them', async () => {
  const turns = new OutputScheduler()
  const streams = 20
  let written = 0
  const slow = () => {
    const end = performance.now() + 2
    while (performance.now() < end);
    written++
  }
  for (let i = 0; i < streams; i++) turns.later({ write: slow })
  await turn()
  assert.ok(written > 0 && written < streams, `${written} of ${streams}`)
  let before: number | undefined
  turns.soon({ write: () => (before = written) })
  await eventually('all are written', async () => written === streams)
  assert.ok(before !== undefined && before < streams, `${before} of ${streams}`)
})

test('streams that become ready while others are written get their turn too', async () => {
  const turns = new OutputScheduler()
  let written = 0
  const again = {
    write() {
      if (++written < 5) turns.later(again)
    },
  }
  turns.later(again)
  await eventually('all are written', async () => written === 5)
})
