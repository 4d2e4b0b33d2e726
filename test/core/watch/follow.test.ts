/** Followers of objects: what they are told, in which order, and that many objects do not hold the thread. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../core/storage/entry.ts'
import { Change } from '../../../core/watch/change.ts'
import type { Subscriber, WatchableStore } from '../../../core/watch/feed.ts'
import { followObjects } from '../../../core/watch/follow.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

const count = 200

const entry = (name: string, revision: number) =>
  ({ key: name, revision, object: { metadata: { name, resourceVersion: String(revision) } } }) as unknown as Entry

test('the first objects come in time slices, and changes after them', async () => {
  let subscriber: Subscriber | undefined
  const store = {
    list: async () => ({ entries: Array.from({ length: count }, (_, index) => entry(`a${index}`, 1)), revision: 1 }),
    subscribe(after: number, _scope: object, given: Subscriber) {
      assert.equal(after, 1)
      subscriber = given
      return { close() {}, requestProgress() {} }
    },
  } as unknown as WatchableStore
  let [time, pauses] = [0, 0]
  const clock = {
    ...webClock,
    // Each look at the clock finds a slice over.
    monotonic: () => (time += 100),
    async pause() {
      pauses++
      assert.equal(subscriber, undefined, 'changes wait for the first objects')
    },
  }
  const told: string[] = []
  const { ready } = followObjects(store, clock, {
    upsert: (key, { metadata }) => void told.push(`${key} ${metadata.resourceVersion}`),
    remove: (key) => void told.push(`no ${key}`),
  })
  await ready
  assert.equal(told.length, count)
  assert.ok(pauses >= count, `${pauses} pauses`)
  const changed = entry('a7', 3)
  subscriber?.changes([new Change(changed, entry('a7', 1), false), new Change(entry('a8', 4), entry('a8', 1), true)])
  assert.deepEqual(told.slice(count), ['a7 3', 'no a8'])
})
