/** A cache that is closed, or loses its store watch, at any point of its start or of a subscription. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import { createObjectStore } from '../../../../core/objects/storage/object-store.ts'
import { createWatchCache } from '../../../../core/objects/watch/cache.ts'
import type { Subscriber } from '../../../../core/objects/watch/feed.ts'
import { type KeyValueStore, StoreError, type StoreWatcher } from '../../../../core/ports.ts'
import { configMaps } from '../../../../core/resources/core/configmap.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { consoleLogger, webClock } from '../../../../runtimes/web/ports.ts'
import { within } from '../../../support/wait.ts'

/** More than the microtasks that any of the calls below takes. */
const maxMicrotasks = 40
const encoder = new TextEncoder()
const keyOf = (name: string) => `/registry/configmaps/default/${name}`
const put = (store: KeyValueStore, name: string) =>
  store.put(keyOf(name), encoder.encode(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","namespace":"default"}}`), 0)

async function open() {
  const actual = memoryStore()
  await put(actual, 'first')
  const watchers = new Set<StoreWatcher>()
  let watches = 0
  const store: KeyValueStore = {
    ...actual,
    watch(prefix, after, watcher, options) {
      watches++
      watchers.add(watcher)
      const watch = actual.watch(
        prefix,
        after,
        {
          events: (events) => watcher.events(events),
          progress: (revision) => watcher.progress(revision),
          end(error) {
            watches--
            watchers.delete(watcher)
            watcher.end(error)
          },
        },
        options,
      )
      return watch
    },
  }
  const logger = { ...consoleLogger, warn: () => {} }
  const objects = createObjectStore(store, configMaps, '/registry')
  const cache = createWatchCache({ objects, store, clock: webClock, logger, pauses: new Pauses(webClock) })
  return {
    actual,
    cache,
    openWatches: () => watches,
    /** As when the connection to the store breaks. */
    lose() {
      for (const each of watchers) each.end(new StoreError('unavailable', 'the store is away'))
    },
  }
}

async function microtasks(count: number): Promise<void> {
  for (let each = 0; each < count; each++) await undefined
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A subscriber, and the keys of its changes; `ended` resolves at its end. */
function subscribing() {
  const keys: string[] = []
  let over = false
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const subscriber: Subscriber = {
    changes: (changes) => void keys.push(...changes.map(({ entry }) => entry.key)),
    progress() {},
    end() {
      over = true
      end()
    },
  }
  return { subscriber, keys, ended, isOver: () => over }
}

test('lists after a lost store watch are complete', async () => {
  for (let after = 0; after < maxMicrotasks; after++) {
    const { cache, lose } = await open()
    const first = cache.list({ namespace: '' })
    await microtasks(after)
    lose()
    await within('the first list', first)
    const { entries } = await within('the second list', cache.list({ namespace: '' }))
    assert.deepEqual(
      entries.map(({ key }) => key),
      [keyOf('first')],
      `lost after ${after} microtasks`,
    )
    cache.close()
  }
})

for (const warm of [true, false])
  test(`a subscriber gets every change or the end, ${warm ? 'with' : 'before'} a list`, async () => {
    for (let after = 0; after < maxMicrotasks; after++) {
      const { actual, cache, lose } = await open()
      if (warm) await within('a list', cache.list({ namespace: '' }))
      const reader = subscribing()
      cache.subscribe(await actual.currentRevision(), { namespace: '' }, reader.subscriber)
      await microtasks(after)
      lose()
      await put(actual, 'second')
      await settled()
      // Whatever happened, the cache goes on; its next changes come after the second object.
      await within('a list', cache.list({ namespace: '' }))
      await put(actual, 'third')
      await within('a list', cache.list({ namespace: '' }))
      await settled()
      if (!reader.isOver()) assert.deepEqual(reader.keys, [keyOf('second'), keyOf('third')], `lost after ${after} microtasks`)
      cache.close()
    }
  })

for (const warm of [true, false])
  test(`a closed cache ends its subscribers and its store watch, ${warm ? 'with' : 'before'} a list`, async () => {
    for (let after = 0; after < maxMicrotasks; after++) {
      const { actual, cache, openWatches } = await open()
      if (warm) await within('a list', cache.list({ namespace: '' }))
      const reader = subscribing()
      cache.subscribe(await actual.currentRevision(), { namespace: '' }, reader.subscriber)
      await microtasks(after)
      cache.close()
      await within(`the end after ${after} microtasks`, reader.ended)
      await settled()
      assert.equal(openWatches(), 0, `closed after ${after} microtasks`)
    }
  })
