/** Writes of several keys at one revision: a transaction of etcd, the end of a lease. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoreError } from '../../../core/ports.ts'
import { openDurableEngine, openEngineIn } from '../../../runtimes/stores/durable.ts'
import type { Engine } from '../../../runtimes/stores/engine.ts'
import type { History, KeyState } from '../../../runtimes/stores/history.ts'
import { restoreSnapshot, saveSnapshot } from '../../../runtimes/stores/snapshot.ts'
import { bytes, Recorder, text } from '../../../runtimes/testing/store/recorder.ts'
import { ManualClock } from '../../support/clock.ts'
import { randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'
import { hostClock, temporaryDirectory, warnings } from './helpers.ts'
import { Disk } from './log/disk.ts'

const latin1 = { keys: 'latin1' } as const
/** Bytes that are no UTF-8, too. */
const names = ['a', 'b', 'b\xff', 'c\x00', '\xe2\x82', 'd', 'e', 'f']

/** A state without its value's identity. */
const shown = ({ key, value, createRevision, modRevision, version, lease }: KeyState) =>
  `${key} ${text(value)} ${createRevision} ${modRevision} ${version} ${lease}`

/** All states, by revision, of a store that is only written here. */
class Model {
  readonly states = new Map<number, readonly KeyState[]>([[1, []]])
  current = new Map<string, KeyState>()

  /** What the store is like after a transaction. */
  after(revision: number, puts: ReadonlyMap<string, string>, deletes: ReadonlySet<string>): Map<string, KeyState> {
    const next = new Map(this.current)
    for (const key of deletes) next.delete(key)
    for (const [key, value] of puts) {
      const before = this.current.get(key)
      const [createRevision, version] = [before?.createRevision ?? revision, (before?.version ?? 0) + 1]
      next.set(key, { key, value: bytes(value), createRevision, modRevision: revision, version, lease: 0n })
    }
    return next
  }

  take(revision: number, next: Map<string, KeyState>): void {
    this.current = next
    this.states.set(
      revision,
      [...next.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    )
  }
}

function check({ history }: Engine<History>, { states }: Model): void {
  for (let revision = history.oldest; revision <= history.revision; revision++) {
    const wanted = states.get(revision) ?? []
    const found = history.range({ from: '' }, { revision })
    assert.deepEqual(found.map(shown), wanted.map(shown), `revision ${revision}`)
    assert.equal(history.countWithin({ from: 'b', to: 'd' }, revision), wanted.filter(({ key }) => key >= 'b' && key < 'd').length)
  }
  // All changes of a revision are in one piece, however small the pieces are.
  for (let after: number = history.oldest; after < history.revision; ) {
    const { events, revision } = history.since(after, '', 1)
    const changed = new Set(events.map((event) => (event.type === 'put' ? event.kv.modRevision : event.revision)))
    assert.equal(changed.size, 1)
    assert(revision > after)
    after = revision
  }
}

const rounds = trials(40, 2_000)

test(`transactions survive a loss of power whole or not at all (${rounds} times)`, async () => {
  for (let seed = 0; seed < rounds; seed++) {
    const random = randomNumbers(seed)
    let disk = new Disk(random)
    const model = new Model()
    const open = () => openEngineIn(disk, { clock: new ManualClock(), logger: warnings(), segmentBytes: 16 * 1024, ...latin1 })
    for (let restart = 0; restart < 3; restart++) {
      const engine = await open()
      check(engine, model)
      disk.operationsLeft = 20 + random.integer(150)
      for (let i = 0; i < 60; i++) {
        const keys = names.filter(() => random.chance(0.3))
        const deletes = new Set(keys.filter((key) => model.current.has(key) && random.chance(0.3)))
        const puts = new Map(keys.filter((key) => !deletes.has(key)).map((key) => [key, `${i} ${'x'.repeat(random.integer(400))}`]))
        const decided = engine.commit((draft) => {
          const transaction = draft.begin()
          for (const [key, value] of puts) transaction.put(key, bytes(value), 0n)
          for (const key of deletes) transaction.delete(key)
          return draft.revision
        })
        const revision = engine.history.revision + (keys.length > 0 ? 1 : 0)
        const next = model.after(revision, puts, deletes)
        try {
          assert.equal(await decided, revision)
          model.take(revision, next)
          if (random.chance(0.1)) await engine.compact(Math.max(1, revision - random.integer(10)))
        } catch (error) {
          if (!(error instanceof StoreError)) throw error
          // It may be there after the restart.
          disk = disk.afterPowerCut()
          const again = await open()
          if (again.history.revision === revision) model.take(revision, next)
          check(again, model)
          await again.close()
          break
        }
      }
      disk.operationsLeft = Number.POSITIVE_INFINITY
      await engine.close().catch(() => {})
    }
  }
})

test('versions, leases with an owner and keys of any bytes survive compactions, restarts and snapshots', async () => {
  const { directory, remove } = await temporaryDirectory()
  try {
    const options = { clock: hostClock, logger: warnings(), segmentBytes: 1, ...latin1 }
    const first = await openDurableEngine({ ...options, directory: join(directory, 'a') })
    await first.grant({ id: 7n, expires: 0, seconds: 100 })
    for (let i = 0; i < 5; i++)
      await first.commit((draft) => {
        const transaction = draft.begin()
        for (const key of ['k', 'l\xff']) transaction.put(key, bytes(`${i}`), 7n)
      })
    await first.compact(first.history.revision)
    const all = (engine: Engine<History>) => engine.history.range({ from: '' }).map(shown)
    const wanted = ['k 4 2 6 5 7', 'l\xff 4 2 6 5 7']
    assert.deepEqual(all(first), wanted)
    await first.close()
    const again = await openDurableEngine({ ...options, directory: join(directory, 'a') })
    assert.deepEqual(all(again), wanted)
    assert.deepEqual([again.leases.keys(7n), again.leases.times(7n)?.granted], [['k', 'l\xff'], 100])
    await saveSnapshot(join(directory, 'a'), join(directory, 'file'))
    await again.close()
    await restoreSnapshot(join(directory, 'file'), join(directory, 'b'))
    const restored = await openDurableEngine({ ...options, directory: join(directory, 'b') })
    assert.deepEqual(all(restored), wanted)
    assert.equal(restored.leases.times(7n)?.granted, 100)
    await restored.close()
  } finally {
    await remove()
  }
})

test('the keys of a lease are deleted at one revision, and no later write uses it', async () => {
  const { directory, remove } = await temporaryDirectory()
  const engine = await openDurableEngine({ directory, clock: hostClock, logger: warnings(), ...latin1 })
  try {
    await engine.grant({ id: 1n, expires: 0, seconds: 100 })
    const put = (key: string) =>
      engine.commit((draft) => {
        if (!engine.leases.has(1n)) throw new StoreError('unavailable', 'lease 1 not found')
        draft.begin().put(key, bytes('v'), 1n)
      })
    await Promise.all([put('a'), put('b')])
    const recorder = new Recorder()
    engine.watch('', 1, recorder)
    const late = engine.revoke(1n).then(() => {})
    await assert.rejects(put('c'), /not found/)
    await late
    await recorder.until(({ received }) => received.length === 4)
    assert.deepEqual(
      recorder.received.map((event) =>
        event.type === 'put' ? `${event.kv.key} ${event.kv.modRevision}` : `-${event.key} ${event.revision}`,
      ),
      ['a 2', 'b 3', '-a 4', '-b 4'],
    )
  } finally {
    await engine.close()
    await remove()
  }
})
