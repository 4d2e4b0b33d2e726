/** Faults of an etcd cluster with three members. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes, describeEvent, Recorder } from '../../../../runtimes/testing/store/recorder.ts'
import { type Etcd, type EtcdMember, startEtcd } from '../../../support/etcd.ts'
import { within } from '../../../support/wait.ts'
import { hostClock, warnings } from '../helpers.ts'
import { assertComplete, startLoad } from './etcd-load.ts'

const timeouts = { request: 5_000, attempt: 1_000 }
let etcd: Etcd

before(async () => {
  etcd = await startEtcd({ members: 3 })
})
after(() => etcd.stop())

const open = (members: readonly EtcdMember[] = etcd.members) =>
  openEtcdStore({ servers: members.map(({ url }) => url), clock: hostClock, logger: warnings(), timeouts })

async function withStore(run: (store: KeyValueStore) => Promise<void>): Promise<void> {
  const store = await open()
  try {
    await run(store)
  } finally {
    await store.close()
  }
}

/** Runs writers and a watch during a fault: no event is lost or duplicated, and failures have the right code. */
async function underLoad(store: KeyValueStore, prefix: string, happens: (load: ReturnType<typeof startLoad>) => Promise<void>) {
  const recorder = new Recorder()
  const start = await store.currentRevision()
  const watch = store.watch('', start, recorder)
  const load = startLoad(store, prefix)
  await within('writes before', load.more(100))
  await happens(load)
  await within('writes after', load.more(200))
  await load.stop()
  await recorder.caughtUp(store, watch)
  assertComplete(recorder, load, start, await store.currentRevision())
  assert.deepEqual(
    [...new Set(load.failures.map(({ code }) => code))].filter((code) => code !== 'unavailable' && code !== 'timeout'),
    [],
  )
  watch.close()
  return load
}

test('the leader is killed', () =>
  withStore(async (store) => {
    const leader = await etcd.leader()
    await underLoad(store, 'killed/', () => leader.signal('SIGKILL'))
    await leader.start()
  }))

for (const who of ['the member in use', 'the leader'] as const) {
  test(`${who} is paused for a while`, () =>
    withStore(async (store) => {
      let still: EtcdMember | undefined
      try {
        await underLoad(store, `still/${who}/`, async () => {
          still = who === 'the leader' ? await etcd.leader() : await watchedMember()
          await still.signal('SIGSTOP')
        })
      } finally {
        await still?.signal('SIGCONT')
      }
    }))
}

test('all members are killed and restarted', () =>
  withStore(async (store) => {
    const load = await underLoad(store, 'all/', async (load) => {
      await Promise.all(etcd.members.map(({ signal }) => signal('SIGKILL')))
      await assert.rejects(store.get('all/0'), { code: 'unavailable' })
      await assert.rejects(async () => store.currentRevision(), { code: 'unavailable' })
      await Promise.all(etcd.members.map(({ start }) => start()))
      assert(load.failures.length > 0)
    })
    assert(load.failures.some(({ code }) => code === 'unavailable'))
  }))

test('without a majority writes fail in time, and nothing is acknowledged', () =>
  withStore(async (store) => {
    const leader = await etcd.leader()
    const lost = etcd.members.filter((member) => member !== leader)
    await Promise.all(lost.map(({ signal }) => signal('SIGSTOP')))
    try {
      const failed = await store.put('minority', bytes('x'), 0).then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.match(String((failed as { code?: string } | undefined)?.code), /^(timeout|unavailable)$/)
    } finally {
      await Promise.all(lost.map(({ signal }) => signal('SIGCONT')))
    }
    await within(
      'recovery',
      Promise.resolve(store.currentRevision()).catch(() => store.currentRevision()),
    )
  }))

test('a compaction passes the revision of an interrupted watch', () =>
  withStore(async (store) => {
    const recorder = new Recorder()
    const start = await store.currentRevision()
    const watch = store.watch('gone/', start, recorder)
    await store.put('gone/0', bytes('0'), 0)
    await recorder.until(({ log }) => log.length === 1)
    const still = await watchedMember()
    await still.signal('SIGSTOP')
    const other = await open(etcd.members.filter((member) => member !== still))
    try {
      for (let i = 1; i <= 5; i++) await other.put(`gone/${i}`, bytes('x'), 0)
      const revision = await other.currentRevision()
      await other.compact(revision)
      await recorder.until(({ ended }) => ended !== undefined)
      assert.deepEqual([recorder.ended?.error?.code, recorder.ended?.error?.revision], ['compacted', revision])
      assert.equal(recorder.log.length, 2)
    } finally {
      await still.signal('SIGCONT')
      await other.close()
    }
    watch.close()
  }))

test('leases end once, also when the leader changes', () =>
  withStore(async (store) => {
    const recorder = new Recorder()
    store.watch('leased/', await store.currentRevision(), recorder)
    const lease = await store.grantLease(5)
    for (const name of ['a', 'b', 'c']) await store.put(`leased/${name}`, bytes(name), 0, lease)
    const leader = await etcd.leader()
    await leader.signal('SIGKILL')
    await recorder.until(({ log }) => log.length >= 6)
    assert.deepEqual(recorder.received.slice(3).map(describeEvent).toSorted(), [
      'delete leased/a (was a)',
      'delete leased/b (was b)',
      'delete leased/c (was c)',
    ])
    await leader.start()
    assert.equal(await store.count('leased/'), 0)
    assert.equal(recorder.log.length, 6)
  }))

/** The member that serves the watch of the store. */
async function watchedMember(): Promise<EtcdMember> {
  for (const member of etcd.members) if ((await member.metric('etcd_debugging_mvcc_watcher_total').catch(() => 0)) > 0) return member
  throw new Error('nobody watches')
}
