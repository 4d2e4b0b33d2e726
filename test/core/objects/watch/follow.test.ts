/** Followers of objects: what they are told, in which order, and that many objects do not hold the thread. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { Change } from '../../../../core/objects/watch/change.ts'
import type { Subscriber, WatchableStore } from '../../../../core/objects/watch/feed.ts'
import { follow } from '../../../../core/objects/watch/follow.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { ManualClock } from '../../../support/clock.ts'
import { eventually } from '../../../support/wait.ts'

const count = 200

const entry = (name: string, revision: number) =>
  ({ key: name, revision, object: { metadata: { name, resourceVersion: String(revision) } } }) as unknown as StoredObject

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
  const { ready } = follow(store, clock, {
    upsert: ({ key, object: { metadata } }) => void told.push(`${key} ${metadata.resourceVersion}`),
    remove: ({ key }) => void told.push(`no ${key}`),
  })
  await ready
  assert.equal(told.length, count)
  assert.ok(pauses >= count, `${pauses} pauses`)
  const changed = entry('a7', 3)
  subscriber?.changes([new Change(changed, entry('a7', 1), false), new Change(entry('a8', 4), entry('a8', 1), true)])
  assert.deepEqual(told.slice(count), ['a7 3', 'no a8'])
})

test('after a lost watch all objects are told again, those that went meanwhile are told as gone, and values that can not be read are not', async () => {
  const clock = new ManualClock()
  let subscriber: Subscriber | undefined
  const lists = [
    { entries: [entry('a', 1), entry('b', 1), entry('c', 1)], bad: [] },
    { entries: [entry('a', 5)], bad: ['c'] },
    { entries: [], bad: [] },
  ]
  const store = {
    keys: { parse: (key: string) => ({ namespace: '', name: key }) },
    async list({ unreadable }: { unreadable(key: string, why: string): void }) {
      const { entries = [], bad = [] } = lists.shift() ?? {}
      for (const key of bad) unreadable(key, 'damaged')
      return { entries, revision: 5 }
    },
    subscribe(_after: number, _scope: object, given: Subscriber) {
      subscriber = given
      return { close() {}, requestProgress() {} }
    },
  } as unknown as WatchableStore
  const told: string[] = []
  const listed = () => void told.push('all')
  const { ready } = follow(store, clock, {
    upsert: ({ key, revision }) => void told.push(`${key} ${revision}`),
    remove: ({ key }) => void told.push(`no ${key}`),
    change: ({ entry: { key }, deleted }) => void told.push(`${deleted ? 'deleted' : 'changed'} ${key}`),
    unreadable: ({ key }, why) => void told.push(`${key} ${why}`),
    listed,
  })
  const next = async () => {
    told.length = 0
    subscriber?.end(new Error('lost'))
    clock.advance(1_000)
    await eventually('the list', async () => told.includes('all'))
    return told
  }
  await ready
  assert.deepEqual(told, ['a 1', 'b 1', 'c 1', 'all'])
  assert.deepEqual(await next(), ['c damaged', 'a 5', 'no b', 'all'])
  told.length = 0
  subscriber?.changes([new Change(entry('d', 6), undefined, false), new Change(entry('a', 7), entry('a', 5), true)])
  assert.deepEqual(told, ['changed d', 'd 6', 'deleted a', 'no a'])
  assert.deepEqual(await next(), ['no c', 'no d', 'all'])
})
