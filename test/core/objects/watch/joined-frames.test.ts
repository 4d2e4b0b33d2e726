/** Changes that a store delivers together reach every watcher as events of its own encoding, selection and start. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore, StoreEvent, StoreWatcher } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { configMap } from '../../../support/api.ts'
import { readWatch } from '../../../support/watch-reader.ts'
import { configMaps, start, type TestServer } from '../../controllers/support.ts'

/** A store that keeps events of config maps back, and then delivers all of them in one call. */
function holding(store: KeyValueStore) {
  let holds = false
  let held: { readonly watcher: StoreWatcher; readonly events: readonly StoreEvent[] }[] = []
  const port: KeyValueStore = {
    ...store,
    watch: (prefix, after, watcher) =>
      store.watch(prefix, after, {
        events(events) {
          if (holds && prefix.includes('/configmaps/')) held.push({ watcher, events })
          else watcher.events(events)
        },
        progress: (revision) => holds || watcher.progress(revision),
        end: (error) => watcher.end(error),
      }),
  }
  return {
    port,
    hold() {
      holds = true
    },
    /** Returns the number of changes. */
    release(): number {
      const all = held.flatMap(({ events }) => events)
      holds = false
      held[0]?.watcher.events(all)
      held = []
      return all.length
    },
  }
}

const as = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`

async function open(t: TestContext, server: TestServer, query: string, accept = 'application/json') {
  const response = await server.fetch(`${configMaps}?watch=1&${query}`, { headers: { accept } })
  assert.equal(response.status, 200)
  const reader = readWatch(response.body!, () => {}, accept)
  t.after(() => reader.close())
  return reader
}

type Reader = Awaited<ReturnType<typeof open>>
interface Shown {
  readonly metadata?: { readonly name: string }
  readonly kind: string
  readonly columnDefinitions?: object[]
  readonly rows?: { readonly object: { readonly metadata: { readonly name: string } } }[]
}

async function seen(reader: Reader, count: number): Promise<string[]> {
  const events: string[] = []
  for (let n = 0; n < count; n++) {
    const { type, object } = await reader.object()
    const { kind, metadata, columnDefinitions, rows } = object as unknown as Shown
    const name = rows?.[0]?.object.metadata.name ?? metadata?.name
    events.push([type, kind, name, ...(columnDefinitions ? ['columns'] : [])].join(' '))
  }
  return events
}

test('watchers of all encodings, selectors and starts get the changes of one batch, and of the next', async (t) => {
  const { port, hold, release } = holding(memoryStore())
  const server = await start(t, { store: port, controllers: [] })
  const { metadata } = await server.create(configMaps, configMap('old'))
  await server.list(configMaps)
  const from = `resourceVersion=${metadata.resourceVersion}`
  const watchers = {
    plain: await open(t, server, from),
    'plain too': await open(t, server, from),
    table: await open(t, server, from, as('Table')),
    'table too': await open(t, server, from, as('Table')),
    partial: await open(t, server, from, as('PartialObjectMetadata')),
    selected: await open(t, server, `${from}&labelSelector=wanted`),
  }
  // A change that all have seen: they get the next ones together.
  await server.create(configMaps, configMap('first', {}, { labels: { wanted: '' } }))
  for (const [name, reader] of Object.entries(watchers)) assert.match((await seen(reader, 1))[0]!, /^ADDED \w+ first/, name)

  hold()
  await server.delete(`${configMaps}/old`)
  const a = await server.create(configMaps, configMap('a'))
  await server.create(configMaps, configMap('b', {}, { labels: { wanted: '' } }))
  await server.create(configMaps, configMap('c'))
  const late = await open(t, server, `resourceVersion=${a.metadata.resourceVersion}`)
  assert.equal(release(), 4)
  const all = (kind: string) => ['DELETED', 'ADDED', 'ADDED', 'ADDED'].map((type, at) => `${type} ${kind} ${['old', 'a', 'b', 'c'][at]}`)
  for (const name of ['plain', 'plain too'] as const) assert.deepEqual(await seen(watchers[name], 4), all('ConfigMap'), name)
  for (const name of ['table', 'table too'] as const) assert.deepEqual(await seen(watchers[name], 4), all('Table'), name)
  assert.deepEqual(await seen(watchers.partial, 4), all('PartialObjectMetadata'))
  assert.deepEqual(await seen(watchers.selected, 1), ['ADDED ConfigMap b'])
  assert.deepEqual(await seen(late, 2), ['ADDED ConfigMap b', 'ADDED ConfigMap c'])

  const now = a.metadata.resourceVersion
  const fresh = [await open(t, server, `resourceVersion=${now}`, as('Table')), await open(t, server, `resourceVersion=${now}`, as('Table'))]
  for (const reader of fresh) assert.deepEqual(await seen(reader, 2), ['ADDED Table b columns', 'ADDED Table c'])
})

test('column definitions are in the first of several events, for each watcher', async (t) => {
  const { port, hold, release } = holding(memoryStore())
  const server = await start(t, { store: port, controllers: [] })
  const { metadata } = await server.list(configMaps)
  const from = `resourceVersion=${metadata.resourceVersion}`
  const watchers = [await open(t, server, from, as('Table')), await open(t, server, from, as('Table'))]
  for (const [first, second] of [
    ['a', 'b'],
    ['c', 'd'],
  ] as const) {
    hold()
    await server.create(configMaps, configMap(first))
    await server.create(configMaps, configMap(second))
    assert.equal(release(), 2)
    for (const reader of watchers)
      assert.deepEqual(await seen(reader, 2), [`ADDED Table ${first}${first === 'a' ? ' columns' : ''}`, `ADDED Table ${second}`])
  }
})

test('large changes are delivered without being joined', async (t) => {
  const { port, hold, release } = holding(memoryStore())
  const server = await start(t, { store: port, controllers: [] })
  const { metadata } = await server.list(configMaps)
  const watchers = [1, 2].map(() => open(t, server, `resourceVersion=${metadata.resourceVersion}`))
  const readers = await Promise.all(watchers)
  hold()
  const large = { text: 'x'.repeat(100_000) }
  await server.create(configMaps, configMap('a', large))
  await server.create(configMaps, configMap('b', large))
  assert.equal(release(), 2)
  for (const reader of readers) assert.deepEqual(await seen(reader, 2), ['ADDED ConfigMap a', 'ADDED ConfigMap b'])
})
