/** Watch behaviour of every server of this API, with and without the watch cache, in-process or over a socket. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../runtimes/wire/server/limits.ts'
import { configMap, type TestObject } from '../support/api.ts'
import { eventually, within } from '../support/wait.ts'
import { readWatch, type WatchEvent, type WatchReader, watchAt } from '../support/watch-reader.ts'
import { newTestNamespace, type OpenServer, type TestNamespace } from './http-suite.ts'

export interface WatchServer extends OpenServer {
  /** Advances the server's clock, or waits. */
  pass(milliseconds: number): Promise<void>
  /** True if the server's clock advances only by `pass`. */
  readonly ownTime: boolean
  /** Compacts the store; the watch cache keeps its own history. */
  compact(): Promise<void>
}

export type OpenWatched = (choices: { readonly watchCache: boolean }) => Promise<WatchServer>

interface WatchSpace extends TestNamespace {
  readonly server: WatchServer
  watch(rest: string, query?: { readonly [name: string]: string }): Promise<WatchReader>
}

const version = ({ metadata }: TestObject) => BigInt(metadata.resourceVersion)
const summary = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => (type === 'ERROR' ? type : `${type} ${object.metadata.name ?? ''}`.trim()))
const initialEvents = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
const endOfInitial = { 'k8s.io/initial-events-end': 'true' }

/** `skip`: reason for skipping the suite, or false. */
export function watchConformance(name: string, open: OpenWatched, skip: string | false = false): void {
  for (const watchCache of [true, false]) {
    describe(`${name}: watch, ${watchCache ? 'with' : 'without'} cache`, { skip }, () => {
      let server: WatchServer | undefined
      before(async () => {
        server = await open({ watchCache })
      })
      after(() => server?.close())
      define(watchCache, (title, run) => {
        test(title, async () => {
          assert(server)
          const { fetch } = server
          const watches: WatchReader[] = []
          const space = await newTestNamespace(fetch)
          const watch = async (rest: string, query?: { readonly [name: string]: string }) => {
            const reader = await watchAt(fetch, rest.startsWith('/') ? rest : space.at(rest), query)
            watches.push(reader)
            return reader
          }
          try {
            await run({ ...space, server, watch })
          } finally {
            await Promise.all(watches.map((each) => each.close()))
          }
        })
      })
    })
  }
}

function define(watchCache: boolean, on: (title: string, run: (space: WatchSpace) => Promise<void>) => void): void {
  on('reports creation, change and deletion', async ({ api, at, watch }) => {
    const { metadata } = await api.list(at('configmaps'))
    const reader = await watch('configmaps', { resourceVersion: metadata.resourceVersion })
    const created = await api.create(at('configmaps'), configMap('a', { k: '1' }))
    assert.deepEqual(await reader.object(), { type: 'ADDED', object: created })
    const changed = (await api.patch(at('configmaps/a'), { data: { k: '2' } })).body
    assert.deepEqual(await reader.object(), { type: 'MODIFIED', object: changed })
    await api.delete(at('configmaps/a'))
    const { type, object } = await reader.object()
    assert.equal(type, 'DELETED')
    assert(version(object) > version(changed))
    assert.deepEqual(object, { ...changed, metadata: { ...changed.metadata, resourceVersion: object.metadata.resourceVersion } })
  })

  on('resumes from any resourceVersion seen so far', async ({ api, at, watch }) => {
    const first = await api.create(at('configmaps'), configMap('a', { k: '0' }))
    const versions = [first.metadata.resourceVersion]
    for (let i = 1; i <= 5; i++) versions.push((await api.patch(at('configmaps/a'), { data: { k: `${i}` } })).body.metadata.resourceVersion)
    for (const [index, resourceVersion] of versions.entries()) {
      const reader = await watch('configmaps', { resourceVersion, fieldSelector: 'metadata.name=a' })
      for (const expected of versions.slice(index + 1)) {
        const { type, object } = await reader.object()
        assert.deepEqual([type, object.metadata.resourceVersion], ['MODIFIED', expected])
      }
      const last = await api.patch(at('configmaps/a'), { metadata: { labels: { round: `${index}` } } })
      assert.deepEqual(await reader.object(), { type: 'MODIFIED', object: last.body })
      versions.push(last.body.metadata.resourceVersion)
      await reader.close()
      if (index === 3) break
    }
  })

  on('without a resourceVersion starts with the existing objects', async ({ api, at, watch }) => {
    for (const name of ['a', 'b']) await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name } })
    for (const query of [{}, { resourceVersion: '0' }] as const) {
      const reader = await watch('secrets', query)
      assert.deepEqual(summary([await reader.object(), await reader.object()]), ['ADDED a', 'ADDED b'])
      await api.patch(at('secrets/a'), { metadata: { labels: { q: `${Object.keys(query).length}` } } })
      assert.deepEqual(summary([await reader.object()]), ['MODIFIED a'])
    }
  })

  on('marks the end of initial events with a bookmark', async ({ api, at, watch }) => {
    for (const name of ['a', 'b', 'c']) await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name } })
    const reader = await watch('secrets', initialEvents)
    const events = await reader.until(({ type }) => type === 'BOOKMARK')
    assert.deepEqual(summary(events), ['ADDED a', 'ADDED b', 'ADDED c', 'BOOKMARK'])
    const newest = events.at(-2)?.object as TestObject
    const list = await api.list(at('secrets'))
    const mark = events.at(-1)?.object as TestObject
    assert.deepEqual([mark.kind, mark.apiVersion, mark.metadata.annotations], ['Secret', 'v1', endOfInitial])
    assert(version(mark) >= version(newest) && version(mark) <= BigInt(list.metadata.resourceVersion))
    await api.delete(at('secrets/b'))
    assert.deepEqual(summary([await reader.object()]), ['DELETED b'])
    const empty = await watch('pods', initialEvents)
    assert.deepEqual(summary([await empty.object()]), ['BOOKMARK'])
  })

  on('validates the options of initial events', async ({ api, at }) => {
    const bare = await api.get<{ message: string }>(at('secrets?watch=true&sendInitialEvents=true'))
    assert.equal(bare.status, 422)
    assert.match(bare.body.message, /^ListOptions\.meta\.k8s\.io "" is invalid: /)
    const list = await api.get<{ message: string }>(at('secrets?sendInitialEvents=true'))
    assert.equal(list.status, 422)
    assert.match(list.body.message, /sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list/)
  })

  on(
    'reports an object that leaves the selector as DELETED, with its old content and the new resourceVersion',
    async ({ api, at, watch }) => {
      const { metadata } = await api.list(at('configmaps'))
      const reader = await watch('configmaps', { resourceVersion: metadata.resourceVersion, labelSelector: 'in=yes' })
      await api.create(at('configmaps'), configMap('other', {}, { labels: { in: 'no' } }))
      const before = await api.create(at('configmaps'), configMap('a', { k: '1' }, { labels: { in: 'yes' } }))
      assert.deepEqual(await reader.object(), { type: 'ADDED', object: before })
      const out = await api.patch(at('configmaps/a'), { metadata: { labels: { in: 'no' } }, data: { k: '2' } })
      const left = { ...before, metadata: { ...before.metadata, resourceVersion: out.body.metadata.resourceVersion } }
      assert.deepEqual(await reader.object(), { type: 'DELETED', object: left })
      await api.patch(at('configmaps/a'), { data: { k: '3' } })
      const back = await api.patch(at('configmaps/a'), { metadata: { labels: { in: 'yes' } } })
      assert.deepEqual(await reader.object(), { type: 'ADDED', object: back.body })
      await api.delete(at('configmaps/a'))
      const gone = await reader.object()
      assert.equal(gone.type, 'DELETED')
      assert(version(gone.object) > version(back.body))
    },
  )

  on('field selectors', async ({ api, at, watch }) => {
    const pod = (name: string) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } })
    const { metadata } = await api.list(at('pods'))
    const reader = await watch('pods', { resourceVersion: metadata.resourceVersion, fieldSelector: 'status.phase=Running' })
    await api.create(at('pods'), pod('a'))
    await api.create(at('pods'), pod('b'))
    await api.patch(at('pods/b/status'), { status: { phase: 'Running' } })
    assert.deepEqual(summary([await reader.object()]), ['ADDED b'])
    await api.patch(at('pods/b/status'), { status: { phase: 'Failed' } })
    const { type, object } = await reader.object()
    assert.deepEqual([type, object.status?.['phase']], ['DELETED', 'Running'])
  })

  on('is limited to the requested namespace and name', async ({ api, at, watch, namespace, server }) => {
    const elsewhere = await newTestNamespace(server.fetch)
    const { metadata } = await api.list('/api/v1/configmaps')
    const from = { resourceVersion: metadata.resourceVersion }
    const here = await watch('configmaps', from)
    const one = await watch('configmaps', { ...from, fieldSelector: 'metadata.name=wanted' })
    const everywhere = await watch('/api/v1/configmaps', from)
    const oneEverywhere = await watch('/api/v1/configmaps', { ...from, fieldSelector: 'metadata.name=wanted' })
    const old = await watch(`/api/v1/watch/namespaces/${namespace}/configmaps/wanted`, from)
    for (const each of [elsewhere, { at }])
      for (const name of ['other', 'wanted', 'wanted2']) await api.create(each.at('configmaps'), configMap(name))
    const where = (events: readonly WatchEvent[]) =>
      events.map(
        ({ object }) =>
          `${(object as TestObject).metadata.namespace === namespace ? 'here' : 'there'}/${(object as TestObject).metadata.name}`,
      )
    const take = async (reader: WatchReader, count: number) => {
      const events: WatchEvent[] = []
      while (events.length < count) events.push(await reader.object())
      return where(events)
    }
    const inOrder = ['other', 'wanted', 'wanted2']
    assert.deepEqual(
      await take(here, 3),
      inOrder.map((each) => `here/${each}`),
    )
    assert.deepEqual(await take(one, 1), ['here/wanted'])
    assert.deepEqual(await take(old, 1), ['here/wanted'])
    assert.deepEqual(await take(oneEverywhere, 2), ['there/wanted', 'here/wanted'])
    // Controllers may create objects in new namespaces.
    const all = where(
      await everywhere.until(
        ({ object }) => (object as TestObject).metadata.namespace === namespace && (object as TestObject).metadata.name === 'wanted2',
      ),
    )
    assert.deepEqual(
      all.filter((each) => inOrder.includes(each.split('/')[1] ?? '')),
      [...inOrder.map((each) => `there/${each}`), ...inOrder.map((each) => `here/${each}`)],
    )
    await api.patch(at('configmaps/other'), { data: { k: '1' } })
    await api.patch(at('configmaps/wanted'), { data: { k: '1' } })
    assert.deepEqual(await take(one, 1), ['here/wanted'])
  })

  on('all watchers see the changes of all writers in the same order', async ({ api, at, watch }) => {
    const { metadata } = await api.list(at('configmaps'))
    const from = { resourceVersion: metadata.resourceVersion }
    const readers = await Promise.all([watch('configmaps', from), watch('configmaps', from), watch('configmaps', from)])
    const writers = 8
    const rounds = 10
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        await api.create(at('configmaps'), configMap(`w${writer}`, { n: '0' }))
        for (let n = 1; n <= rounds; n++) {
          assert.equal((await api.patch(at(`configmaps/w${writer}`), { data: { n: `${n}` } })).status, 200)
          assert.equal((await api.patch(at('configmaps/w0'), { data: { [`by${writer}`]: `${n}` } })).status < 500, true)
        }
        await api.delete(at(`configmaps/w${writer}`))
      }),
    )
    await api.create(at('configmaps'), configMap('last'))
    const [first, ...others] = await Promise.all(
      readers.map((reader) => reader.until(({ object }) => (object as TestObject).metadata.name === 'last')),
    )
    assert(first)
    for (const other of others) assert.deepEqual(other, first)
    let last = 0n
    const counts = new Map<string, number>()
    for (const { type, object } of first as Exclude<WatchEvent, { type: 'ERROR' }>[]) {
      assert(version(object) > last, `${version(object)} after ${last}`)
      last = version(object)
      const { name } = object.metadata
      if (!/^w[1-7]$/.test(name)) continue
      if (type !== 'DELETED') assert.equal(object.data?.['n'], `${counts.get(name) ?? 0}`)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    assert.deepEqual([...counts.values()], Array<number>(writers - 1).fill(rounds + 2))
  })

  on('answers a compacted resourceVersion with one ERROR event', async ({ api, at, watch, server }) => {
    await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } })
    await api.list(at('secrets'))
    await server.compact()
    const reader = await watch('secrets', { resourceVersion: '1' })
    const [event, ...more] = await reader.rest()
    assert.deepEqual(more, [])
    assert(event?.type === 'ERROR')
    const { kind, status, code, reason, message } = event.object
    assert.deepEqual([kind, status, code, reason], ['Status', 'Failure', 410, 'Expired'])
    assert.match(
      message ?? '',
      watchCache ? /^too old resource version: 1 \(\d+\)$/ : /^The resourceVersion for the provided watch is too old\.$/,
    )
  })

  on('refuses a malformed resourceVersion', async ({ api, at }) => {
    const answer = await api.get<{ reason: string }>(at('secrets?watch=true&resourceVersion=x'))
    assert.equal(answer.status, 500, 'as in the reference')
    assert.equal(answer.body.reason, undefined)
  })

  on('ends after timeoutSeconds, with a bookmark shortly before', async ({ api, at, watch, server }) => {
    const { metadata } = await api.list(at('configmaps'))
    const seconds = server.ownTime ? 300 : 3
    const from = { resourceVersion: metadata.resourceVersion, timeoutSeconds: `${seconds}` }
    const marked = await watch('configmaps', { ...from, allowWatchBookmarks: 'true' })
    const silent = await watch('configmaps', from)
    const created = await api.create(at('configmaps'), configMap('a'))
    for (const reader of [marked, silent]) assert.deepEqual(await reader.object(), { type: 'ADDED', object: created })
    const began = performance.now()
    await server.pass(seconds * 1000 - 2_000)
    const mark = await marked.object()
    assert.equal(mark.type, 'BOOKMARK')
    assert.deepEqual([mark.object.kind, mark.object.metadata.annotations], ['ConfigMap', undefined])
    assert(version(mark.object) >= version(created))
    await server.pass(2_000)
    const rest = [...(await marked.rest()), ...(await silent.rest())]
    assert.deepEqual(
      rest.filter(({ type }) => type !== 'BOOKMARK'),
      [],
    )
    assert(server.ownTime || performance.now() - began >= 2_500)
  })

  on('sends periodic bookmarks to watchers that allow them', async ({ api, at, watch, server }) => {
    if (!server.ownTime) return
    const { metadata } = await api.list(at('configmaps'))
    const from = { resourceVersion: metadata.resourceVersion, timeoutSeconds: '3600' }
    const marked = await watch('configmaps', { ...from, allowWatchBookmarks: 'true' })
    const silent = await watch('configmaps', from)
    const other = await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } })
    let newest = 0n
    const caughtUp = async () => {
      while (newest < version(other)) {
        const { type, object } = await marked.object()
        assert.equal(type, 'BOOKMARK')
        newest = version(object)
      }
    }
    const marks = caughtUp()
    // Bookmarks come only with news, so time passes until there is one.
    await eventually('a bookmark that has caught up', async () => {
      await server.pass(60_000)
      return newest >= version(other)
    })
    await marks
    await api.create(at('configmaps'), configMap('a'))
    assert.deepEqual(summary([await silent.object()]), ['ADDED a'])
  })

  on('frees a watch when its client disconnects', async ({ api, at, watch }) => {
    const { metadata } = await api.list(at('configmaps'))
    const watchers = async () => {
      const { body } = await api.get<string>('/metrics')
      const lines = body.matchAll(/^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)$/gm)
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
    }
    const idle = await watchers()
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => watch('configmaps', { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: 'true' })),
    )
    await eventually('watches are counted', async () => (await watchers()) >= idle + 20)
    await Promise.all(readers.map((each) => each.close()))
    await eventually('watches are freed', async () => (await watchers()) <= idle)
  })

  on(
    'writers never wait for a slow watcher: with the cache it is disconnected, without it the events arrive late',
    async ({ api, at, server, watch }) => {
      const { metadata } = await api.list(at('configmaps'))
      const abort = new AbortController()
      const query = new URLSearchParams({ watch: 'true', resourceVersion: metadata.resourceVersion })
      const opened = performance.now()
      const slow = await server.fetch(`${at('configmaps')}?${query}`, { signal: abort.signal })
      assert(slow.body)
      const quick = await watch('configmaps', { resourceVersion: metadata.resourceVersion })
      const filler = 'x'.repeat(1_000_000)
      const count = 60
      // Events are large but request and response bodies small, so that only the watches are slow.
      const headers = {
        'content-type': 'application/merge-patch+json',
        accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      }
      await api.create(at('configmaps'), configMap('big', { n: '0', filler }))
      for (let i = 0; i < count; i++) {
        if (i > 0) await api.send('PATCH', at('configmaps/big'), { data: { n: `${i}` } }, headers)
        const { object } = await quick.object()
        assert.equal(object.data?.['n'], `${i}`)
      }
      if (watchCache) {
        const seen = await within('end of the slow watch', countEvents(slow.body))
        assert(seen < count, `${seen} of ${count} events came`)
      } else {
        const late = readWatch(slow.body, () => abort.abort())
        let told = 0
        let last: WatchEvent | undefined
        while (told < count) {
          try {
            last = await within('an event of the slow watch', late.next())
          } catch (error) {
            // On a busy machine the writes may take so long that the listener aborts the unread response.
            if (performance.now() - opened > limits.download.milliseconds) return
            throw error
          }
          if (last === undefined || last.type === 'ERROR') break
          assert.equal((last.object as TestObject).data?.['n'], `${told++}`)
        }
        // The store may have compacted the next events.
        if (told < count) assert.equal((last?.object as { code?: number } | undefined)?.code, 410)
      }
      abort.abort()
    },
  )

  on('serves Table and PartialObjectMetadata', async ({ api, at, server }) => {
    await api.create(at('configmaps'), configMap('a', { k: 'v' }))
    const accepts: readonly (readonly [string, string])[] = [
      ['Table', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
      ['PartialObjectMetadata', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'],
    ]
    for (const [kind, accept] of accepts) {
      const abort = new AbortController()
      const response = await server.fetch(`${at('configmaps')}?watch=true`, { headers: { accept }, signal: abort.signal })
      assert(response.body)
      const reader = readWatch(response.body, () => abort.abort())
      const { type, object } = await reader.object()
      assert.deepEqual([type, object.kind, object.apiVersion], ['ADDED', kind, 'meta.k8s.io/v1'])
      await api.patch(at('configmaps/a'), { data: { k: kind } })
      const { object: next } = await reader.object()
      const columns = (next as unknown as { columnDefinitions?: unknown }).columnDefinitions
      if (kind === 'Table') assert.equal(columns, null)
      await reader.close()
    }
  })
}

/** Number of events until the stream ends or its connection is cut. */
async function countEvents(body: ReadableStream<Uint8Array>): Promise<number> {
  let count = 0
  try {
    for await (const chunk of body) for (const byte of chunk) if (byte === 0x0a) count++
  } catch {}
  return count
}
