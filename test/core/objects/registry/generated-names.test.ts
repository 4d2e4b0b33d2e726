import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { assertFailure } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

const path = '/api/v1/namespaces/default/configmaps'
const nameless = { metadata: { generateName: 'web-' } }

/** A server that finds the first `taken` generated names in use, and the keys that it has tried. */
async function withTaken(t: TestContext, taken: number) {
  const store = memoryStore()
  const tried: string[] = []
  const crowded: KeyValueStore = {
    ...store,
    async put(key, value, expected, lease) {
      if (!key.startsWith('/registry/configmaps/')) return store.put(key, value, expected, lease)
      tried.push(key)
      if (tried.length > taken) return store.put(key, value, expected, lease)
      await store.put(key, value, 0)
      return store.put(key, value, expected, lease)
    },
  }
  const { api } = await startInProcess({ store: crowded, controllers: [] }, t)
  return { api, tried }
}

test('a generated name that is in use is generated again', async (t) => {
  const { api, tried } = await withTaken(t, 7)
  const created = await api.create(path, nameless)
  assert.equal(new Set(tried).size, 8)
  assert.equal(tried.at(-1), `/registry/configmaps/default/${created.metadata.name}`)
  assert.match(created.metadata.name, /^web-[a-z0-9]{5}$/)
})

test('after eight attempts the client is told to retry', async (t) => {
  const { api, tried } = await withTaken(t, 8)
  const answer = await api.send<Status>('POST', path, nameless)
  assert.equal(tried.length, 8)
  const name = tried.at(-1)?.slice('/registry/configmaps/default/'.length) ?? ''
  const message = `configmaps "${name}" already exists, the server was not able to generate a unique name for the object`
  const { details } = assertFailure(answer, 409, 'AlreadyExists', message)
  assert.deepEqual(details, { name, kind: 'configmaps', retryAfterSeconds: 1 })
  assert.equal(answer.headers.get('retry-after'), '1')
})

test('a name given by the client is tried once', async (t) => {
  const { api, tried } = await withTaken(t, 1)
  assertFailure(
    await api.send('POST', path, { ...nameless, metadata: { name: 'own' } }),
    409,
    'AlreadyExists',
    'configmaps "own" already exists',
  )
  assert.equal(tried.length, 1)
})
