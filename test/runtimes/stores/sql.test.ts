import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import type { SqlDatabase } from '../../../runtimes/stores/sql/database.ts'
import { sqliteDatabase } from '../../../runtimes/stores/sql/sqlite.ts'
import { sqlStore } from '../../../runtimes/stores/sql.ts'
import { put, storeError } from '../../../runtimes/testing/store/calls.ts'
import { bytes, Recorder, text } from '../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../support/clock.ts'
import { storeConformance } from '../../support/store-conformance.ts'
import { temporaryDirectory } from './helpers.ts'
import { connect, databaseIn, engine, openSql, withoutSql } from './sql-engines.ts'

if (!withoutSql) {
  storeConformance(
    `SQL store with ${engine.name}`,
    async () => {
      const { directory, remove } = await temporaryDirectory()
      const store = openSql(directory)
      return {
        store,
        async close() {
          await store.close()
          await remove()
        },
      }
    },
    15,
  )
}

/** Runs a test with a directory. */
const inDirectory = (title: string, run: (directory: string) => Promise<void>) =>
  test(title, async () => {
    const { directory, remove } = await temporaryDirectory()
    try {
      await run(directory)
    } finally {
      await remove()
    }
  })

const contents = async (store: KeyValueStore, revision = 0) =>
  (await store.list({ prefix: '', revision })).items.map(({ key, value }) => `${key}=${text(value)}`)

/** Number of rows of changes. */
const rowsIn = (directory: string) => {
  const database = sqliteDatabase(connect(databaseIn(directory)))
  const [row] = [...database.rows('SELECT count(*) AS n FROM apiserver_changes')]
  database.close?.()
  return row?.['n']
}

describe(`SQL store with ${engine.name}: opened again`, { skip: withoutSql }, () => {
  inDirectory('has every key, value and revision', async (directory) => {
    const first = openSql(directory)
    const one = await put(first, 'k', '1', 0)
    const two = await put(first, 'k', '2', one)
    await put(first, 'empty', '', 0)
    await put(first, 'a/\u{1f600}é\u0001', 'x', 0)
    const large = new Uint8Array(1.5 * 1024 * 1024).fill(255)
    assert((await first.put('large', large, 0)).ok)
    const gone = await put(first, 'gone', 'x', 0)
    await first.delete('gone', gone)
    const before = await first.list({ prefix: '' })
    await first.close()
    const again = openSql(directory)
    assert.deepEqual(await again.list({ prefix: '' }), before)
    assert.deepEqual([text((await again.get('k', one)).kv?.value), text((await again.get('gone', gone)).kv?.value)], ['1', 'x'])
    assert.equal(await put(again, 'k', '3', two), before.revision + 1)
    await again.close()
  })

  inDirectory('continues from the oldest revision, also when it is a deletion', async (directory) => {
    const first = openSql(directory)
    const kept = await put(first, 'kept', '1', 0)
    await put(first, 'kept', '2', kept)
    const key = await put(first, 'k', '1', 0)
    const { revision } = await first.delete('k', key)
    await first.compact(revision)
    await first.close()
    assert.equal(rowsIn(directory), 1)
    for (let round = 0; round < 2; round++) {
      const again = openSql(directory)
      assert.equal(await again.currentRevision(), revision)
      assert.deepEqual(await contents(again), ['kept=2'])
      await assert.rejects(again.get('k', revision - 1), storeError('compacted', revision))
      await again.close()
    }
    const last = openSql(directory)
    assert.equal(await put(last, 'k', 'new', 0), revision + 1)
    assert.deepEqual(await contents(last, revision), ['kept=2'])
    await last.close()
  })

  inDirectory('keys of a lease go when it expires, as if nothing had happened in between', async (directory) => {
    const clock = new ManualClock()
    const first = openSql(directory, clock)
    const lease = await first.grantLease(60)
    for (const key of ['k', 'k2', 'k3']) await first.put(key, bytes('v'), 0, lease)
    await first.put('later', bytes('v'), 0, await first.grantLease(600))
    const detached = await first.put('detached', bytes('v'), 0, lease)
    await put(first, 'detached', 'v', detached.revision)
    await first.close()
    clock.advance(59_000)
    const second = openSql(directory, clock)
    assert.equal(await second.count(''), 5)
    const recorder = new Recorder()
    second.watch('k', await second.currentRevision(), recorder)
    clock.advance(1_000)
    await recorder.until(({ log }) => log.length === 3)
    assert.equal(new Set(recorder.log).size, 1, 'all at one revision')
    await second.compact(await second.currentRevision())
    await second.close()
    const third = openSql(directory, clock)
    assert.deepEqual(await contents(third), ['detached=v', 'later=v'])
    const gone = new Recorder()
    third.watch('later', await third.currentRevision(), gone)
    await third.close()
    clock.advance(600_000)
    // Expired while no store was open.
    const last = openSql(directory, clock)
    const ended = new Recorder()
    last.watch('later', await last.currentRevision(), ended)
    clock.advance(0)
    await ended.until(({ log }) => log.length === 1)
    assert.deepEqual(await contents(last), ['detached=v'])
    await last.close()
  })

  inDirectory('compaction leaves one row for each key, however often it has changed', async (directory) => {
    const store = openSql(directory, undefined, { pastBytes: 1_000_000 })
    const latest = new Map<string, number>()
    // More than one step of a compaction.
    for (let i = 0; i < 60; i++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const key = `k${at}`
          if (i % 7 === 6 && latest.has(key)) {
            await store.delete(key, latest.get(key) ?? 0)
            latest.delete(key)
          } else latest.set(key, await put(store, key, `${i}`, latest.get(key) ?? 0))
        }),
      )
    }
    await store.compact(await store.currentRevision())
    const before = await contents(store)
    await store.close()
    assert.equal(rowsIn(directory), 100)
    const again = openSql(directory)
    assert.deepEqual(await contents(again), before)
    await again.close()
  })

  inDirectory('refuses a database in use, and tables of another format', async (directory) => {
    const store = openSql(directory)
    assert.throws(() => openSql(directory), storeError('unavailable'))
    await store.close()
    const connection = connect(databaseIn(directory))
    connection.exec("UPDATE apiserver_state SET value = 9 WHERE name = 'format'")
    connection.close()
    assert.throws(() => openSql(directory), storeError('corrupt'))
  })
})

describe(`SQL store with ${engine.name}: a full database`, { skip: withoutSql }, () => {
  inDirectory('fails writes with no-space and changes nothing, until there is space', async (directory) => {
    const connection = connect(databaseIn(directory))
    const store = sqlStore({ database: sqliteDatabase(connection) })
    const recorder = new Recorder()
    const watch = store.watch('', 1, recorder)
    let last = await put(store, 'k', 'x'.repeat(10_000), 0)
    const limit = (pages: number) => connection.exec(`PRAGMA max_page_count = ${pages}`)
    limit(20)
    let written = 1
    for (;;) {
      const result = await store.put('k', bytes(`${written}${'x'.repeat(10_000)}`), last).catch((error: unknown) => error)
      if (result instanceof StoreError) {
        assert.equal(result.code, 'no-space')
        break
      }
      last = (result as { revision: number }).revision
      written++
    }
    assert.equal(await store.currentRevision(), last)
    assert.equal((await store.get('k')).kv?.modRevision, last)
    await recorder.caughtUp(store, watch)
    assert.equal(recorder.log.length, written)
    // What is compacted makes space.
    await store.compact(last)
    assert.equal(await put(store, 'k', 'y'.repeat(10_000), last), last + 1)
    await store.close()
    const again = openSql(directory)
    assert.deepEqual(await contents(again), [`k=${'y'.repeat(10_000)}`])
    await again.close()
  })
})

/** A database of which the n-th call fails, before or after it has been done. */
function failing(database: SqlDatabase, at: number, when: 'before' | 'after'): { readonly database: SqlDatabase; calls(): number } {
  let calls = 0
  let isFailed = false
  const step = <T>(call: () => T): T => {
    calls++
    if (calls !== at && !isFailed) return call()
    if (calls === at && when === 'after') call()
    // A device that has failed stays so: the roll-back of a transaction is none of these calls.
    isFailed = true
    throw new Error('disk I/O error')
  }
  return {
    calls: () => calls,
    database: {
      ...database,
      rows: (query, ...values) => step(() => [...database.rows(query, ...values)]),
      run: (statement, ...values) => step(() => database.run(statement, ...values)),
      transaction: (work) => {
        database.transaction(work)
        step(() => {})
      },
      sync: async () => step(() => {}),
    },
  }
}

describe(`SQL store with ${engine.name}: a failing database`, { skip: withoutSql }, () => {
  for (const when of ['before', 'after'] as const) {
    inDirectory(`ends the store at any call (${when} it is done); what was acknowledged is there, once`, async (directory) => {
      let trials = 0
      for (let at = 1; ; at++) {
        const path = `${databaseIn(directory)}-${when}-${at}`
        const ends: StoreError[] = []
        const acknowledged = new Map<string, number>()
        const trial = failing(sqliteDatabase(connect(path)), at, when)
        const recorder = new Recorder()
        const finished = await (async () => {
          const store = sqlStore({ database: trial.database, ended: (error) => ends.push(error) })
          store.watch('', 1, recorder)
          try {
            const acknowledge = (key: string, revision: number) => acknowledged.set(key, revision)
            acknowledge('a', await put(store, 'a', '1', 0))
            await Promise.all(['b', 'c'].map(async (key) => acknowledge(key, await put(store, key, '1', 0))))
            acknowledge('a', await put(store, 'a', '2', acknowledged.get('a') ?? 0))
            const lease = await store.grantLease(1_000)
            acknowledge('d', (await store.put('d', bytes('1'), 0, lease)).revision)
            assert.equal(text((await store.get('a', 2)).kv?.value), '1')
            await store.compact(await store.currentRevision())
            acknowledge('b', await put(store, 'b', '2', acknowledged.get('b') ?? 0))
            await store.close()
            return true
          } catch (error) {
            if (ends.length > 0) {
              assert.equal(ends.length, 1)
              // All that follows fails, and watches have ended.
              await assert.rejects(store.get('a'), storeError('unavailable'))
              await assert.rejects(store.put('z', bytes('1'), 0), storeError('unavailable'))
              await recorder.until(({ ended }) => ended !== undefined)
              await store.close()
            } else await store.close()
            return error
          }
        })().catch((error: unknown) => error)
        const again = sqlStore({ database: sqliteDatabase(connect(path)) })
        for (const [key, revision] of acknowledged) {
          const { kv } = await again.get(key)
          assert(kv && kv.modRevision >= revision, `call ${at}: ${key} was acknowledged at revision ${revision}`)
        }
        const latest = await again.currentRevision()
        assert(latest <= Math.max(1, ...acknowledged.values()) + 2, 'no write is there twice')
        await again.close()
        if (finished === true) break
        trials++
      }
      assert(trials > 15, `${trials} trials`)
    })
  }
})
