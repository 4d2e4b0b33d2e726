import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyValue, KeyValueStore } from '../../../core/ports.ts'
import { branchedStore } from '../../../runtimes/stores/branched.ts'
import { History } from '../../../runtimes/stores/history.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { bytes } from '../../../runtimes/testing/store/recorder.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { processorTime } from '../../support/cost.ts'
import { seeded } from '../../support/mutate.ts'
import { storeConformance } from '../../support/store-conformance.ts'

const options = { clock: webClock, pastBytes: 1024 * 1024, readBytes: 16 * 1024 * 1024 }
const text = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value)

/** A store that is not in this process: its content can only be read. */
function remote(store: KeyValueStore, asked: (what: string) => void = () => {}): KeyValueStore {
  const { get, list, count, size, put, delete: remove, watch, currentRevision, compact, grantLease, close } = store
  return {
    ...{ count, size, put, delete: remove, watch, currentRevision, compact, grantLease, close },
    get(key, revision) {
      asked(`${key}@${revision}`)
      return get(key, revision)
    },
    list(range) {
      asked(`${range.prefix}*${range.from === undefined ? '' : ` from ${range.from}`}@${range.revision}`)
      return list(range)
    },
  }
}

for (const [name, of] of Object.entries({ 'in memory': (store: KeyValueStore) => store, 'that can only be read': remote }))
  storeConformance(`a branch of a store ${name}`, async () => {
    const other = memoryStore()
    const { store } = await branchedStore(of(other), options)
    return { store, close: () => Promise.all([store.close(), other.close()]).then(() => undefined) }
  })

const seed = 20_261_126

test(`a view stays as it is while its history goes on, is compacted, and forgets values (seed ${seed})`, () => {
  const random = seeded(seed)
  for (let round = 0; round < 40; round++) {
    const past = new Map<number, KeyValue>()
    let oldest = 1
    // As a log does that has dropped its old segments.
    const load = (revision: number) => {
      assert(revision >= oldest, `the value of revision ${revision} is gone`)
      return past.get(revision) as KeyValue
    }
    const history = new History(1, round % 2 === 0 ? load : undefined)
    const open: { view: ReturnType<History['view']>; state: readonly KeyValue[] }[] = []
    for (let revision = 2; revision < 250; revision++) {
      const key = `${random.pick(['a', 'b', 'b\uff00', 'b\u{1f600}'])}/${random.below(12)}`
      const before = history.get(key)
      const isDeletion = before !== undefined && random.below(3) === 0
      const createRevision = before?.createRevision ?? revision
      const value = bytes(`${key} ${revision}`)
      if (!isDeletion) past.set(revision, { key, value, createRevision, modRevision: revision })
      history.apply({ key, revision, createRevision, lease: 0n, ...(!isDeletion && { value }) })
      if (random.below(12) === 0) open.push({ view: history.view(), state: history.list({ prefix: '' }).items })
      if (random.below(20) === 0) open.splice(random.below(open.length + 1), 1)[0]?.view.close()
      if (random.below(25) === 0) {
        oldest = history.oldest + random.below(revision - history.oldest + 1)
        history.compact(oldest)
      }
      if (revision % 10 > 0) continue
      for (const { view, state } of open)
        for (const prefix of ['', 'a/', 'b', 'b\uff00/1']) {
          const wanted = state.filter((kv) => kv.key.startsWith(prefix))
          assert.deepEqual(view.list({ prefix }).items, wanted)
          assert.equal(view.count(prefix), wanted.length)
          const from = random.pick(['', ...wanted.map((kv) => kv.key)])
          const rest = from === '' ? wanted : wanted.slice(wanted.findIndex((kv) => kv.key === from))
          const page = view.list({ prefix, from, limit: 3 })
          assert.deepEqual(page.items, rest.slice(0, 3))
          assert.equal(page.remaining, Math.max(0, rest.length - 3))
          for (const each of [key, ...wanted.map((kv) => kv.key)]) {
            const kv = state.find((one) => one.key === each)
            assert.deepEqual(view.get(each), kv)
            assert.deepEqual(view.head(each)?.kv, kv)
          }
        }
    }
  }
})

describe('a branch of a store', () => {
  test('starts without looking at what is there, and neither changes the other', async () => {
    const other = memoryStore()
    const { revision } = await other.put('a', bytes('1'), 0)
    await other.put('b', bytes('1'), 0)
    const refuses = () => Promise.reject(new Error('the content was read'))
    const { store, before } = await branchedStore({ ...other, list: refuses, get: refuses }, options)
    await other.put('a', bytes('2'), revision)
    await other.compact(await other.currentRevision())
    assert.equal(text((await store.get('a')).kv?.value), '1')
    assert.equal(before('a'), revision)
    await store.delete('a', revision)
    assert.deepEqual([await store.count(''), await other.count('')], [1, 2])
    assert.equal(text((await other.get('a')).kv?.value), '2')
    await store.close()
  })

  test('does not look at the keys that follow a page, in the branch or in the other', async () => {
    const branchOf = async (count: number) => {
      const other = memoryStore()
      const name = (at: number) => String(at).padStart(6, '0')
      for (let at = 0; at < count; at++) await other.put(`p/${name(at)}`, bytes('1'), 0)
      const { store } = await branchedStore(other, options)
      for (let at = 0; at < count; at += 100) await store.put(`p/${name(at)}-own`, bytes('2'), 0)
      for (let at = 0; at < count; at += 50) await other.put(`p/${name(at)}-later`, bytes('2'), 0)
      return { store, other }
    }
    const costOf = ({ store }: { readonly store: KeyValueStore }) =>
      processorTime(async () => {
        for (let at = 0; at < 200; at++) await store.list({ prefix: 'p/', from: 'p/000100', limit: 10 })
      })
    const [few, many] = [await branchOf(200), await branchOf(40_000)]
    assert.equal((await many.store.list({ prefix: 'p/', from: 'p/000100', limit: 10 })).remaining, 40_000 + 400 - 101 - 10)
    const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
    for (let round = 0; round < 6; round++) {
      least[0] = Math.min(least[0], (await costOf(few)).milliseconds)
      least[1] = Math.min(least[1], (await costOf(many)).milliseconds)
    }
    // Chunks of an index are counted; key by key it is 600 times as much.
    assert.ok(least[1] < 60 * least[0], `${least.join(' and ')} ms`)
  })

  test('that can only be read reads each key and prefix once, at its revision, when it is asked for', async () => {
    const other = memoryStore()
    const asked: string[] = []
    const first = (await other.put('x/1', bytes('1'), 0)).revision
    await other.put('x/2', bytes('1'), 0)
    await other.put('y/1', bytes('1'), 0)
    const { store, before } = await branchedStore(
      remote(other, (what) => asked.push(what)),
      options,
    )
    assert.deepEqual(asked, [])
    const changed = (await other.put('x/1', bytes('2'), first)).revision
    await other.delete('x/2', (await other.get('x/2')).kv?.modRevision ?? 0)
    assert.equal(text((await store.get('x/1')).kv?.value), '1')
    // What is written has been read.
    assert.equal((await store.put('x/1', bytes('3'), changed)).ok, false)
    assert.equal((await store.put('x/1', bytes('3'), first)).ok, true)
    assert.equal(before('x/1'), first)
    const [one, two] = await Promise.all([store.list({ prefix: 'x/' }), store.list({ prefix: 'x/' })])
    assert.deepEqual(one, two)
    assert.deepEqual(
      one.items.map(({ key, value }) => `${key}=${text(value)}`),
      ['x/1=3', 'x/2=1'],
    )
    await store.get('x/2')
    await store.list({ prefix: 'x/2' })
    assert.deepEqual(asked, ['x/1@4', 'x/*@4'])
    // After a compaction, what was read stays; what was not fails, and says why.
    await other.compact(await other.currentRevision())
    assert.equal(await store.count('x/'), 2)
    const gone =
      /^ApiError: the store of the live server has compacted revision 4, at which the branch began, before this was read; make another branch$/
    await assert.rejects(store.list({ prefix: 'y/' }), gone)
    await assert.rejects(store.put('y/2', bytes('1'), 0), gone)
    assert.equal((await store.put('x/4', bytes('1'), 0)).ok, true)
    await store.close()
  })

  test('that can only be read reads long lists in pages, and no more than it may', async () => {
    const other = memoryStore()
    for (let i = 0; i < 2_500; i++) await other.put(`n/${i}`, bytes('1'), 0)
    const asked: string[] = []
    const limited = { ...options, readBytes: 2_501 * 1025 }
    const { store } = await branchedStore(
      remote(other, (what) => asked.push(what)),
      limited,
    )
    assert.equal(await store.count('n/'), 2_500)
    assert.equal(asked.length, 3)
    const { store: small } = await branchedStore(remote(other), { ...options, readBytes: 2_000 * 1025 })
    await assert.rejects(small.list({ prefix: 'n/' }), /^StoreError: a branch has 2050000 bytes of memory for what it reads/)
    assert.equal(text((await small.get('n/0')).kv?.value), '1')
  })
})
