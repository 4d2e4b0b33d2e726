/** Requests during a shutdown, in-process. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AdmissionPlugin } from '../../../core/admission/attributes.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { configMap } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'
import { watchAt } from '../../support/watch-reader.ts'

const collection = '/api/v1/namespaces/default/configmaps'

/** A server with a plugin that holds creations of config maps until `release`. */
async function heldServer(t: TestContext) {
  let release = () => {}
  let arrived = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const store = memoryStore()
  const held: AdmissionPlugin = {
    name: 'held',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'configmaps' }],
    async validate() {
      arrived()
      await released
    },
  }
  const started = await startInProcess({ store, controllers: [], extraPlugins: [held] }, t)
  return { ...started, store, release, waiting }
}

test('close waits for the requests in flight, and refuses later ones', async (t) => {
  const { server, fetch, api, store, waiting, release } = await heldServer(t)
  const create = api.create(collection, configMap('held'))
  await waiting
  const closed = server.close()
  assert.equal((await fetch('/readyz')).status, 500)
  assert.equal((await fetch('/livez')).status, 200)
  release()
  assert.equal((await create).metadata.name, 'held')
  await closed
  const late = await fetch(collection)
  assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '1'])
  assert.equal(((await late.json()) as { reason: string }).reason, 'ServiceUnavailable')
  assert((await store.list({ prefix: '/registry/configmaps/default/held' })).items.length === 1)
})

test('a drain that reaches its limit aborts what is in flight, and says so', async (t) => {
  const { server, api, waiting, release } = await heldServer(t)
  const create = api.send('POST', collection, configMap('held'))
  await waiting
  assert.deepEqual(await server.drain({ limit: 10 }), { aborted: 1, watches: 0 })
  await server.close()
  release()
  assert.equal((await create).status, 503, 'a plugin that ignores its signal does not make a write')
})

test('watches end in good order, with all events before the shutdown; new ones are refused', async (t) => {
  const { server, fetch, release, api } = await heldServer(t)
  release()
  const watches = await Promise.all(Array.from({ length: 20 }, () => watchAt(fetch, collection)))
  await api.create(collection, configMap('one'))
  const began = performance.now()
  const drained = server.drain({ watchGrace: 200 })
  assert.equal((await fetch(`${collection}?watch=true`)).status, 503)
  assert.equal((await fetch(collection)).status, 200)
  assert.deepEqual(await drained, { aborted: 0, watches: 20 })
  assert(performance.now() - began > 60, 'they end over time: at least 200 per second')
  for (const watch of watches)
    assert.deepEqual(
      (await watch.rest()).map(({ type }) => type),
      ['ADDED'],
    )
})

test('sendRetryAfter refuses new requests, except health checks and metrics', async (t) => {
  const { server, fetch } = await heldServer(t)
  await server.drain({ sendRetryAfter: true })
  const refused = await fetch(collection)
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')], [429, '5', 'close'])
  for (const path of ['/livez', '/healthz', '/metrics']) assert.equal((await fetch(path)).status, 200, path)
  assert.equal((await fetch('/version')).status, 429)
})
