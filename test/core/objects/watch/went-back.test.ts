/** A running server whose store is replaced by an earlier copy, as when a backup is restored. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore, Logger } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { assertFailure, configMap, type TestList } from '../../../support/api.ts'
import { within } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { configMaps, start } from '../../controllers/support.ts'

const names = ({ items }: TestList) => items.map(({ metadata }) => metadata.name)

/** Copies the current content of a store into a new one at the same revisions, without history. */
async function copy(store: KeyValueStore): Promise<KeyValueStore> {
  const target = memoryStore()
  const { items, revision } = await store.list({ prefix: '' })
  const byRevision = new Map(items.map((kv) => [kv.modRevision, kv]))
  for (let at = 2, filler = 0; at <= revision; at++) {
    const kv = byRevision.get(at)
    if (kv) await target.put(kv.key, kv.value, 0)
    else filler = (await target.put('filler', new Uint8Array(1), filler)).revision
  }
  return target
}

/** A server on a store that can be replaced. */
async function replaceable(t: TestContext, watchCache: boolean) {
  let store: KeyValueStore = memoryStore()
  const port: KeyValueStore = {
    get: (...args) => store.get(...args),
    list: (options) => store.list(options),
    count: (prefix) => store.count(prefix),
    size: () => store.size(),
    put: (...args) => store.put(...args),
    delete: (...args) => store.delete(...args),
    // Watches of the old store stay silent, as when a member is replaced behind the same address.
    watch: (...args) => store.watch(...args),
    currentRevision: () => store.currentRevision(),
    compact: (revision) => store.compact(revision),
    grantLease: (seconds) => store.grantLease(seconds),
    close: () => store.close(),
  }
  const warned: string[] = []
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (_fields, message) => void warned.push(message) }
  const server = await start(t, { store: port, watchCache, controllers: [], telemetry: { logger } })
  return {
    server,
    warned,
    backup: () => copy(store),
    restore(backup: KeyValueStore) {
      store = backup
    },
  }
}

test('watches end, lists show the restored content, and the server logs the reason', async (t) => {
  const { server, warned, backup, restore } = await replaceable(t, true)
  await server.create(configMaps, configMap('kept'))
  const earlier = await backup()
  await server.create(configMaps, configMap('lost'))
  for (let i = 0; i < 5; i++) await server.patch(`${configMaps}/kept`, { data: { i: `${i}` } })
  const before = await server.list(configMaps)
  assert.deepEqual(names(before), ['kept', 'lost'])
  const watch = await watchAt(server.fetch, configMaps, { resourceVersion: before.metadata.resourceVersion })
  restore(earlier)
  const after = await server.list(configMaps)
  assert.deepEqual(names(after), ['kept'])
  assert(BigInt(after.metadata.resourceVersion) < BigInt(before.metadata.resourceVersion))
  assert.equal(after.items[0]?.data?.['i'], undefined)
  assert.equal(await watch.next(), undefined, 'the watch ends')
  // The client resumes, gets an error for its resourceVersion, and lists again.
  const again = await watchAt(server.fetch, configMaps, { resourceVersion: before.metadata.resourceVersion })
  const event = await again.next()
  assert(event?.type === 'ERROR', JSON.stringify(event))
  assert.deepEqual([event.object.code, event.object.reason], [410, 'Expired'])
  const anew = await watchAt(server.fetch, configMaps, { resourceVersion: after.metadata.resourceVersion })
  const created = await server.create(configMaps, configMap('new'))
  assert.deepEqual(await anew.object(), { type: 'ADDED', object: created })
  await anew.close()
  assert(warned.some((message) => message === 'store revision went backwards (restored from a backup?)'))
})

test('a get detects it as well', async (t) => {
  const { server, warned, backup, restore } = await replaceable(t, true)
  const earlier = await backup()
  await server.create(configMaps, configMap('a'))
  await server.list(configMaps)
  restore(earlier)
  assert.equal((await server.get(`${configMaps}/a`)).status, 404)
  assert.deepEqual([...new Set(warned)], ['watch cache restarts from a new list'])
  assert.deepEqual(names(await server.list(configMaps)), [])
})

for (const watchCache of [true, false]) {
  const how = watchCache ? 'with' : 'without'
  test(`a watch from a future revision is refused, ${how} watch cache`, async (t) => {
    const { server } = await replaceable(t, watchCache)
    const watch = await watchAt(server.fetch, configMaps, { resourceVersion: '4000000' })
    const event = await watch.next()
    assert(event?.type === 'ERROR', JSON.stringify(event))
    assert.deepEqual([event.object.code, event.object.reason], [410, 'Expired'])
    assert.equal(await watch.next(), undefined)
  })

  test(`a list at a future revision is refused, ${how} watch cache`, async (t) => {
    const { server } = await replaceable(t, watchCache)
    for (const match of ['Exact', 'NotOlderThan']) {
      const query = `resourceVersion=4000000&resourceVersionMatch=${match}`
      const answer = await within('the answer', server.get(`${configMaps}?${query}`))
      const status = assertFailure(answer, 504, 'Timeout', /^Timeout: Too large resource version: 4000000, current: \d+$/)
      assert.deepEqual(status.details?.causes, [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }])
      // Only the reference's watch cache tells when to come back.
      assert.equal(answer.headers.get('retry-after'), watchCache ? '1' : null)
    }
  })
}
