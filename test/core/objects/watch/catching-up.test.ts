/** Watches that start far in the past get every event, at the pace of their reader. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { configMap } from '../../../support/api.ts'
import { within } from '../../../support/wait.ts'
import { type WatchEvent, watchAt } from '../../../support/watch-reader.ts'
import { configMaps, start } from '../../controllers/support.ts'

const versionOf = (event: WatchEvent | undefined) =>
  (event?.object.metadata as { resourceVersion?: string } | undefined)?.resourceVersion ?? ''
const megabyte = 'x'.repeat(1_000_000)
/** More changes than a watch queues and than the cache remembers. */
const changes = 75

/** A store that counts the bytes of the events it delivers. */
function counting(store: KeyValueStore) {
  const counted = { bytes: 0 }
  const port: KeyValueStore = {
    ...store,
    watch: (prefix, after, watcher) =>
      store.watch(prefix, after, {
        events(events) {
          for (const event of events) counted.bytes += event.type === 'put' ? event.kv.value.byteLength : 0
          watcher.events(events)
        },
        progress: (revision) => watcher.progress(revision),
        end: (error) => watcher.end(error),
      }),
  }
  return { counted, port }
}

/** A server with one large object that was changed often; `versions`: the object after each write, starting with its creation. */
async function prepare(t: TestContext, watchCache: boolean) {
  const { counted, port } = counting(memoryStore())
  const server = await start(t, { store: port, watchCache, controllers: [] })
  await server.list(configMaps)
  const { metadata } = await server.create(configMaps, configMap('large', { megabyte, n: '0' }))
  const versions = [metadata.resourceVersion]
  for (let n = 1; n <= changes; n++) {
    const { body } = await server.patch(`${configMaps}/large`, { data: { n: `${n}` } })
    versions.push(body.metadata.resourceVersion)
  }
  return { server, versions, counted }
}

for (const watchCache of [true, false])
  test(`a watch gets all missed events at the pace of its reader (${watchCache ? 'with' : 'without'} cache)`, async (t) => {
    const { server, versions, counted } = await prepare(t, watchCache)
    counted.bytes = 0
    const unread = Array.from({ length: 10 }, () => server.fetch(`${configMaps}?watch=1&resourceVersion=${versions[0]}`))
    for (const each of unread) assert.equal((await each).status, 200)
    // Opening a watch delivers one event; the client reads no further.
    const readers = await Promise.all(unread.map(async (each) => (await each).body!.getReader()))
    for (const reader of readers) assert.equal((await within('the first event', reader.read())).done, false)
    await server.patch(`${configMaps}/large`, { data: { n: 'another' } }).then(({ body }) => versions.push(body.metadata.resourceVersion))
    await server.list(configMaps)
    assert(counted.bytes < (unread.length + 5) * megabyte.length, `${counted.bytes} bytes for watches that are not read`)
    for (const reader of readers) await reader.cancel()

    // From before the oldest cached change, and from within the cache.
    for (const missed of [changes, 50, 1]) {
      const watch = await watchAt(server.fetch, configMaps, { resourceVersion: versions[versions.length - 1 - missed] ?? '' })
      const seen: string[] = []
      while (seen.length < missed) {
        const event = await within(`event ${seen.length + 1} of ${missed}`, watch.next())
        assert.equal(event?.type, 'MODIFIED')
        seen.push(versionOf(event))
      }
      assert.deepEqual(seen, versions.slice(-missed))
      const { body } = await server.patch(`${configMaps}/large`, { data: { n: `after ${missed}` } })
      versions.push(body.metadata.resourceVersion)
      assert.equal(versionOf(await within('the next event', watch.next())), body.metadata.resourceVersion)
      await watch.close()
    }
  })
