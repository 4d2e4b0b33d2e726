/** The comparison of watch caches with the store, which a metric and the log tell. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Clock, KeyValueStore, Logger } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { configMap } from '../../../support/api.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const minute = 60_000
const isCheck = (milliseconds: number) => milliseconds >= 5 * minute && milliseconds < 7.5 * minute

/** A server on a store that can lose events, whose checks begin when the test says so. */
async function open(t: TestContext, featureGates: { readonly [gate: string]: boolean } = {}) {
  const actual = memoryStore()
  const state = { losing: false, failing: false }
  const store: KeyValueStore = {
    ...actual,
    list: (options) => (state.failing ? Promise.reject(new Error('no answer')) : actual.list(options)),
    watch(prefix, after, watcher, options) {
      const events: typeof watcher.events = (all) => {
        const last = all.at(-1)
        // The revision goes on without the events.
        if (!state.losing) watcher.events(all)
        else if (last) watcher.progress(last.type === 'put' ? last.kv.modRevision : last.revision)
      }
      return actual.watch(prefix, after, { events, progress: (to) => watcher.progress(to), end: (error) => watcher.end(error) }, options)
    },
  }
  const checks = new ManualClock()
  const clock: Clock = {
    ...webClock,
    after: (milliseconds, callback) => (isCheck(milliseconds) ? checks : webClock).after(milliseconds, callback),
  }
  const logged: string[] = []
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (fields, message) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  }
  const options = { ...{ controllers: [], featureGates }, compactionInterval: 0, countInterval: 0 }
  const { api } = await startInProcess({ ...options, clock, telemetry: { logger }, store }, t)
  const number = async (status: string) => {
    const start = `apiserver_storage_consistency_checks_total{group="",resource="configmaps",status="${status}"} `
    const { body } = await api.get<string>('/metrics')
    return Number(
      body
        .split('\n')
        .find((line) => line.startsWith(start))
        ?.slice(start.length) ?? 0,
    )
  }
  return { api, actual, state, checks, logged, number, check: () => checks.advance(7.5 * minute) }
}

test('a loaded cache is compared with the store again and again', async (t) => {
  const { api, number, check, logged } = await open(t)
  await api.create(collection, configMap('one'))
  await api.list(collection)
  for (const times of [1, 2]) {
    check()
    await eventually('a check', async () => (await number('success')) === times)
  }
  assert.deepEqual([await number('failure'), await number('error')], [0, 0])
  assert.deepEqual(logged, [])
})

test('a difference is counted and logged, and lists of that revision come from the store until there is none', async (t) => {
  const { api, actual, state, number, check, logged } = await open(t)
  await api.create(collection, configMap('one'))
  await api.list(collection)
  state.losing = true
  const { metadata } = await api.create(collection, configMap('lost'))
  state.losing = false
  const { resourceVersion } = metadata
  const names = async () => {
    const { items } = await api.list(`${collection}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`)
    return items.map((each) => each.metadata.name)
  }
  assert.deepEqual(await names(), ['one'], 'the cache does not know what it missed')
  check()
  await eventually('the difference', async () => (await number('failure')) === 1)
  const stored = { key: '/registry/configmaps/default/lost', revision: Number(resourceVersion) }
  assert.deepEqual(logged, [
    `watch cache differs from the store ${JSON.stringify({ resource: 'configmaps', revision: Number(resourceVersion), stored })}`,
  ])
  assert.deepEqual(await names(), ['one', 'lost'].toSorted())
  await actual.delete(stored.key, stored.revision)
  await api.list(collection)
  check()
  await eventually('a check without a difference', async () => (await number('success')) === 1)
})

test('an object that only the cache has is a difference', async (t) => {
  const { api, state, number, check, logged } = await open(t)
  await api.create(collection, configMap('one'))
  await api.list(collection)
  state.losing = true
  await api.delete(`${collection}/one`)
  check()
  await eventually('the difference', async () => (await number('failure')) === 1)
  assert.match(logged[0] ?? '', /"cached":\{"key":"\/registry\/configmaps\/default\/one","revision":\d+\}/)
})

test('a store that does not answer is an error, and the next check comes', async (t) => {
  const { api, state, number, check, logged } = await open(t)
  await api.list(collection)
  state.failing = true
  check()
  await eventually('the error', async () => (await number('error')) === 1)
  assert.ok(logged.includes('watch cache could not be compared with the store {"resource":"configmaps","error":"no answer"}'))
  state.failing = false
  check()
  await eventually('a check', async () => (await number('success')) === 1)
})

test('without the feature gate nothing is compared', async (t) => {
  const { api, checks } = await open(t, { DetectCacheInconsistency: false })
  const others = checks.pending
  await api.list(collection)
  assert.equal(checks.pending, others)
})
