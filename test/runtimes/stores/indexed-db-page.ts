/** The store over IndexedDB in a page: the functions that its tests call. */
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import { indexedDbStore } from '../../../runtimes/stores/indexed-db.ts'
import { put } from '../../../runtimes/testing/store/calls.ts'
import { bytes, text } from '../../../runtimes/testing/store/recorder.ts'
import { randomNumbers } from '../../support/random.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { declared } from './node-test-shim.ts'

let opened = 0
storeConformance(
  'store on IndexedDB',
  async () => {
    const store = await indexedDbStore({ name: `suite ${opened++}` })
    return { store, close: () => store.close() }
  },
  10,
)

const contents = async (store: KeyValueStore, revision = 0) =>
  (await store.list({ prefix: '', revision })).items.map(({ key, value, modRevision }) => `${key}=${text(value)}@${modRevision}`)

/** Number of rows in the database. */
function rowsIn(name: string, store = 'changes'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const count = request.result.transaction(store).objectStore(store).count()
      count.onsuccess = () => {
        request.result.close()
        resolve(count.result)
      }
    }
  })
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
  )

/** Random writes and compactions of a store that is opened again and again: its contents before and after. */
async function reopened(name: string, rounds: number): Promise<readonly (readonly [before: string, after: string])[]> {
  const random = randomNumbers(45)
  const seen: (readonly [string, string])[] = []
  for (let round = 0; round < rounds; round++) {
    const store = await indexedDbStore({ name })
    const writes = Array.from({ length: 40 }, async () => {
      const key = `k${random.integer(12)}`
      const { kv } = await store.get(key)
      if (kv && random.chance(0.4)) await store.delete(key, kv.modRevision)
      else await store.put(key, bytes(`${round} ${random.integer(1_000)}`), kv?.modRevision ?? 0)
    })
    await Promise.all(writes)
    const revision = await store.currentRevision()
    if (random.chance(0.6)) await store.compact(revision - random.integer(10))
    const state = async (from: KeyValueStore) =>
      JSON.stringify([await from.currentRevision(), await contents(from), await contents(from, revision - 0)])
    const before = await state(store)
    await store.close()
    const again = await indexedDbStore({ name })
    seen.push([before, await state(again)])
    await again.close()
  }
  return seen
}

/** A store with one key, which `work` breaks: what its calls reject with, whether it has ended, and what it has when opened again. */
async function broken(name: string, work: (ended: Promise<void>) => (() => void) | Promise<void>) {
  const endings: string[] = []
  let end = () => {}
  const hasEnded = new Promise<void>((resolve) => {
    end = resolve
  })
  const ended = ({ message }: Error) => {
    endings.push(message)
    end()
  }
  const store = await indexedDbStore({ name, ended })
  const revision = await put(store, 'k', '1', 0)
  const mend = await work(hasEnded)
  const codes = [await codeOf(store.put('k', bytes('2'), revision)), await codeOf(store.put('new', bytes('2'), 0))]
  mend?.()
  const later = await codeOf(store.put('k', bytes('3'), revision))
  await store.close()
  const again = await indexedDbStore({ name })
  const found = await contents(again)
  await again.close()
  return { codes, later, endings, found }
}

/** Makes every insert of a change throw, in place of a browser without space. */
function failing(error: Error): () => void {
  const { add } = IDBObjectStore.prototype
  IDBObjectStore.prototype.add = () => {
    throw error
  }
  return () => {
    IDBObjectStore.prototype.add = add
  }
}

const page = {
  titles: () => declared.map(({ title }) => title),
  async run(index: number): Promise<string> {
    try {
      await declared[index]?.run()
      return ''
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
  },
  reopened,
  /** What a compaction leaves, of keys that change and are deleted, and of a history that ends with a deletion. */
  async compacted() {
    const name = 'compacted'
    const store = await indexedDbStore({ name })
    let revision = 0
    for (let i = 0; i < 20; i++) revision = await put(store, 'k', `${i}`, revision)
    const other = await put(store, 'other', '', 0)
    await store.delete('other', other)
    const newest = await store.currentRevision()
    await store.compact(newest)
    await store.close()
    const again = await indexedDbStore({ name })
    const found = {
      newest,
      revision: await again.currentRevision(),
      contents: await contents(again),
      past: await codeOf(again.get('k', newest - 1)),
    }
    await put(again, 'other', 'x', 0)
    await again.close()
    return { ...found, rows: await rowsIn(name) }
  },
  /** Leases that end while the store is closed. */
  async leased() {
    const name = 'leased'
    const store = await indexedDbStore({ name })
    const lease = await store.grantLease(1)
    await store.put('k', bytes('1'), 0, lease)
    await store.put('stays', bytes('1'), 0)
    await store.close()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const again = await indexedDbStore({ name })
    await new Promise<void>((resolve) => {
      const watch = again.watch('', 0, {
        events(events) {
          if (events.some(({ type }) => type === 'delete')) resolve()
        },
        progress() {},
        end() {},
      })
      void again.get('k').then(({ kv }) => {
        if (kv === undefined) resolve()
        return watch
      })
    })
    const found = await contents(again)
    await again.close()
    return { found, leases: await rowsIn(name, 'leases') }
  },
  full: () => broken('full', () => failing(new DOMException('no space', 'QuotaExceededError'))),
  failed: () => broken('failed', () => failing(new DOMException('broken', 'UnknownError'))),
  /** As when the user deletes the site's data: the connection is asked to close. */
  deleted: () =>
    broken('deleted', (ended) => {
      indexedDB.deleteDatabase('deleted')
      return ended
    }),
  twice: async () => {
    const store = await indexedDbStore({ name: 'twice' })
    const code = await codeOf(indexedDbStore({ name: 'twice' }))
    await store.close()
    return [code, await codeOf(indexedDbStore({ name: 'twice' }))]
  },
}

export type StorePage = typeof page
Object.assign(globalThis, { page })
