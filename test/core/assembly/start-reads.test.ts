/** What a start reads of its store: lists of the objects of every cluster, not each object. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { prepareApiServer, type ServerOptions } from '../../../core/server.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { noFiles, webClock, webOutbound } from '../../../runtimes/web/ports.ts'

const ignore = () => {}
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const ports = { clock: webClock, files: noFiles, outbound: webOutbound, telemetry: { logger } }
const options: ServerOptions = { platform: 'kubernetes', controllers: [], authorizationModes: ['RBAC'], priorityAndFairness: 'objects' }

/** Starts a server on this store and closes it; the keys that it has read one by one, listed and written. */
async function start(store: KeyValueStore, t: TestContext) {
  const [read, listed, written] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const observed: KeyValueStore = {
    ...store,
    get(key, ...rest) {
      read.add(key)
      return store.get(key, ...rest)
    },
    list(query, ...rest) {
      listed.add(query.prefix)
      return store.list(query, ...rest)
    },
    put(key, ...rest) {
      written.add(key)
      return store.put(key, ...rest)
    },
  }
  const server = prepareApiServer(ports, async () => ({ store: observed }), options)
  t.after(() => server.close())
  await server.start()
  await server.close()
  const ofKinds = (keys: ReadonlySet<string>) =>
    [...keys].filter((key) =>
      /^\/registry\/(clusterroles|clusterrolebindings|roles|rolebindings|flowschemas|prioritylevel\w+)\/./.test(key),
    )
  return { read: ofKinds(read), listed, written: ofKinds(written) }
}

test('an empty store is asked once whether it is empty, and gets the objects without further reads', async (t) => {
  const { read, listed, written } = await start(memoryStore(), t)
  assert.deepEqual(read, [])
  assert(written.length > 140, String(written.length))
  // No resource of its own is listed that nothing follows: the search for encrypted data found the whole store empty.
  assert(!listed.has('/registry/runtimeclasses/'))
})

test('a full store is not read object by object, and what is missing or outdated is written', async (t) => {
  const store = memoryStore()
  await start(store, t)
  const [view, pods] = ['/registry/clusterroles/view', '/registry/clusterroles/system:node']
  const gone = (await store.get(view)).kv
  assert(gone)
  await store.delete(view, gone.modRevision)
  const stored = (await store.get(pods)).kv
  assert(stored)
  const { rules: _, ...role } = JSON.parse(new TextDecoder().decode(stored.value)) as { rules: unknown }
  await store.put(pods, new TextEncoder().encode(JSON.stringify(role)), stored.modRevision)
  const { read, listed, written } = await start(store, t)
  // An update reads what it changes.
  assert.deepEqual(
    read.filter((key) => key !== pods),
    [],
  )
  assert(listed.has('/registry/runtimeclasses/'))
  assert.deepEqual(written.toSorted(), [pods, view])
  const again = await start(store, t)
  assert.deepEqual([again.read, again.written], [[], []])
})
