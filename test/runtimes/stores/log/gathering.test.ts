import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '../../../../runtimes/node/start/ports.ts'
import { Engine, type Journal } from '../../../../runtimes/stores/engine.ts'
import { History } from '../../../../runtimes/stores/history.ts'
import { Gatherer } from '../../../../runtimes/stores/log/gathering.ts'

/** Milliseconds of an append, as on a slow disk. */
const slow = 10

/** Two writers on such a disk write so often, each as soon as its write before is durable. Returns the number of changes of each append. */
async function appendsOf(first: number, second: number, gathering?: Gatherer): Promise<readonly number[]> {
  const appended: number[] = []
  const journal: Journal = {
    ...(gathering && { gathering }),
    append: ({ length }) => {
      appended.push(length)
      return new Promise((resolve) => void setTimeout(resolve, slow))
    },
    grant: async () => {},
    endLease: async () => {},
    compact: async () => {},
    size: () => 0,
    close: async () => {},
  }
  const engine = new Engine({ clock: nodeClock, history: new History(), journal })
  const write = async (key: string, count: number) => {
    for (let number = 0; number < count; number++) await engine.commit((draft) => draft.begin().put(key, new Uint8Array(1), 0n))
  }
  const writing = write('first', first)
  // Its first write comes while the other's is written.
  await new Promise(setImmediate)
  await Promise.all([writing, write('second', second)])
  await engine.close()
  return appended
}

test('writers that come back at once share an append instead of taking turns', async () => {
  assert.deepEqual(await appendsOf(20, 20), Array(40).fill(1))
  const appended = await appendsOf(20, 20, new Gatherer())
  assert.equal(appended[0], 1)
  assert.deepEqual(appended.slice(-11, -1), Array(10).fill(2))
})

test('a writer does not wait for one that has left', async () => {
  const appended = await appendsOf(20, 40, new Gatherer())
  assert.ok(appended.includes(2))
  // At most a few of its writes were alone before both shared appends.
  assert.deepEqual(appended.slice(-15), Array(15).fill(1))
})
