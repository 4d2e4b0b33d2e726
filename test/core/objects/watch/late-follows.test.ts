/** Resources without objects are followed from their first one on, over the store in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeys, type Keys } from '../../../../core/objects/storage/keys.ts'
import type { Following } from '../../../../core/objects/watch/follow.ts'
import { LateFollows } from '../../../../core/objects/watch/late-follows.ts'
import { type KeyValueStore, StoreError, type StoreWatcher } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'

const prefix = '/registry/quotas/'
const [keys, otherKeys] = ['quotas', 'policies'].map((key) => createKeys('/registry', key, true)) as [Keys, Keys]
const value = new Uint8Array([1])

/** A follower that is ready when `told` is called. */
function follower() {
  const seen = { opened: 0, closed: 0, told: () => {} }
  const open = (): Following => {
    seen.opened++
    const ready = new Promise<void>((resolve) => {
      seen.told = resolve
    })
    return { ready, close: () => void seen.closed++ }
  }
  return { seen, open }
}

test('nothing is opened for a resource without objects, whatever else is written', async () => {
  const store = memoryStore()
  const follows = new LateFollows(store, '/registry')
  const { seen, open } = follower()
  await follows.follow(keys, open).ready
  await store.put('/registry/quota', value, 0)
  await store.put('/registry/quotas.example.com/one', value, 0)
  await store.put('/other/quotas/one', value, 0)
  assert.equal(seen.opened, 0)
  assert.equal(follows.beginning(), undefined)
})

test('a resource with objects is followed at once, and ready when the follower is', async () => {
  const store = memoryStore()
  await store.put(`${prefix}one`, value, 0)
  const follows = new LateFollows(store, '/registry')
  const { seen, open } = follower()
  let isReady = false
  const following = follows.follow(keys, open)
  assert(following.ready instanceof Promise)
  void following.ready.then(() => {
    isReady = true
  })
  // Waits for the watch and the count.
  while (seen.opened === 0) await store.currentRevision()
  assert(!isReady)
  seen.told()
  await following.ready
  assert.equal(seen.opened, 1)
  following.close()
  assert.equal(seen.closed, 1)
})

test('where the store answers at once, a resource without objects needs no wait, and one that is written in the same turn is followed', async () => {
  const store = memoryStore()
  const follows = new LateFollows(store, '/registry')
  const { seen, open } = follower()
  const { ready } = follows.follow(keys, open)
  assert(!(ready instanceof Promise))
  await store.put(`${prefix}one`, value, 0)
  assert.equal(seen.opened, 1)
})

test('once the first object is written, requests wait for the follower', async () => {
  const store = memoryStore()
  const follows = new LateFollows(store, '/registry')
  const { seen, open } = follower()
  await follows.follow(keys, open).ready
  await store.put(`${prefix}one`, value, 0)
  const beginning = follows.beginning()
  assert.equal(seen.opened, 1)
  assert(beginning instanceof Promise)
  seen.told()
  await beginning
  assert.equal(follows.beginning(), undefined)
  await store.put(`${prefix}two`, value, 0)
  assert.equal(seen.opened, 1)
})

test('an object that is written while the resource is counted opens it once', async () => {
  const store = memoryStore()
  const { seen, open } = follower()
  const counted: KeyValueStore = {
    ...store,
    async count(of) {
      await store.put(`${prefix}one`, value, 0)
      return store.count(of)
    },
  }
  const following = new LateFollows(counted, '/registry').follow(keys, open)
  while (seen.opened === 0) await store.currentRevision()
  seen.told()
  await following.ready
  assert.equal(seen.opened, 1)
})

test('when the watch is lost, everything is followed', async () => {
  const watchers: StoreWatcher[] = []
  const store = memoryStore()
  const losing: KeyValueStore = {
    ...store,
    watch(of, after, watcher) {
      watchers.push(watcher)
      return store.watch(of, after, watcher)
    },
  }
  const follows = new LateFollows(losing, '/registry')
  const { seen, open } = follower()
  await follows.follow(keys, open).ready
  watchers[0]!.end(new StoreError('compacted', 'lost', 1))
  assert.equal(seen.opened, 1)
})

test('what is closed is not opened any more', async () => {
  const store = memoryStore()
  const follows = new LateFollows(store, '/registry')
  const [one, other] = [follower(), follower()]
  const following = follows.follow(keys, one.open)
  await following.ready
  await follows.follow(otherKeys, other.open).ready
  following.close()
  await store.put(`${prefix}one`, value, 0)
  follows.close()
  await store.put('/registry/policies/one', value, 0)
  assert.deepEqual([one.seen.opened, other.seen.opened], [0, 0])
})
