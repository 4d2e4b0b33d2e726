/** Migration of a store in the format of an earlier version. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { StoreError } from '../../../core/ports.ts'
import { saveSnapshot } from '../../../runtimes/stores/snapshot.ts'
import { Recorder, text } from '../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../support/clock.ts'
import { rootUrl } from '../../support/root.ts'
import { openAt, temporaryDirectory } from './helpers.ts'

/**
 * Written by version 0.1.0 with lmdb 3.5.6: keys /k/000 to /k/299 with every seventh deleted, a replaced value of
 * several pages, a key with a lease, and a compaction in the middle.
 */
const fixture = gunzipSync(readFileSync(new URL('test/runtimes/stores/fixtures/old-engine.mdb.gz', rootUrl)))
const digest = '0d83209e78bf6d4a1d79065fd9966e59a07cd4f1bdf9fc7de7135fd8a902da77'
/** Time of the fixture's clock. */
const written = 1_800_000_000_000

async function withOld(data: Buffer, run: (directory: string) => Promise<void>): Promise<void> {
  const { directory, remove } = await temporaryDirectory()
  writeFileSync(join(directory, 'data.mdb'), data)
  writeFileSync(join(directory, 'lock.mdb'), '')
  await run(directory)
  await remove()
}

test('is migrated once, with its keys, revisions and leases; its files are kept', () =>
  withOld(fixture, async (directory) => {
    await assert.rejects(saveSnapshot(directory, join(directory, 'snapshot')), /start a server on it once/)
    const clock = new ManualClock(written)
    const store = await openAt(directory, clock)
    const { items, revision } = await store.list({ prefix: '' })
    const lines = items.map((kv) => `${kv.key} ${kv.createRevision} ${kv.modRevision} ${text(kv.value)}`)
    assert.deepEqual([revision, items.length], [349, 259])
    assert.equal(createHash('sha256').update(lines.join('\n')).digest('hex'), digest)
    assert.equal((await store.put('/new', new Uint8Array(1), 0)).revision, 350)
    const recorder = new Recorder()
    store.watch('/leased', revision, recorder)
    clock.advance(3_600_000)
    await recorder.until(({ received }) => received.length === 1, 'the end of the lease')
    await store.close()
    const names = readdirSync(directory)
    assert.deepEqual(names.filter((name) => name.includes('mdb')).toSorted(), ['data.mdb.taken-over', 'lock.mdb.taken-over'])
    assert(readFileSync(join(directory, 'data.mdb.taken-over')).equals(fixture))
    const again = await openAt(directory)
    assert.equal(await again.currentRevision(), 351)
    await again.close()
  }))

test('is not migrated when damaged, and creates no new store', { timeout: 3_600_000 }, async () => {
  let refused = 0
  const page = 4096
  for (let at = 0; at < fixture.length; at += page) {
    for (const filler of [0, 0x55]) {
      const data = Buffer.from(fixture)
      data.fill(filler, at, at + page)
      await withOld(data, async (directory) => {
        try {
          const store = await openAt(directory)
          const { items } = await store.list({ prefix: '' })
          const lines = items.map((kv) => `${kv.key} ${kv.createRevision} ${kv.modRevision} ${text(kv.value)}`)
          assert.equal(createHash('sha256').update(lines.join('\n')).digest('hex'), digest, `page at ${at}`)
          await store.close()
        } catch (error) {
          assert(error instanceof StoreError && error.code === 'corrupt', `page at ${at}: ${error}`)
          assert.match(error.message, /data\.mdb: [^\n]+; restore a snapshot/)
          assert.deepEqual(readdirSync(directory).toSorted(), ['data.mdb', 'lock.mdb'])
          refused++
        }
      })
    }
  }
  assert(refused > 20, `${refused}`)
})
