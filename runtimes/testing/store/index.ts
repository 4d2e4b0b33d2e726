/**
 * The entry point `fetch-apiserver/testing/store`: what every KeyValueStore must do, as tests for `node:test`. Needs the package fast-check.
 * `storeConformance('my store', async () => ({ store, close }))`
 */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { append } from '../../../core/common/lists.ts'
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import { type OnStore, put, storeError } from './calls.ts'
import { checkAgainstModel } from './model.ts'
import { bytes, describeEvent, Recorder, revisionOf, text } from './recorder.ts'
import { watchConformance } from './watches.ts'

type Open = () => Promise<{ store: KeyValueStore; close(): Promise<void> }>

/** Declares the tests. `open` gives each test an empty store of its own; `modelRuns`: number of random histories to compare with a model. */
export function storeConformance(name: string, open: Open, modelRuns = 25): void {
  const on: OnStore = (title, run) =>
    test(title, async () => {
      const { store, close } = await open()
      try {
        await run(store)
      } finally {
        await close()
      }
    })

  describe(`${name}: get and compare-and-swap`, () => {
    on('creates, updates and deletes with a revision each', async (store) => {
      const start = await store.currentRevision()
      const created = await put(store, 'k', '1', 0)
      assert.equal(created, start + 1)
      const updated = await put(store, 'k', '2', created)
      assert.equal(updated, start + 2)
      const { kv, revision } = await store.get('k')
      assert.deepEqual({ ...kv, value: text(kv?.value) }, { key: 'k', value: '2', createRevision: created, modRevision: updated })
      assert.equal(revision, updated)
      const deleted = await store.delete('k', updated)
      assert.deepEqual(deleted, { ok: true, revision: start + 3 })
      assert.deepEqual(await store.get('k'), { revision: start + 3 })
      assert.equal(await put(store, 'k', '3', 0), start + 4)
      assert.equal((await store.get('k')).kv?.createRevision, start + 4)
    })

    on('a failed swap returns the stored value and changes nothing', async (store) => {
      const first = await put(store, 'k', '1', 0)
      for (const expected of [0, first + 1, first - 1]) {
        const result = await store.put('k', bytes('x'), expected)
        assert(!result.ok)
        assert.equal(result.revision, first)
        assert.deepEqual(result.current, (await store.get('k')).kv)
      }
      const failedDelete = await store.delete('k', first + 1)
      assert(!failedDelete.ok)
      assert.equal(text(failedDelete.current?.value), '1')
      for (const result of [await store.put('none', bytes('x'), first), await store.delete('none', first)]) {
        assert.deepEqual(result, { ok: false, revision: first })
      }
      assert.equal(await store.currentRevision(), first)
    })

    on('a guarded write needs the revisions of other keys', async (store) => {
      const guard = await put(store, 'guard', '1', 0)
      const guarded = (key: string, expected: number, ...guards: readonly { key: string; revision: number }[]) =>
        store.put(key, bytes('x'), expected, undefined, guards)
      const first = await guarded('k', 0, { key: 'guard', revision: guard }, { key: 'none', revision: 0 })
      assert(first.ok)
      for (const [key, revision] of [
        ['guard', guard + 1],
        ['guard', 0],
        ['none', guard],
      ] as const) {
        assert.deepEqual(await guarded('other', 0, { key, revision }), { ok: false, revision: first.revision })
        const failed = await guarded('k', first.revision, { key: 'guard', revision: guard }, { key, revision })
        assert(!failed.ok)
        assert.equal(failed.current?.modRevision, first.revision)
      }
      const changing = put(store, 'guard', '2', guard)
      const racing = guarded('late', 0, { key: 'guard', revision: guard })
      await changing
      const { ok, revision } = await racing
      assert.equal(ok, revision < (await changing), 'as the order of the revisions says')
      assert.equal((await store.get('late')).kv !== undefined, ok)
    })

    on('exactly one of concurrent swaps succeeds, at every step', async (store) => {
      let expected = 0
      for (let round = 0; round < 5; round++) {
        const results = await Promise.all(Array.from({ length: 20 }, (_, i) => store.put('k', bytes(`${round}-${i}`), expected)))
        const winners = results.filter(({ ok }) => ok)
        assert.equal(winners.length, 1)
        const winner = `${round}-${results.findIndex(({ ok }) => ok)}`
        for (const result of results) if (!result.ok) assert.equal(text(result.current?.value), winner)
        expected = winners[0]?.revision ?? 0
      }
    })

    on('concurrent writes of different keys have different revisions', async (store) => {
      const start = await store.currentRevision()
      const revisions = await Promise.all(Array.from({ length: 50 }, (_, i) => put(store, `k${i}`, 'v', 0)))
      assert.deepEqual(
        revisions.toSorted((a, b) => a - b),
        revisions.map((_, i) => start + 1 + i),
      )
    })

    on('keeps any bytes', async (store) => {
      const values = [new Uint8Array(0), Uint8Array.from({ length: 256 }, (_, i) => i), new Uint8Array(1024 * 1024).fill(0xff)]
      for (const [i, value] of values.entries()) {
        assert((await store.put(`k${i}`, value, 0)).ok)
        const { kv } = await store.get(`k${i}`)
        assert(kv && Buffer.compare(kv.value, value) === 0)
      }
    })

    on('keeps a part of a buffer, whatever is written to it later', async (store) => {
      const buffer = bytes('before after')
      const pending = store.put('k', buffer.subarray(0, 6), 0)
      buffer.fill(0)
      await pending
      assert.equal(text((await store.get('k')).kv?.value), 'before')
    })

    on('rejects a value over 1.5 MiB', async (store) => {
      const start = await store.currentRevision()
      await assert.rejects(store.put('k', new Uint8Array(1.5 * 1024 * 1024 + 1), 0), storeError('too-large'))
      assert.equal(await store.currentRevision(), start)
    })
  })

  describe(`${name}: list and count`, () => {
    on('lists exactly the keys of a prefix, in byte order', async (store) => {
      const keys = ['a/', 'a/\u00ff', 'a/\u00ff\u00ff', 'a/é', 'a/z', 'a/\uffee', 'a/\u{1f600}', 'a/b/c', 'a0', 'a', 'b/a', 'A/a']
      for (const key of keys) await put(store, key, key, 0)
      const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      for (const prefix of ['', 'a', 'a/', 'a/\u00ff', 'a/\u{1f600}', 'b', 'c']) {
        const expected = sorted.filter((key) => key.startsWith(prefix))
        const { items, more } = await store.list({ prefix })
        assert.deepEqual(
          items.map(({ key }) => key),
          expected,
        )
        assert.deepEqual(
          items.map(({ value }) => text(value)),
          expected,
        )
        assert.equal(more, false)
        assert.equal(await store.count(prefix), expected.length)
      }
    })

    on('pages at a revision during writes', async (store) => {
      const keys = Array.from({ length: 25 }, (_, i) => `k/${String(i).padStart(2, '0')}`)
      for (const key of keys) await put(store, key, 'old', 0)
      let page = await store.list({ prefix: 'k/', limit: 10 })
      const revision = page.revision
      assert.equal(revision, await store.currentRevision())
      const seen = [...page.items]
      while (page.more) {
        for (const key of [keys[3], keys[12], keys[24]]) {
          const { kv } = await store.get(key ?? '')
          if (kv) await store.delete(kv.key, kv.modRevision)
        }
        await put(store, `k/15-${seen.length}`, 'new', 0)
        page = await store.list({ prefix: 'k/', limit: 10, revision, from: `${seen.at(-1)?.key}\0` })
        assert.equal(page.revision, revision)
        append(seen, page.items)
      }
      assert.deepEqual(
        seen.map(({ key }) => key),
        keys,
      )
      assert(seen.every(({ value }) => text(value) === 'old'))
    })

    on('reports more items only if there are more', async (store) => {
      for (const key of ['a/1', 'a/2', 'a/3', 'b/1']) await put(store, key, 'v', 0)
      assert.equal((await store.list({ prefix: 'a/', limit: 3 })).more, false)
      assert.equal((await store.list({ prefix: 'a/', limit: 2 })).more, true)
      assert.equal((await store.list({ prefix: 'a/', limit: 1, from: 'a/3' })).more, false)
      assert.equal((await store.list({ prefix: 'a/', limit: 1 })).remaining, 2)
      assert.equal((await store.list({ prefix: 'a/', limit: 1, from: 'a/2' })).remaining, 1)
      assert.equal((await store.list({ prefix: 'a/', limit: 3 })).remaining, 0)
      assert.equal((await store.list({ prefix: 'a/', limit: 0 })).items.length, 3)
      assert.deepEqual((await store.list({ prefix: 'a/', from: 'a/4' })).items, [])
    })

    on('counts the remaining items at the revision of the page', async (store) => {
      for (const key of ['a/1', 'a/2', 'a/3']) await put(store, key, 'v', 0)
      const revision = await store.currentRevision()
      await put(store, 'a/4', 'v', 0)
      assert.equal((await store.list({ prefix: 'a/', limit: 1, revision })).remaining, 2)
      assert.equal((await store.list({ prefix: 'a/', limit: 1 })).remaining, 3)
    })

    on('reports its size', async (store) => {
      await put(store, 'large', 'x'.repeat(100_000), 0)
      assert((await store.size()) > 0)
    })

    on('reads past revisions: creations, values and deletions', async (store) => {
      const start = await store.currentRevision()
      const one = await put(store, 'k', '1', 0)
      const two = await put(store, 'k', '2', one)
      const other = await put(store, 'l', 'x', 0)
      await store.delete('k', two)
      const back = await put(store, 'k', '3', 0)
      const values = async (revision: number) =>
        (await store.list({ prefix: '', revision })).items.map((kv) => `${kv.key}=${text(kv.value)}`)
      assert.deepEqual(await values(start), [])
      assert.deepEqual(await values(one), ['k=1'])
      assert.deepEqual(await values(two), ['k=2'])
      assert.deepEqual(await values(other), ['k=2', 'l=x'])
      assert.deepEqual(await values(other + 1), ['l=x'])
      assert.deepEqual(await values(back), ['k=3', 'l=x'])
      const { kv } = await store.get('k', two)
      assert.deepEqual([text(kv?.value), kv?.createRevision, kv?.modRevision], ['2', one, two])
      assert.equal((await store.get('k', other + 1)).kv, undefined)
    })

    on('refuses a future revision', async (store) => {
      const revision = (await store.currentRevision()) + 1
      await assert.rejects(store.get('k', revision), storeError('future-revision'))
      await assert.rejects(store.list({ prefix: '', revision }), storeError('future-revision'))
      await assert.rejects(store.compact(revision), storeError('future-revision'))
    })

    on('holds many keys', async (store) => {
      const keys = Array.from({ length: 3000 }, (_, i) => `many/${(i * 7919) % 3000}`)
      const revisions = await Promise.all(keys.map((key) => put(store, key, key, 0)))
      assert.equal(await store.count('many/'), 3000)
      const { items } = await store.list({ prefix: 'many/' })
      assert.deepEqual(
        items.map(({ key }) => key),
        keys.toSorted(),
      )
      await Promise.all(keys.map((key, i) => i % 2 === 0 && store.delete(key, revisions[i] ?? 0)))
      assert.equal(await store.count('many/'), 1500)
      assert.equal((await store.list({ prefix: 'many/' })).items.length, 1500)
    })
  })

  describe(`${name}: compaction`, () => {
    on('compaction removes past revisions and keeps current values', async (store) => {
      const one = await put(store, 'k', '1', 0)
      const two = await put(store, 'k', '2', one)
      const gone = await put(store, 'gone', 'x', 0)
      const deleted = await store.delete('gone', gone)
      const three = await put(store, 'l', 'y', 0)
      await store.compact(deleted.revision)
      const tooOld = storeError('compacted', deleted.revision)
      await assert.rejects(store.get('k', two), tooOld)
      await assert.rejects(store.list({ prefix: '', revision: deleted.revision - 1 }), tooOld)
      assert.equal(text((await store.get('k', deleted.revision)).kv?.value), '2')
      assert.deepEqual(
        (await store.list({ prefix: '', revision: deleted.revision })).items.map(({ key }) => key),
        ['k'],
      )
      assert.deepEqual(
        (await store.list({ prefix: '' })).items.map(({ key }) => key),
        ['k', 'l'],
      )
      assert.equal(await store.count(''), 2)
      assert.equal(await store.count('gone'), 0)
      assert.equal(await store.currentRevision(), three)
      await store.compact(three)
      await store.compact(three)
      assert.equal(await put(store, 'gone', 'again', 0), three + 1)
      assert.equal(await put(store, 'k', '3', two), three + 2)
    })

    on('compaction during writes', async (store) => {
      let last = await put(store, 'k', '0', 0)
      for (let i = 1; i <= 50; i++) {
        const next = put(store, 'k', String(i), last)
        const compaction = store.compact(last)
        last = await next
        await compaction
      }
      assert.equal(text((await store.get('k')).kv?.value), '50')
      assert.equal(text((await store.get('k', last - 1)).kv?.value), '49')
    })
  })

  watchConformance(name, on)

  describe(`${name}: leases`, () => {
    on('deletes the keys of an expired lease, and no others', async (store) => {
      const recorder = new Recorder()
      store.watch('', await store.currentRevision(), recorder)
      const short = await store.grantLease(2)
      const long = await store.grantLease(3600)
      const write = async (key: string, lease?: bigint) => {
        const result = await store.put(key, bytes(key), 0, lease)
        assert(result.ok)
        return result.revision
      }
      await write('a', short)
      await write('b', short)
      await write('c', long)
      const moved = await write('d', short)
      await put(store, 'd', 'kept', moved)
      const before = await store.currentRevision()
      await recorder.until(({ received }) => received.filter(({ type }) => type === 'delete').length === 2)
      assert.deepEqual(
        (await store.list({ prefix: '' })).items.map(({ key }) => key),
        ['c', 'd'],
      )
      const deletions = recorder.received.filter(({ type }) => type === 'delete')
      assert.deepEqual(deletions.map(describeEvent).toSorted(), ['delete a (was a)', 'delete b (was b)'])
      assert(deletions.every((event) => revisionOf(event) > before))
      await assert.rejects(store.put('e', bytes('e'), 0, short), StoreError)
    })
  })

  describe(`${name}: closing`, () => {
    test('completes pending calls, then refuses new ones', async () => {
      const { store, close } = await open()
      const recorder = new Recorder()
      store.watch('', await store.currentRevision(), recorder)
      const writes = Array.from({ length: 10 }, (_, i) => put(store, `k${i}`, 'v', 0))
      await close()
      await Promise.all(writes)
      await recorder.until(({ ended }) => ended !== undefined)
      assert.equal(recorder.log.indexOf('end'), 10)
      await assert.rejects(store.get('k0'), storeError('unavailable'))
      await assert.rejects(store.put('k', bytes('v'), 0), storeError('unavailable'))
      await assert.rejects(async () => store.currentRevision(), storeError('unavailable'))
    })
  })

  test(`${name}: behaves as a naive model does`, () => checkAgainstModel(open, modelRuns))
}
