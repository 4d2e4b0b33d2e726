import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { createApiServer, memoryStore } from '../../../../runtimes/web/index.ts'
import { type Api, assertFailure } from '../../../support/api.ts'
import { apiOn } from '../../../support/in-process.ts'

const path = '/api/v1/namespaces/default/configmaps'
const nameless = { metadata: { generateName: 'web-' } }

/** Runs `work` with a server that finds the first `taken` generated names in use. */
async function withTaken(taken: number, work: (api: Api, tried: string[]) => Promise<void>): Promise<void> {
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
  const server = await createApiServer({ store: crowded, controllers: [] })
  try {
    await work(apiOn(server), tried)
  } finally {
    await server.close()
  }
}

test('a generated name that is in use is generated again', async () => {
  await withTaken(7, async (api, tried) => {
    const created = await api.create(path, nameless)
    assert.equal(new Set(tried).size, 8)
    assert.equal(tried.at(-1), `/registry/configmaps/default/${created.metadata.name}`)
    assert.match(created.metadata.name, /^web-[a-z0-9]{5}$/)
  })
})

test('after eight attempts the client is told to retry', async () => {
  await withTaken(8, async (api, tried) => {
    const answer = await api.send<Status>('POST', path, nameless)
    assert.equal(tried.length, 8)
    const name = tried.at(-1)?.slice('/registry/configmaps/default/'.length) ?? ''
    const message = `configmaps "${name}" already exists, the server was not able to generate a unique name for the object`
    const { details } = assertFailure(answer, 409, 'AlreadyExists', message)
    assert.deepEqual(details, { name, kind: 'configmaps', retryAfterSeconds: 1 })
    assert.equal(answer.headers.get('retry-after'), '1')
  })
})

test('a name given by the client is tried once', async () => {
  await withTaken(1, async (api, tried) => {
    assertFailure(
      await api.send('POST', path, { ...nameless, metadata: { name: 'own' } }),
      409,
      'AlreadyExists',
      'configmaps "own" already exists',
    )
    assert.equal(tried.length, 1)
  })
})
