/**
 * The entry point `apiserver/testing/store`: what every KeyValueStore must do, as tests for `node:test`. Needs the package fast-check.
 * `storeConformance('my store', async () => ({ store, close }))`
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type KeyValueStore, StoreError, type StoreEvent } from '../../../core/ports.ts'
import { checkAgainstModel } from './model.ts'
import { bytes, describeEvent, Recorder, revisionOf, text } from './recorder.ts'

type Open = () => Promise<{ store: KeyValueStore; close(): Promise<void> }>

/** Declares the tests. `open` gives each test an empty store of its own; `modelRuns`: number of random histories to compare with a model. */
export function storeConformance(name: string, open: Open, modelRuns = 25): void {
  const on = (title: string, run: (store: KeyValueStore) => Promise<void>) =>
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

    on('keeps its own copy of a value', async (store) => {
      const value = bytes('before')
      const pending = store.put('k', value, 0)
      value.fill(0)
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
        seen.push(...page.items)
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

  describe(`${name}: watch`, () => {
    on('delivers changes under the prefix, with previous values', async (store) => {
      const recorder = new Recorder()
      store.watch('a/', await store.currentRevision(), recorder)
      const one = await put(store, 'a/k', '1', 0)
      await put(store, 'b/k', '1', 0)
      await put(store, 'a', '1', 0)
      const two = await put(store, 'a/k', '2', one)
      const three = await store.delete('a/k', two)
      const four = await put(store, 'a/k', '3', 0)
      await recorder.until(({ log }) => log.length === 4)
      assert.deepEqual(recorder.received.map(describeEvent), ['put a/k=1', 'put a/k=2 (was 1)', 'delete a/k (was 2)', 'put a/k=3'])
      assert.deepEqual(recorder.log, [one, two, three.revision, four])
      const [, update, deletion] = recorder.received
      assert.deepEqual(update?.type === 'put' && [update.kv.createRevision, update.previous?.modRevision], [one, one])
      assert.deepEqual([deletion?.previous?.createRevision, deletion?.previous?.modRevision], [one, two])
    })

    on('delivers the same changes to a watch without previous values', async (store) => {
      const start = await store.currentRevision()
      const [all, without] = [new Recorder(), new Recorder()]
      store.watch('', start, all)
      store.watch('', start, without, { withoutPrevious: true })
      const one = await put(store, 'k', '1', 0)
      const two = await put(store, 'k', '2', one)
      await store.delete('k', two)
      const late = new Recorder()
      store.watch('', one, late, { withoutPrevious: true })
      const itself = (event: StoreEvent) => (event.type === 'put' ? event.kv : { key: event.key, revision: event.revision })
      await all.until(({ log }) => log.length === 3)
      await without.until(({ log }) => log.length === 3)
      await late.until(({ log }) => log.length === 2)
      assert.deepEqual(all.received.map(describeEvent), ['put k=1', 'put k=2 (was 1)', 'delete k (was 2)'])
      assert.deepEqual(without.received.map(itself), all.received.map(itself))
      assert.deepEqual(late.received.map(itself), all.received.slice(1).map(itself))
    })

    on('replays past events, then delivers new ones', async (store) => {
      const start = await store.currentRevision()
      const one = await put(store, 'k', '1', 0)
      const two = await put(store, 'k', '2', one)
      await store.delete('k', two)
      const all = new Recorder()
      const some = new Recorder()
      store.watch('', start, all)
      store.watch('k', one, some)
      await put(store, 'k', '3', 0)
      await all.until(({ log }) => log.length === 4)
      await some.until(({ log }) => log.length === 3)
      assert.deepEqual(all.received.map(describeEvent), ['put k=1', 'put k=2 (was 1)', 'delete k (was 2)', 'put k=3'])
      assert.deepEqual(some.received, all.received.slice(1))
    })

    on('neither loses nor repeats events when it starts during writes', async (store) => {
      const start = await store.currentRevision()
      const recorders: Recorder[] = []
      const writers = Array.from({ length: 8 }, async (_, w) => {
        for (let i = 0; i < 40; i++) {
          await put(store, `w/${w}/${i}`, 'v', 0)
          if (i % 10 === 5) {
            const recorder = new Recorder()
            recorders.push(recorder)
            store.watch('w/', start, recorder)
          }
        }
      })
      await Promise.all(writers)
      const expected = Array.from({ length: 320 }, (_, i) => start + 1 + i)
      assert.equal(recorders.length, 32)
      for (const recorder of recorders) {
        await recorder.until(({ log }) => log.length >= 320)
        assert.deepEqual(recorder.log, expected)
      }
    })

    on('never calls a watcher from within watch, put or close', async (store) => {
      let inside = ''
      let calls = 0
      const called = () => {
        calls++
        assert.equal(inside, '')
      }
      const recorder = new Recorder()
      const watcher = {
        events: (events: Parameters<Recorder['events']>[0]) => {
          called()
          recorder.events(events)
        },
        progress: called,
        end: () => {
          called()
          recorder.end()
        },
      }
      await put(store, 'a', '1', 0)
      inside = 'watch'
      const watch = store.watch('', 1, watcher)
      watch.requestProgress()
      inside = 'put'
      const pending = put(store, 'b', '1', 0)
      inside = ''
      await pending
      await recorder.until(({ log }) => log.length >= 2)
      inside = 'close'
      watch.close()
      inside = ''
      await recorder.until(({ ended }) => ended !== undefined)
      assert(calls >= 3)
    })

    on('reports progress after the events up to that revision', async (store) => {
      const recorder = new Recorder()
      const watch = store.watch('p/', await store.currentRevision(), recorder)
      const delivered: [progress: number, last: number][] = []
      const progress = recorder.progress.bind(recorder)
      recorder.progress = (revision) => {
        delivered.push([revision, Number(recorder.log.at(-1) ?? 0)])
        progress(revision)
      }
      const written: number[] = []
      const writing = (async () => {
        for (let i = 0; i < 60; i++) written.push(await put(store, `p/${i}`, 'v', 0))
      })()
      for (let i = 0; i < 10; i++) await recorder.caughtUp(store, watch)
      await writing
      await recorder.caughtUp(store, watch)
      assert(delivered.length > 0)
      for (const [revision, last] of delivered) {
        const due = written.filter((write) => write <= revision).at(-1)
        if (due !== undefined) assert(last >= due, `progress ${revision} came after event ${last}, before ${due}`)
      }
      const other = await put(store, 'elsewhere', 'v', 0)
      await recorder.caughtUp(store, watch)
      assert((recorder.progressed.at(-1) ?? 0) >= other)
    })

    on('ends with the error when its revision is compacted', async (store) => {
      const one = await put(store, 'k', '1', 0)
      const two = await put(store, 'k', '2', one)
      const three = await put(store, 'k', '3', two)
      const four = await put(store, 'k', '4', three)
      await store.compact(three)
      const late = new Recorder()
      store.watch('', one, late)
      await late.until(({ ended }) => ended !== undefined)
      assert.equal(late.ended?.error?.code, 'compacted')
      assert.equal(late.ended?.error?.revision, three)
      assert.deepEqual(late.received, [])
      const early = new Recorder()
      store.watch('', three, early)
      await early.until(({ log }) => log.length === 1)
      assert.deepEqual(early.received.map(describeEvent), ['put k=4 (was 3)'])
      assert.deepEqual(early.log, [four])
    })

    on('is not affected by a compaction of revisions that it has passed', async (store) => {
      const recorder = new Recorder()
      const watch = store.watch('', await store.currentRevision(), recorder)
      const one = await put(store, 'k', '1', 0)
      await recorder.caughtUp(store, watch)
      await store.compact(one)
      await put(store, 'k', '2', one)
      await recorder.until(({ log }) => log.length === 2)
      assert.deepEqual(recorder.received.map(describeEvent), ['put k=1', 'put k=2 (was 1)'])
    })

    on('waits for a future revision', async (store) => {
      const recorder = new Recorder()
      const after = (await store.currentRevision()) + 2
      store.watch('', after, recorder)
      for (let i = 0; i < 4; i++) await put(store, `k${i}`, 'v', 0)
      await recorder.until(({ log }) => log.length === 2)
      assert.deepEqual(recorder.log, [after + 1, after + 2])
      const later = new Recorder()
      store.watch('', after + 3, later).requestProgress()
      await put(store, 'k4', 'v', 0)
      await later.until(({ progressed }) => progressed.some((revision) => revision >= after + 3))
      assert.deepEqual(later.received, [])
    })

    on('delivers nothing after close, and ends without an error', async (store) => {
      const recorder = new Recorder()
      const other = new Recorder()
      const start = await store.currentRevision()
      const watch = store.watch('', start, recorder)
      store.watch('', start, other)
      await put(store, 'a', '1', 0)
      await recorder.until(({ log }) => log.length === 1)
      watch.close()
      watch.close()
      watch.requestProgress()
      await put(store, 'b', '1', 0)
      await other.until(({ log }) => log.length === 2)
      await recorder.until(({ ended }) => ended !== undefined)
      assert.deepEqual(recorder.ended, {})
      assert.equal(recorder.log.length, 2)
      assert.deepEqual(recorder.progressed, [])
    })

    on('other watches continue when one closes', async (store) => {
      const start = await store.currentRevision()
      const recorders = ['a/', 'b/', 'b/', 'b'].map((prefix) => {
        const recorder = new Recorder()
        return { recorder, watch: store.watch(prefix, start, recorder) }
      })
      await put(store, 'b/1', 'v', 0)
      for (const { recorder } of recorders.slice(1)) await recorder.until(({ log }) => log.length === 1)
      for (const { watch } of recorders.slice(0, 2)) watch.close()
      await put(store, 'b/2', 'v', 0)
      for (const { recorder } of recorders.slice(2)) await recorder.until(({ log }) => log.length === 2)
    })

    on('serves many watches of many prefixes', async (store) => {
      const start = await store.currentRevision()
      const recorders = Array.from({ length: 1000 }, (_, i) => {
        const recorder = new Recorder()
        store.watch(i % 2 === 0 ? 'all/' : `all/${i}/`, start, recorder)
        return recorder
      })
      for (let i = 0; i < 20; i++) await put(store, `all/${i}/x`, 'v', 0)
      for (const [i, recorder] of recorders.entries()) {
        const expected = i % 2 === 0 ? 20 : i < 20 ? 1 : 0
        await recorder.until(({ log }) => log.length >= expected)
        assert.equal(recorder.log.length, expected)
      }
    })
  })

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

/** Puts a value, asserts success and returns the revision. */
async function put(store: KeyValueStore, key: string, value: string, expected: number): Promise<number> {
  const result = await store.put(key, bytes(value), expected)
  assert(result.ok, `put ${key} expecting ${expected}: ${result.ok || result.current?.modRevision}`)
  return result.revision
}

function storeError(code: StoreError['code'], revision?: number): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && error.code === code && (revision === undefined || error.revision === revision)
}
