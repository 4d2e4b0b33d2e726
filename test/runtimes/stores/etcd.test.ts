import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { storeConformance } from '../../conformance/store.ts'
import { bytes, Recorder } from '../../conformance/store-recorder.ts'
import { type Etcd, startEtcd } from '../../support/etcd.ts'
import { hostClock, warnings } from './helpers.ts'

async function open(): Promise<{ etcd: Etcd; store: KeyValueStore; close(): Promise<void> }> {
  const etcd = await startEtcd()
  const store = await openEtcdStore({ servers: etcd.servers, clock: hostClock, logger: warnings() })
  return {
    etcd,
    store,
    async close() {
      await store.close()
      await etcd.stop()
    },
  }
}

storeConformance('etcd store', open, 10)

const large = new Uint8Array(1024 * 1024).fill(0x61)

test('events larger than one message arrive whole, those of a revision together', async () => {
  const { store, close } = await open()
  const start = await store.currentRevision()
  const lease = await store.grantLease(1)
  const live = new Recorder()
  store.watch('', start, live)
  for (let i = 0; i < 5; i++) await store.put(`large/${i}`, large, 0, lease)
  await live.until(({ log }) => log.length === 10, 'the end of the lease')
  const late = new Recorder()
  store.watch('', start, late)
  await late.until(({ log }) => log.length === 10)
  const ended = start + 6
  for (const recorder of [live, late]) {
    assert.deepEqual(
      recorder.log,
      [1, 2, 3, 4, 5, 6, 6, 6, 6, 6].map((n) => start + n),
    )
    const batches = recorder.batches.filter((batch) => batch.some((event) => event.type === 'delete'))
    assert.deepEqual(
      batches.map((batch) => batch.filter((event) => event.type === 'delete' && event.revision === ended).length),
      [5],
    )
    assert(recorder.received.every(({ type, previous }) => type === 'put' || previous?.value.length === large.length))
  }
  await close()
})

test('a store whose revision went back ends watches, so that nobody goes on from what never was', async () => {
  const { etcd, store, close } = await open()
  const recorder = new Recorder()
  for (let i = 0; i < 5; i++) await store.put(`k${i}`, bytes('v'), 0)
  store.watch('', await store.currentRevision(), recorder)
  const [member] = etcd.members
  await member?.signal('SIGKILL')
  member?.wipe()
  await member?.start()
  await recorder.until(({ ended }) => ended !== undefined)
  assert.equal(recorder.ended?.error?.code, 'compacted')
  const again = new Recorder()
  store.watch('', await store.currentRevision(), again)
  await store.put('k', bytes('v'), 0)
  await again.until(({ log }) => log.length === 1)
  await close()
})

test('a cluster that does not answer is reported when the time to start is over', async () => {
  const { etcd, close } = await open()
  const [server = ''] = etcd.servers
  await close()
  const before = Date.now()
  await assert.rejects(openEtcdStore({ servers: [server], clock: hostClock, logger: warnings(), timeouts: { start: 600 } }), {
    code: 'unavailable',
  })
  assert(Date.now() - before >= 600)
})
