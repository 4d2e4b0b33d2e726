/** All watches of an encrypted store share one decryption of each value. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encryptedStore } from '../../../core/encryption/store.ts'
import { TransformError, type Transformer } from '../../../core/encryption/transformer.ts'
import type { KeyValue, KeyValueStore, StoreEvent } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { holdingClock } from '../../support/holding-clock.ts'
import { eventually } from '../../support/wait.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { keys, secret, secrets, secretsPath, startEncrypted } from './support.ts'

const prefix = '/registry/secrets/'
const bytes = (text: string) => new TextEncoder().encode(text)
const flipped = (value: Uint8Array) => value.map((byte) => byte ^ 0xff)

/** Flips bits, counts calls and takes a moment; longer for values written earlier. */
function countingTransformer() {
  const state = { reads: 0, failing: false }
  const transformer: Transformer = {
    async fromStored(stored) {
      const number = state.reads++
      await new Promise((resolve) => setTimeout(resolve, number % 2 === 0 ? 20 : 1))
      if (state.failing) throw new TransformError('not now')
      return { bytes: flipped(stored), isStale: () => false }
    },
    toStored: async (plain) => flipped(plain),
  }
  return { state, transformer }
}

/** A store that gives every watch its own copies, as a remote store does. */
function remote(store: KeyValueStore): KeyValueStore {
  const copy = (kv: KeyValue): KeyValue => ({ ...kv, value: kv.value.slice() })
  const copied = (event: StoreEvent): StoreEvent => {
    const previous = event.previous && { previous: copy(event.previous) }
    return event.type === 'put' ? { ...event, kv: copy(event.kv), ...previous } : { ...event, ...previous }
  }
  return {
    ...store,
    watch: (at, after, watcher) =>
      store.watch(at, after, {
        events: (events) => watcher.events(events.map(copied)),
        progress: (revision) => watcher.progress(revision),
        end: (error) => watcher.end(error),
      }),
  }
}

/** The events of a watch as text, in order. */
function follow(store: KeyValueStore, after: number): { readonly seen: string[]; close(): void } {
  const seen: string[] = []
  const text = (kv: KeyValue | undefined) => {
    try {
      return kv ? new TextDecoder().decode(kv.value) : '-'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const { close } = store.watch(prefix, after, {
    events(events) {
      for (const event of events) {
        const now = event.type === 'put' ? event.kv : undefined
        seen.push(`${event.type} ${text(event.previous)} > ${text(now)}`)
      }
    },
    progress: (revision) => seen.push(`progress ${revision}`),
    end: (error) => seen.push(`end ${error?.message}`),
  })
  return { seen, close }
}

for (const [name, wrap] of [
  ['that hands out its own objects', (store: KeyValueStore) => store],
  ['that hands out copies', remote],
] as const)
  test(`three watches of a store ${name} decrypt each value once, and the previous value of a change not again`, async () => {
    const { state, transformer } = countingTransformer()
    const store = encryptedStore(wrap(memoryStore()), () => transformer, holdingClock)
    const watches = [1, 2, 3].map(() => follow(store, 0))
    let [revision, expected] = [0, [] as string[]]
    for (let count = 0; count < 10; count++) {
      const put = await store.put(`${prefix}a`, bytes(`value ${count}`), revision)
      revision = put.revision
      expected = [...expected, `put ${count === 0 ? '-' : `value ${count - 1}`} > value ${count}`]
    }
    await store.delete(`${prefix}a`, revision)
    expected = [...expected, 'delete value 9 > -']
    const changes = (seen: readonly string[]) => seen.filter((line) => !line.startsWith('progress'))
    await eventually('all events', async () => watches.every(({ seen }) => changes(seen).length >= expected.length))
    for (const { seen } of watches) assert.deepEqual(changes(seen), expected)
    assert.equal(state.reads, 10, 'one decryption per value')
    for (const { close } of watches) close()
    await store.close()
  })

test('three watches of a server decrypt each change once', async () => {
  const server = await startEncrypted(secrets({ secretbox: keys(['k1', 1]) }), { watchCache: false })
  try {
    const { api } = server
    const { metadata } = await api.list(secretsPath)
    const watches = await Promise.all([1, 2, 3].map(() => watchAt(api.fetch, secretsPath, { resourceVersion: metadata.resourceVersion })))
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
    for (const name of names) await api.create(secretsPath, secret(name))
    for (const watch of watches) {
      for (const name of names) assert.equal((await watch.object()).object.metadata.name, name)
      await watch.close()
    }
    const { body } = await api.get<string>('/metrics')
    const decryptions =
      /_operations_total\{resource="secrets",status="OK",transformation_type="from_storage",transformer_prefix="k1:"\} (\d+)$/m
    assert.equal(Number(decryptions.exec(body)?.[1]), names.length)
  } finally {
    await server.close()
  }
})

test('a failed decryption is retried for later watches', async () => {
  const { state, transformer } = countingTransformer()
  const store = encryptedStore(memoryStore(), () => transformer, holdingClock)
  await store.put(`${prefix}a`, bytes('value'), 0)
  state.failing = true
  const early = [follow(store, 0), follow(store, 0)]
  for (const { seen } of early) await eventually('the event', async () => seen.includes('put - > not now'))
  assert.equal(state.reads, 1, 'one attempt for both')
  state.failing = false
  const late = follow(store, 0)
  await eventually('the event', async () => late.seen.includes('put - > value'))
  for (const { close } of [...early, late]) close()
  await store.close()
})

test('values of different transformers are not confused', async () => {
  const [first, second] = [countingTransformer(), countingTransformer()]
  let current = first
  const store = encryptedStore(memoryStore(), () => current.transformer, holdingClock)
  await store.put(`${prefix}a`, bytes('value'), 0)
  const early = follow(store, 0)
  await eventually('the event', async () => early.seen.includes('put - > value'))
  current = second
  const late = follow(store, 0)
  await eventually('the event', async () => late.seen.includes('put - > value'))
  assert.deepEqual([first.state.reads, second.state.reads], [1, 1])
  for (const { close } of [early, late]) close()
  await store.close()
})

test('the cache of decrypted values is bounded', async () => {
  const { state, transformer } = countingTransformer()
  const store = encryptedStore(memoryStore(), () => transformer, holdingClock)
  const first = await store.put(`${prefix}first`, bytes('first'), 0)
  for (let count = 0; count < 10; count++) await store.put(`${prefix}large-${count}`, new Uint8Array(1_000_000), 0)
  const one = follow(store, 0)
  await eventually('the events', async () => one.seen.length >= 11)
  assert.equal(state.reads, 11)
  await store.delete(`${prefix}first`, first.revision)
  await eventually('the deletion', async () => one.seen.includes('delete first > -'))
  assert.equal(state.reads, 12, 'the oldest value was evicted')
  one.close()
  await store.close()
})
