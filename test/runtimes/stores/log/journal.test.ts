import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { openDurableStore } from '../../../../runtimes/stores/durable.ts'
import { bytes, describeEvent, Recorder, text } from '../../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../../support/clock.ts'
import { hostClock, openAt, temporaryDirectory, warnings } from '../helpers.ts'

describe('durable store: reopening', () => {
  inDirectory('restores values, revisions, history and watches from the past', async (directory) => {
    const first = await openAt(directory)
    const one = await put(first, 'k', '1', 0)
    const two = await put(first, 'k', '2', one)
    await put(first, 'gone', 'x', 0)
    await first.delete('gone', two + 1)
    await first.close()

    const second = await openAt(directory)
    assert.equal(await second.currentRevision(), two + 2)
    const { kv } = await second.get('k')
    assert.deepEqual([text(kv?.value), kv?.createRevision, kv?.modRevision], ['2', one, two])
    assert.equal(text((await second.get('k', one)).kv?.value), '1')
    assert.equal(text((await second.get('gone', two + 1)).kv?.value), 'x')
    const recorder = new Recorder()
    second.watch('', 1, recorder)
    await put(second, 'k', '3', two)
    await recorder.until(({ log }) => log.length === 5)
    const lines = ['put k=1', 'put k=2 (was 1)', 'put gone=x', 'delete gone (was x)', 'put k=3 (was 2)']
    assert.deepEqual(recorder.received.map(describeEvent), lines)
    await second.close()
  })

  inDirectory('restores what a compaction kept', async (directory) => {
    const first = await openAt(directory)
    let revision = 0
    for (let i = 0; i < 20; i++) revision = await put(first, 'k', String(i), revision)
    const gone = await put(first, 'gone', 'x', 0)
    const deleted = await first.delete('gone', gone)
    await first.compact(deleted.revision)
    await first.close()

    const second = await openAt(directory)
    assert.equal(await second.currentRevision(), deleted.revision)
    assert.deepEqual(
      (await second.list({ prefix: '' })).items.map((kv) => [kv.key, text(kv.value), kv.modRevision]),
      [['k', '19', revision]],
    )
    await assert.rejects(second.get('k', gone), (error) => error instanceof StoreError && error.revision === deleted.revision)
    assert.equal(await put(second, 'gone', 'y', 0), deleted.revision + 1)
    await second.close()
    const third = await openAt(directory)
    assert.equal(await third.count(''), 2)
    await third.close()
  })

  inDirectory('keeps its content over many compactions', async (directory) => {
    let revision = 0
    for (let round = 0; round < 4; round++) {
      const store = await openAt(directory)
      for (let i = 0; i < 3; i++) {
        revision = await put(store, 'k', 'x', revision)
        await store.compact(revision)
        const deleted = await store.delete('k', revision)
        await put(store, `other-${round}-${i}`, 'x', 0)
        revision = await put(store, 'k', `${round}-${i}`, 0)
        if (i !== 1) await store.compact(deleted.revision)
      }
      await store.close()
    }
    const store = await openAt(directory)
    assert.equal(text((await store.get('k')).kv?.value), '3-2')
    assert.equal(await store.count(''), 13)
    await store.close()
  })

  inDirectory('files do not grow without bound', async (directory) => {
    const segmentBytes = 2_000_000
    const store = await openDurableStore({ directory, clock: hostClock, logger: warnings(), segmentBytes })
    const value = 'v'.repeat(10_000)
    const revisions = new Map<number, number>()
    const round = async () => {
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => revisions.set(i, await put(store, `k${i}`, value, revisions.get(i) ?? 0))),
      )
      await store.compact(await store.currentRevision())
    }
    let most = 0
    for (let i = 0; i < 20; i++) {
      await round()
      most = Math.max(most, await store.size())
    }
    // A base, a log of the same size, and the current segment, which ends after a batch.
    assert(most < 3 * (segmentBytes + 1_100_000), `${most} bytes`)
    const files = readdirSync(directory).filter((name) => /\.(log|base)$/.test(name))
    assert.equal(
      files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0),
      await store.size(),
    )
    await store.close()
    const again = await openAt(directory)
    assert.equal(await again.count(''), 100)
    await again.close()
  })

  inDirectory('leases continue', async (directory) => {
    const clock = new ManualClock()
    const first = await openAt(directory, clock)
    const past = await first.grantLease(10)
    const coming = await first.grantLease(100)
    await first.put('past', bytes('x'), 0, past)
    await first.put('coming', bytes('x'), 0, coming)
    await first.compact(await first.currentRevision())
    await put(first, 'stays', 'x', 0)
    await first.close()
    clock.advance(50_000)

    const second = await openAt(directory, clock)
    const recorder = new Recorder()
    second.watch('', await second.currentRevision(), recorder)
    clock.advance(0)
    await recorder.until(({ log }) => log.length === 1)
    clock.advance(49_000)
    await put(second, 'barrier', 'x', 0)
    assert.equal(await second.count('coming'), 1)
    clock.advance(1_000)
    await recorder.until(({ log }) => log.length === 3)
    assert.deepEqual(recorder.received.map(describeEvent), ['delete past (was x)', 'put barrier=x', 'delete coming (was x)'])
    await second.close()
  })
})

describe('durable store: files', () => {
  inDirectory('are readable by the owner only, and declare their format', async (directory) => {
    const data = join(directory, 'data')
    const store = await openAt(data)
    await put(store, 'k', 'v', 0)
    assert.equal(statSync(data).mode & 0o777, 0o700)
    const name = readdirSync(data).find((each) => each.endsWith('.log')) ?? ''
    assert.equal(statSync(join(data, name)).mode & 0o777, 0o600)
    assert.match(readFileSync(join(data, name), 'latin1'), /^apiserver log\n\{"format":1,/)
    await store.close()
  })

  inDirectory('an unacknowledged write is dropped with a warning', async (directory) => {
    const first = await openAt(directory)
    await put(first, 'k', 'v', 0)
    await first.close()
    const file = join(directory, readdirSync(directory).find((each) => each.endsWith('.log')) ?? '')
    const content = readFileSync(file)
    const end = content.findLastIndex((byte) => byte !== 0) + 1
    content.write('BTCH and some more', end)
    writeFileSync(file, content)
    const logger = warnings()
    const second = await openAt(directory, hostClock, logger)
    const message = 'dropped the torn end of the log: a write that was never acknowledged'
    assert.deepEqual(logger.warned, [{ fields: { file, offset: end, revision: 2 }, message }])
    await put(second, 'l', 'w', 0)
    await second.close()
    const quiet = warnings()
    const third = await openAt(directory, hostClock, quiet)
    assert.deepEqual(quiet.warned, [])
    assert.equal(await third.count(''), 2)
    await third.close()
  })
})

function inDirectory(title: string, run: (directory: string) => Promise<void>): void {
  test(title, async () => {
    const { directory, remove } = await temporaryDirectory()
    try {
      await run(directory)
    } finally {
      await remove()
    }
  })
}

async function put(store: KeyValueStore, key: string, value: string, expected: number): Promise<number> {
  const result = await store.put(key, bytes(value), expected)
  assert(result.ok)
  return result.revision
}
