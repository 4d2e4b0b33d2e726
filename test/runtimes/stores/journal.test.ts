import assert from 'node:assert/strict'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { open } from 'lmdb'
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import { bytes, describeEvent, Recorder, text } from '../../conformance/store-recorder.ts'
import { ManualClock } from '../../support/clock.ts'
import { hostClock, openAt, temporaryDirectory, warnings } from './helpers.ts'

describe('durable store: reopening', () => {
  inDirectory('brings back values, revisions, history and watches from the past', async (directory) => {
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

  inDirectory('brings back what a compaction left', async (directory) => {
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

  inDirectory('knows what it holds after many compactions', async (directory) => {
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

  inDirectory('does not let the file grow for ever', async (directory) => {
    const store = await openAt(directory)
    const value = 'v'.repeat(10_000)
    const revisions = new Map<number, number>()
    const round = async () => {
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => revisions.set(i, await put(store, `k${i}`, value, revisions.get(i) ?? 0))),
      )
      await store.compact(await store.currentRevision())
    }
    for (let i = 0; i < 5; i++) await round()
    const settled = statSync(join(directory, 'data.mdb')).size
    for (let i = 0; i < 15; i++) await round()
    assert(statSync(join(directory, 'data.mdb')).size <= settled * 1.5)
    await store.close()
  })

  inDirectory('runs on with its leases', async (directory) => {
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

describe('durable store: damage', () => {
  inDirectory('cuts a damaged end at the last whole commit, and says so', async (directory) => {
    await fill(directory, 10)
    damage(directory, 'value-8')
    damage(directory, 'value-9')
    const logger = warnings()
    const store = await openAt(directory, hostClock, logger)
    assert.deepEqual(logger.warned, [
      { fields: { file: join(directory, 'data.mdb'), revision: 9, dropped: 2 }, message: 'damaged end of the journal cut off' },
    ])
    assert.equal(await store.currentRevision(), 9)
    assert.deepEqual(
      (await store.list({ prefix: '' })).items.map(({ key }) => key),
      ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'],
    )
    assert.equal(await put(store, 'k8', 'again', 0), 10)
    await store.close()
    const quiet = warnings()
    const again = await openAt(directory, hostClock, quiet)
    assert.deepEqual(quiet.warned, [])
    assert.equal(text((await again.get('k8')).kv?.value), 'again')
    await again.close()
  })

  inDirectory('does not start when the middle is damaged', async (directory) => {
    await fill(directory, 10)
    damage(directory, 'value-4')
    const file = join(directory, 'data.mdb')
    await assert.rejects(openAt(directory), corrupt(`${file}: revision 6 is damaged (bad checksum) and revision 7 after it is intact`))
    // Nor at the second attempt: nothing was cut.
    await assert.rejects(openAt(directory), corrupt(`${file}: revision 6 is damaged (bad checksum) and revision 7 after it is intact`))
  })

  inDirectory('does not start when a revision is missing', async (directory) => {
    await fill(directory, 10)
    await removeRecord(directory, 6)
    await assert.rejects(
      openAt(directory),
      corrupt(`${join(directory, 'data.mdb')}: revision 6 is missing and revision 7 after it is intact`),
    )
  })

  inDirectory('does not start, and does not crash, on a file that was cut short', async (directory) => {
    await fill(directory, 100)
    const file = join(directory, 'data.mdb')
    for (const size of [3 * 4096, 100]) {
      truncateSync(file, size)
      await assert.rejects(openAt(directory), (error) => error instanceof StoreError && error.message.startsWith('open data directory'))
    }
  })

  inDirectory('does not start when compacted state is damaged or missing', async (directory) => {
    const store = await fill(directory, 5, false)
    await store.compact(await store.currentRevision())
    await store.close()
    damage(directory, 'value-4')
    const file = join(directory, 'data.mdb')
    await assert.rejects(openAt(directory), corrupt(`${file}: revision 6 is damaged (bad checksum) and its history is compacted`))
    await removeRecord(directory, 6)
    await assert.rejects(openAt(directory), corrupt(`${file}: up to revision 6 there are 4 records instead of 5`))
  })
})

test('durable store: an owner that was replaced unseen can write no more', async () => {
  const { directory, remove } = await temporaryDirectory()
  const store = await openAt(directory)
  const raw = open<Buffer, Buffer>({ path: directory, noSubdir: false, maxDbs: 4 })
  const meta = raw.openDB({ name: 'meta', useVersions: true, encoding: 'binary', keyEncoding: 'binary' })
  await meta.put(Buffer.from('owner'), Buffer.from('{"pid":1,"started":"elsewhere"}'), 2)
  await assert.rejects(
    put(store, 'k', 'v', 0),
    (error) => error instanceof StoreError && /another process has taken over/.test(error.message),
  )
  assert.equal(await store.count(''), 0)
  await store.close()
  await raw.close()
  await remove()
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

/** Revisions 2, 3, …: k0 = value-0, k1 = value-1, … */
async function fill(directory: string, count: number, close = true): Promise<KeyValueStore> {
  const store = await openAt(directory)
  for (let i = 0; i < count; i++) await put(store, `k${i}`, `value-${i}`, 0)
  if (close) await store.close()
  return store
}

/** Flips a bit in every copy of this text in the file. */
function damage(directory: string, what: string): void {
  const file = join(directory, 'data.mdb')
  const content = readFileSync(file)
  let found = 0
  for (let at = content.indexOf(what); at >= 0; at = content.indexOf(what, at + 1)) {
    content[at] = (content[at] ?? 0) ^ 1
    found++
  }
  assert(found > 0)
  writeFileSync(file, content)
}

async function removeRecord(directory: string, revision: number): Promise<void> {
  const raw = open<Buffer, Buffer>({ path: directory, noSubdir: false, maxDbs: 4 })
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(revision))
  await raw.openDB({ name: 'revisions', encoding: 'binary', keyEncoding: 'binary' }).remove(key)
  await raw.close()
}

function corrupt(message: string): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof StoreError)
    assert.deepEqual([error.code, error.message], ['corrupt', message])
    return true
  }
}
