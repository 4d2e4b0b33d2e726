/** Damaged files: a store opens with every acknowledged write, or refuses to open. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type KeyValueStore, StoreError } from '../../../../core/ports.ts'
import { openStoreIn } from '../../../../runtimes/stores/durable.ts'
import { pageBytes } from '../../../../runtimes/stores/log/header.ts'
import { recoverLog } from '../../../../runtimes/stores/log/recover.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../../support/clock.ts'
import { randomNumbers } from '../../../support/random.ts'
import { soak } from '../../../support/soak.ts'
import { warnings } from '../helpers.ts'
import { Disk } from './disk.ts'

interface Prepared {
  readonly disk: Disk
  readonly contents: readonly string[]
  readonly revision: number
}

const open = (disk: Disk, logger = warnings()) => openStoreIn(disk, { clock: new ManualClock(), logger, segmentBytes: 100_000 })

async function contentsOf(store: KeyValueStore): Promise<string[]> {
  const { items } = await store.list({ prefix: '' })
  return items.map(({ key, value, createRevision, modRevision }) => `${key} ${createRevision} ${modRevision} ${text(value)}`)
}

/** Files of a closed store. The space after the last batch is cut, but for some bytes. */
async function prepare(keys: number, size: number): Promise<Prepared> {
  const disk = new Disk(randomNumbers(1))
  const store = await open(disk)
  let revision = 1
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < keys; i++) {
      const { kv } = await store.get(`/k/${i}`)
      ;({ revision } = await store.put(`/k/${i}`, bytes(`${round} ${i} ${'x'.repeat(size)}`), kv?.modRevision ?? 0))
    }
    await store.delete('/k/0', (await store.get('/k/0')).kv?.modRevision ?? 0)
    await store.put('/leased', bytes(`${round}`), (await store.get('/leased')).kv?.modRevision ?? 0, await store.grantLease(3600))
    if (round < 2) await store.compact(revision)
  }
  const contents = await contentsOf(store)
  revision = await store.currentRevision()
  await store.close()
  const last =
    disk
      .names()
      .toSorted()
      .filter((name) => name.endsWith('.log'))
      .at(-1) ?? ''
  const content = disk.content(last)
  disk.damage(last, content.subarray(0, content.findLastIndex((byte) => byte !== 0) + 65))
  return { disk, contents, revision }
}

/** Opens damaged files: true when everything is there, false when the store refused as it should. */
async function opens(disk: Disk, { contents, revision }: Prepared, what: string): Promise<boolean> {
  let store: KeyValueStore
  try {
    store = await open(disk)
  } catch (error) {
    assert(error instanceof StoreError, `${what}: ${error}`)
    assert.equal(error.code, 'corrupt', what)
    assert.match(
      error.message,
      /^disk\/(\d{16}\.(log|base)): offset (\d+): [^\n]+ or start once with --data-dir-recover=\1:\3, [^\n]+$/,
      what,
    )
    return false
  }
  assert.deepEqual([await store.currentRevision(), await contentsOf(store)], [revision, contents], what)
  await store.close()
  return true
}

let small: Prepared
let large: Prepared
before(async () => {
  small = await prepare(4, 20)
  large = await prepare(60, 2_000)
})

describe('damaged store', () => {
  test('the prepared stores are intact, and the large one has a base and segments', async () => {
    assert(await opens(small.disk.copy(), small, 'small'))
    assert(await opens(large.disk.copy(), large, 'large'))
    assert(large.disk.names().some((name) => name.endsWith('.base')))
    assert(large.disk.names().length > 2)
  })

  test('truncated at every byte', { timeout: 3_600_000 }, async () => {
    for (const prepared of [small, large])
      for (const name of prepared.disk.names()) {
        const whole = prepared.disk.content(name)
        const refusals = new Set<boolean>()
        // Some positions are enough for the large one, because each trial reads all of it.
        for (let length = 0; length < whole.length; length += prepared === small ? 1 : soak ? 61 : 997) {
          const disk = prepared.disk.copy()
          disk.damage(name, whole.subarray(0, length))
          refusals.add(await opens(disk, prepared, `${name} cut to ${length}`))
        }
        assert(refusals.has(false), name)
      }
  })

  test('every bit flipped', { timeout: 3_600_000 }, async () => {
    let [refused, whole] = [0, 0]
    const random = randomNumbers(2)
    for (const name of small.disk.names()) {
      const content = small.disk.content(name)
      const disk = small.disk.copy()
      for (let at = 0; at < content.length; at++) {
        // Most of these pages are zeros that are never read.
        const bits =
          soak || (content[at] !== 0 && at >= 4 * pageBytes)
            ? [0, 1, 2, 3, 4, 5, 6, 7]
            : content[at] !== 0 || at % 16 === 0
              ? [random.integer(8)]
              : []
        for (const bit of bits) {
          const changed = Buffer.from(content)
          changed[at] = (changed[at] ?? 0) ^ (1 << bit)
          disk.damage(name, changed)
          if (await opens(disk, small, `${name}, bit ${bit} of byte ${at}`)) whole++
          else refused++
        }
      }
    }
    assert(refused > 100 && whole > 100, `${refused} refused, ${whole} whole`)
  })

  test('every page overwritten', { timeout: 3_600_000 }, async () => {
    const random = randomNumbers(3)
    let [refused, whole] = [0, 0]
    for (const name of large.disk.names()) {
      const content = large.disk.content(name)
      for (let page = 0; page < content.length / pageBytes; page++) {
        const others = [0, 1, 2].map(() => Buffer.from(Uint8Array.from({ length: pageBytes }, () => random.integer(256))))
        const elsewhere = pageBytes * random.integer(content.length / pageBytes)
        for (const bytes of [
          Buffer.alloc(pageBytes),
          Buffer.alloc(pageBytes, 0xff),
          content.subarray(elsewhere, elsewhere + pageBytes),
          ...others,
        ]) {
          const changed = Buffer.from(content)
          bytes.copy(changed, page * pageBytes, 0, Math.min(bytes.length, content.length - page * pageBytes))
          const disk = large.disk.copy()
          disk.damage(name, changed)
          if (await opens(disk, large, `${name}, page ${page}`)) whole++
          else refused++
        }
      }
    }
    assert(refused > whole && whole > 0, `${refused} refused, ${whole} whole`)
  })

  test('a missing file', async () => {
    for (const { disk: whole, ...rest } of [small, large])
      for (const name of whole.names()) {
        // A directory without its only file is empty, which gives a new store.
        if (whole.names().length === 1) continue
        const disk = whole.copy()
        disk.remove(name)
        assert.equal(await opens(disk, { disk, ...rest }, name), false, name)
      }
  })

  test('files of another store, with another number, of a later format', async () => {
    const other = await prepare(60, 2_000)
    for (const name of large.disk.names()) {
      const disk = large.disk.copy()
      disk.damage(name, other.disk.content(name))
      assert.equal(await opens(disk, large, name), false, name)
    }
    const [first = '', second = ''] = large.disk.names().filter((name) => name.endsWith('.log'))
    const swapped = large.disk.copy()
    swapped.damage(first, large.disk.content(second))
    assert.equal(await opens(swapped, large, 'swapped'), false)
  })
})

describe('old marks, as after a power cut', () => {
  const name = '0000000000000001.log'
  const written = 6

  /** A store after several writes, with the length of its file and its mark pages after each of them. */
  async function stages() {
    const disk = new Disk(randomNumbers(5))
    const stages: { readonly end: number; readonly marks: Buffer }[] = []
    for (let i = 0; i < written; i++) {
      const store = await open(disk)
      await store.put(`/k/${i}`, bytes('value'), 0)
      await store.close()
      const content = disk.content(name)
      stages.push({
        end: content.findLastIndex((byte) => byte !== 0) + 1,
        marks: Buffer.from(content.subarray(2 * pageBytes, 4 * pageBytes)),
      })
    }
    return { disk, stages }
  }

  const keysOf = async (disk: Disk) => {
    const store = await open(disk)
    const count = await store.count('')
    await store.close()
    return count
  }

  test('a damaged batch before intact ones is damage, not a torn write', async () => {
    const { disk, stages: passed } = await stages()
    const content = Buffer.from(disk.content(name))
    passed[0]?.marks.copy(content, 2 * pageBytes)
    disk.damage(name, content)
    assert.equal(await keysOf(disk.copy()), written)
    const at = (passed[2]?.end ?? 0) - 1
    content[at] = (content[at] ?? 0) ^ 1
    disk.damage(name, content)
    await assert.rejects(keysOf(disk), /a batch is damaged \(bad checksum\), and the one at offset \d+ is intact/)
  })

  test('a torn mark falls back to the previous one, which covers all but the last batch', async () => {
    const { disk, stages: passed } = await stages()
    const ends = passed.slice(-3).map(({ end }) => end)
    for (const slot of [2, 3]) {
      const content = Buffer.from(disk.content(name))
      content.fill(0, slot * pageBytes, (slot + 1) * pageBytes)
      const cut = disk.copy()
      cut.damage(name, content)
      assert.equal(await keysOf(cut.copy()), written)
      cut.damage(name, content.subarray(0, ends[0]))
      await assert.rejects(keysOf(cut), /a batch is damaged/, `slot ${slot}`)
    }
  })
})

describe('recovery', () => {
  test('recovery keeps everything intact, reports what is lost, reuses no revision, and runs once', async () => {
    const { disk: whole, contents, revision } = large
    const name = whole.names().find((each) => whole.content(each).includes('/k/592 59 ')) ?? ''
    const content = Buffer.from(whole.content(name))
    const at = content.indexOf('/k/592 59 ') + 20
    content[at] = (content[at] ?? 0) ^ 1
    const disk = whole.copy()
    disk.damage(name, content)
    const refusal = await open(disk).then(
      () => assert.fail('it started'),
      (error: Error) => error.message,
    )
    const [, place = ''] = /--data-dir-recover=(\S+),/.exec(refusal) ?? []
    await assert.rejects(recoverLog(disk, `${name}:1`, warnings()), { message: refusal })
    const errors: object[] = []
    const logger = { ...warnings(), error: (fields: object) => void errors.push(fields) }
    await recoverLog(disk, place, logger)
    const store = await open(disk)
    const left = await contentsOf(store)
    assert.deepEqual(
      contents.filter((line) => !left.includes(line)).map((line) => line.split(' ')[0]),
      ['/k/59'],
    )
    assert(errors.length >= 2, JSON.stringify(errors))
    assert((await store.currentRevision()) > revision)
    const result = await store.put('/new', bytes('x'), 0)
    assert(result.ok && result.revision > revision)
    await store.close()
    assert(disk.names().includes(`${name}.damaged`))
    const quiet = warnings()
    await recoverLog(disk, place, quiet)
    assert.equal(quiet.warned.length, 1, 'nothing to recover')
    const again = await open(disk)
    assert.equal((await again.get('/new')).kv?.modRevision, result.revision)
    await again.close()
  })

  test('recovers from every kind of damage that is refused', async () => {
    const random = randomNumbers(4)
    for (let trial = 0; trial < (soak ? 2000 : 100); trial++) {
      const disk = large.disk.copy()
      const names = disk.names()
      const name = names[random.integer(names.length)] ?? ''
      const content = Buffer.from(disk.content(name))
      const fate = random.integer(3)
      if (fate === 0) disk.remove(name)
      else if (fate === 1) disk.damage(name, content.subarray(0, random.integer(content.length)))
      else {
        for (let i = 0; i < 20; i++) content[random.integer(content.length)] = random.integer(256)
        disk.damage(name, content)
      }
      const message = await open(disk).then(
        (store) => store.close().then(() => undefined),
        (error: Error) => error.message,
      )
      if (message === undefined) continue
      const [, place = ''] = /--data-dir-recover=(\S+),/.exec(message) ?? []
      await recoverLog(disk, place, warnings())
      const store = await open(disk)
      assert((await store.put('/new', bytes('x'), 0)).ok)
      const lines = new Set(large.contents.map((line) => line.split(' ').slice(0, 1).join()))
      for (const line of await contentsOf(store))
        assert(lines.has(line.split(' ')[0] ?? '') || line.startsWith('/new') || line.startsWith('/k/0'))
      await store.close()
    }
  })
})
