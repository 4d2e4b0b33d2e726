import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../../runtimes/etcd-server/calls.ts'
import { Member } from '../../../runtimes/etcd-server/member.ts'
import { decode, encode } from '../../../runtimes/etcd-server/message.ts'
import { event, type WatchResponse, watchRequest } from '../../../runtimes/etcd-server/messages.ts'
import { watchMethod } from '../../../runtimes/etcd-server/watch.ts'
import { nodeClock } from '../../../runtimes/node/clock.ts'
import { Engine } from '../../../runtimes/stores/engine.ts'
import { History } from '../../../runtimes/stores/history.ts'
import { silentLogger } from '../../support/logger.ts'

test('a watch gets the values that were replaced, and none of them is read from the disk for it', async () => {
  const loaded: number[] = []
  const history = new History(1, (revision, key) => {
    loaded.push(revision)
    return { key, value: new Uint8Array(), createRevision: revision, modRevision: revision }
  })
  const engine = new Engine({ clock: nodeClock, history })
  const limits = { maxTxnOps: 128, maxRequestBytes: 1_000_000, quotaBytes: 1_000_000, progressInterval: 600_000, minLeaseSeconds: 2 }
  const member = new Member({ engine, logger: silentLogger, name: 'm', peerUrls: [], clientUrls: [], clusterToken: 't', ...limits })
  const seen: unknown[] = []
  const call: Call = {
    pending: 0,
    send(_type, response) {
      for (const bytes of (response as WatchResponse).events ?? []) {
        const { prevKv } = decode(event, bytes)
        seen.push(prevKv && [String(Buffer.from(prevKv.value)), prevKv.createRevision, prevKv.modRevision, prevKv.version])
      }
    },
    finish() {},
    refuse: (error) => assert.fail(String(error)),
  }
  const stream = watchMethod(member).open(call)
  stream.message(encode(watchRequest, { create: { key: 'a', prevKv: true } }))
  for (const value of ['1', '2', '3']) await engine.commit((draft) => draft.begin().put('a', Buffer.from(value), 0n))
  await engine.commit((draft) => draft.begin().delete('a'))
  await engine.commit((draft) => draft.begin().put('a', Buffer.from('4'), 0n))
  stream.closed?.()
  await engine.close()
  assert.deepEqual(seen, [undefined, ['1', 2, 2, 1], ['2', 2, 3, 2], ['3', 2, 4, 3], undefined])
  assert.deepEqual(loaded, [])
})
