/** What watches of every store must do. */
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { StoreEvent } from '../../../core/ports.ts'
import { type OnStore, put } from './calls.ts'
import { describeEvent, Recorder } from './recorder.ts'

export function watchConformance(name: string, on: OnStore): void {
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
}
