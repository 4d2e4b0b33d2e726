import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes, Recorder, text } from '../../../../runtimes/testing/store/recorder.ts'
import { type Etcd, startEtcd } from '../../../support/etcd.ts'
import { storeConformance } from '../../../support/store-conformance.ts'
import { hostClock, warnings } from '../helpers.ts'
import { answer, grpcServer, type Handler, requestOf } from './grpc-server.ts'

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

test('previous values are read from etcd for the watches that need them only', async () => {
  const { store, close } = await open()
  const start = await store.currentRevision()
  const [cache, direct] = [new Recorder(), new Recorder()]
  store.watch('', start, cache, { withoutPrevious: true })
  store.watch('', start, direct)
  const first = await store.put('k', bytes('1'), 0)
  const second = await store.put('k', bytes('2'), first.revision)
  await store.delete('k', second.revision)
  for (const recorder of [cache, direct]) await recorder.until(({ log }) => log.length === 3)
  const replaced = ({ received }: Recorder) => received.map(({ previous }) => previous && text(previous.value))
  assert.deepEqual(replaced(cache), [undefined, undefined, undefined])
  assert.deepEqual(replaced(direct), [undefined, '1', '2'])
  await close()
})

test('progress to a revision that the store is known to be at costs no call', async () => {
  const { etcd, store, close } = await open()
  const start = await store.currentRevision()
  const [quiet, busy] = [new Recorder(), new Recorder()]
  const watch = store.watch('quiet/', start, quiet)
  store.watch('busy/', start, busy)
  const first = await store.put('busy/k', bytes('1'), 0)
  watch.requestProgress(first.revision)
  await quiet.until(({ progressed }) => progressed.includes(first.revision), 'progress when the event is there')
  const second = await store.put('busy/k', bytes('2'), first.revision)
  await busy.until(({ log }) => log.length === 2)
  await etcd.members[0]?.signal('SIGSTOP')
  watch.requestProgress(second.revision)
  watch.requestProgress(first.revision)
  await quiet.until(({ progressed }) => progressed.includes(second.revision), 'progress while etcd stands still')
  await etcd.members[0]?.signal('SIGCONT')
  await close()
})

const large = new Uint8Array(1024 * 1024).fill(0x61)

test('events larger than one message arrive complete, those of a revision together', async () => {
  const { etcd, store, close } = await open()
  const start = await store.currentRevision()
  const lease = await store.grantLease(3_600)
  const live = new Recorder()
  store.watch('', start, live)
  for (let i = 0; i < 5; i++) await store.put(`large/${i}`, large, 0, lease)
  // Revoking the lease deletes all keys in one revision. A short TTL might end between two writes.
  const revoked = await fetch(`${etcd.servers[0]}/v3/lease/revoke`, { method: 'POST', body: JSON.stringify({ ID: `${lease}` }) })
  assert.equal(revoked.status, 200, await revoked.text())
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

test('watches end when the revision of the store goes backwards, so that no client resumes from a lost revision', async () => {
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

test('an unreachable cluster is reported after the start timeout', async () => {
  const { etcd, close } = await open()
  const [server = ''] = etcd.servers
  await close()
  const before = Date.now()
  await assert.rejects(openEtcdStore({ servers: [server], clock: hostClock, logger: warnings(), timeouts: { start: 600 } }), {
    code: 'unavailable',
  })
  assert(Date.now() - before >= 600)
})

test('a buffer may be reused after put returns, also when a second member is tried', async () => {
  const puts: Buffer[] = []
  const atRevision5 = Uint8Array.of(0x0a, 2, 0x18, 5)
  const member: Handler = async (stream, headers) => {
    const request = await requestOf(stream)
    if (headers[':path'] !== '/etcdserverpb.KV/Txn') return answer(stream, [atRevision5])
    puts.push(request)
    if (puts.length === 1) answer(stream, [], { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' })
    else answer(stream, [Uint8Array.of(...atRevision5, 0x10, 1)])
  }
  await using one = await grpcServer(member)
  await using other = await grpcServer(member)
  const store = await openEtcdStore({ servers: [one.url, other.url], clock: hostClock, logger: warnings() })
  const value = bytes('before')
  const put = store.put('k', value, 0)
  value.fill(0)
  assert.deepEqual(await put, { ok: true, revision: 5 })
  assert.deepEqual(
    puts.map((request) => request.includes('before')),
    [true, true],
  )
  await store.close()
})
