/** The store on a disk that loses power, fails to sync or is full. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { openStoreIn } from '../../../../runtimes/stores/durable.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../../support/clock.ts'
import { type RandomNumbers, randomNumbers } from '../../../support/random.ts'
import { progress, trials } from '../../../support/soak.ts'
import { warnings } from '../helpers.ts'
import { Disk } from './disk.ts'

/** Small, so that segments and bases are created often. */
const segmentBytes = 24 * 1024
const writers = 4
const powerCuts = trials(150, 10_000)

interface Write {
  readonly revision: number
  /** Absent: deleted. */
  readonly value?: string
}

/** The last acknowledged write of each key, and unacknowledged ones after it. */
class Known {
  readonly acknowledged = new Map<string, Write>()
  readonly attempted = new Map<string, Set<string>>()
  newest = 1

  attempt(key: string, value: string): void {
    this.attempted.set(key, (this.attempted.get(key) ?? new Set()).add(value))
  }

  acknowledge(key: string, write: Write): void {
    this.newest = Math.max(this.newest, write.revision)
    this.acknowledged.set(key, write)
  }

  async check(store: KeyValueStore): Promise<void> {
    const { items, revision } = await store.list({ prefix: '' })
    assert(revision >= this.newest, `revision ${this.newest} was acknowledged, the store is at ${revision}`)
    const present = new Map(items.map((kv) => [kv.key, kv]))
    for (const kv of items) assert(this.attempted.get(kv.key)?.has(text(kv.value) ?? ''), `${kv.key} holds a value that was never written`)
    for (const [key, write] of this.acknowledged) {
      const kv = present.get(key)
      // Changed by an unacknowledged write.
      if (kv ? kv.modRevision > write.revision : revision > this.newest) continue
      assert.equal(kv && text(kv.value), write.value, `${key} at revision ${write.revision}`)
    }
    // Unacknowledged writes that survived must now stay.
    this.newest = revision
    this.acknowledged.clear()
    for (const { key, value, modRevision } of items) this.acknowledged.set(key, { revision: modRevision, value: text(value) ?? '' })
  }
}

const open = (disk: Disk) => openStoreIn(disk, { clock: new ManualClock(), logger: warnings(), segmentBytes })

/** Runs writers with one key each and at most one pending write per key. Returns when all have failed or finished. */
async function write(store: KeyValueStore, known: Known, random: RandomNumbers, times: number, goOn = false): Promise<number> {
  let failures = 0
  const one = async (writer: number) => {
    for (let i = 0; i < times; i++) {
      const key = `/${writer}/${random.integer(3)}`
      const { kv } = await store.get(key)
      const value = `${key} ${random.integer(1e9)} ${'x'.repeat(random.chance(0.1) ? random.integer(6000) : random.integer(300))}`
      const remove = kv !== undefined && random.chance(0.2)
      try {
        if (!remove) known.attempt(key, value)
        const result = remove ? await store.delete(key, kv.modRevision) : await store.put(key, bytes(value), kv?.modRevision ?? 0)
        assert(result.ok)
        known.acknowledge(key, { revision: result.revision, ...(!remove && { value }) })
        if (random.chance(0.05)) await store.compact(Math.max(1, result.revision - random.integer(20)))
        if (random.chance(0.03)) await store.grantLease(3600)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        failures++
        if (!goOn) return
      }
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => one(writer)))
  return failures
}

test('no acknowledged write is lost in repeated power cuts', { timeout: 7_000_000 }, async () => {
  let cuts = 0
  const say = progress('trials', powerCuts)
  for (let seed = 1; seed <= powerCuts; seed++) {
    say(seed, () => `${cuts} power cuts`)
    const random = randomNumbers(seed)
    const known = new Known()
    let disk = new Disk(random)
    try {
      for (let round = 0; round < 3; round++) {
        disk.operationsLeft = random.integer(random.chance(0.2) ? 30 : 400)
        try {
          const store = await open(disk)
          await known.check(store)
          if ((await write(store, known, random, 40)) === 0) await store.close()
        } catch (error) {
          if (disk.operationsLeft > 0) throw error
        }
        if (disk.operationsLeft <= 0) cuts++
        disk = disk.afterPowerCut()
      }
      const store = await open(disk)
      await known.check(store)
      await store.close()
    } catch (error) {
      throw new Error(`seed ${seed}: ${error}`, { cause: error })
    }
  }
  assert(cuts > powerCuts, `${cuts} cuts`)
})

test('a failed sync fails its writes, and no acknowledged ones', { timeout: 7_000_000 }, async () => {
  let failed = 0
  for (let seed = 1; seed <= trials(50, 2_000); seed++) {
    const random = randomNumbers(seed)
    const known = new Known()
    const disk = new Disk(random)
    const store = await open(disk)
    for (let round = 0; round < 4; round++) {
      disk.failingSyncs = random.integer(4)
      failed += await write(store, known, random, 10, true)
      disk.failingSyncs = 0
      await known.check(store)
    }
    // No write follows this one. The repair after it finds the disk working.
    disk.failingSyncs = 1
    known.attempt('/last', 'x')
    await assert.rejects(store.put('/last', bytes('x'), 0), { code: 'unavailable' })
    const cut = random.chance(0.5)
    const after = await open(cut ? disk.afterPowerCut() : disk.copy())
    // A failed write that was never visible does not reappear.
    assert.deepEqual((await after.list({ prefix: '' })).items, (await store.list({ prefix: '' })).items, `seed ${seed}`)
    await known.check(after).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error })
    })
  }
  assert(failed > 0)
})

test('a full disk fails writes with its own error, and the store continues when there is room', { timeout: 7_000_000 }, async () => {
  for (let seed = 1; seed <= trials(30, 1_000); seed++) {
    const random = randomNumbers(seed)
    const known = new Known()
    const disk = new Disk(random, { capacity: 400_000 })
    const store = await open(disk)
    await write(store, known, random, 20)
    let code: string | undefined
    for (let i = 0; code === undefined; i++) {
      const value = `filler ${i} ${'x'.repeat(random.integer(50_000))}`
      known.attempt(`/fill/${i}`, value)
      const result = await store.put(`/fill/${i}`, bytes(value), 0).catch((error: { code: string }) => error.code)
      if (typeof result === 'string') code = result
      else known.acknowledge(`/fill/${i}`, { revision: result.revision, value })
    }
    assert.equal(code, 'no-space', `seed ${seed}`)
    await write(store, known, random, 5, true)
    await known.check(store)
    disk.capacity = random.chance(0.5) ? 10_000_000 : 600_000
    assert((await store.put('/again', bytes('x'), 0)).ok, `seed ${seed}`)
    known.attempt('/again', 'x')
    const after = await open(random.chance(0.5) ? disk.copy() : disk.afterPowerCut())
    await known.check(after)
  }
})

test('a full disk is logged at once, then once a minute, and again when there is room', async () => {
  const lines: { fields: object; message: string }[] = []
  const line = (fields: object, message: string) => void lines.push({ fields, message })
  const clock = new ManualClock()
  const disk = new Disk(randomNumbers(1), { capacity: 20_000 })
  const store = await openStoreIn(disk, { clock, logger: { debug() {}, info: line, warn: line, error: line } })
  const large = bytes('x'.repeat(20_000))
  const refuse = () => assert.rejects(store.put('/large', large, 0), { code: 'no-space' })
  for (let i = 0; i < 3; i++) await refuse()
  clock.advance(60_000)
  await refuse()
  disk.capacity = 1_000_000
  assert((await store.put('/large', large, 0)).ok)
  assert((await store.put('/another', large, 0)).ok)
  const noSpace = 'no space left for the log: writes fail with 507'
  const shown = lines.map(({ fields, message }) => [message.slice(0, noSpace.length), (fields as { refused: number }).refused])
  assert.deepEqual(shown, [
    [noSpace, 1],
    [noSpace, 3],
    ['writes to the log succeed again', 4],
  ])
  const { file, error } = (lines[0] as { fields: object }).fields as { file: string; error: string }
  assert.match(file, /\.log$/)
  assert.match(error, /ENOSPC/)
})
