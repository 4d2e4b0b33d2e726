/** Concurrent writers of one object, over a store with latency. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

/** A store that answers after some turns of the event loop; how many varies. */
function slow(store: KeyValueStore): KeyValueStore {
  let count = 0
  const later = async <T>(answer: Promise<T>): Promise<T> => {
    count++
    for (let turn = 0; turn < (count * 7) % 11; turn++) await new Promise((resolve) => setImmediate(resolve))
    return answer
  }
  const { get, put } = store
  return {
    ...store,
    get: (...args) => later(get(...args)),
    put: async (...args) => later(later(Promise.resolve()).then(() => put(...args))),
  }
}

test('concurrent patches without a resourceVersion never conflict; of those with the same one, only the first succeeds', async (t) => {
  let puts = 0
  const store = slow(memoryStore())
  const counting: KeyValueStore = {
    ...store,
    put(...args) {
      puts++
      return store.put(...args)
    },
  }
  // On a busy machine writers may wait for seconds; a clock whose timers never fire keeps them from writing without their turn.
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), after: () => () => {} }
  const { api } = await startInProcess({ store: counting, controllers: [], clock }, t)
  const path = '/api/v1/namespaces/default/configmaps'
  await api.create(path, configMap('busy'))
  puts = 0
  const patcher = async (_: unknown, i: number) => {
    for (let n = 0; n < 10; n++) {
      const { status, body } = await api.patch(`${path}/busy`, { data: { [`k${i}`]: `${n}` } })
      assert.equal(status, 200, JSON.stringify(body))
    }
  }
  await Promise.all(Array.from({ length: 20 }, patcher))
  assert.equal(puts, 200, 'no write is retried')
  const { body } = await api.get(`${path}/busy`)
  assert.deepEqual(body.data, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '9'])))
  const { resourceVersion } = body.metadata
  const named = await Promise.all(
    Array.from({ length: 20 }, (_, i) => api.patch(`${path}/busy`, { metadata: { resourceVersion }, data: { last: `${i}` } })),
  )
  assert.deepEqual(
    named.map(({ status }) => status),
    [200, ...Array<number>(19).fill(409)],
  )
})
