/** Our hand-written etcd messages against those generated from etcd's protocol. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Etcd3 } from 'etcd3'
import { DecodeError } from '../../../../core/schema/decode-error.ts'
import { revisionOf } from '../../../../runtimes/stores/etcd/keys.ts'
import {
  deleteRequest,
  emptyRequest,
  leaseGrantRequest,
  leaseGrantResponse,
  putRequest,
  rangeRequest,
  rangeResponse,
  statusResponse,
  txnResponse,
  watchRequest,
  watchResponse,
} from '../../../../runtimes/stores/etcd/messages.ts'
import { mutate, type Random, seeded } from '../../../support/mutate.ts'
import { progress, trials } from '../../../support/soak.ts'

/** The server side of a method. */
interface Method {
  requestDeserialize(message: Buffer): unknown
  responseSerialize(answer: object): Buffer
}

class Generated extends Etcd3 {
  method(service: 'KV' | 'Lease' | 'Maintenance' | 'Watch', name: string): Promise<Method> {
    return this.pool.withConnection(service, ({ client }) => (client as unknown as Record<string, Method>)[name]!)
  }
}

const generated = new Generated({ hosts: 'unused' })
const range = await generated.method('KV', 'range')
const txn = await generated.method('KV', 'txn')
const watch = await generated.method('Watch', 'watch')
const leaseGrant = await generated.method('Lease', 'leaseGrant')
const status = await generated.method('Maintenance', 'status')
generated.close()

const asRead = (method: Method, { buffer, byteOffset, length }: Uint8Array) =>
  method.requestDeserialize(Buffer.from(buffer, byteOffset, length))

const none = Buffer.alloc(0)
const keys = ['k', '/registry/configmaps/default/a-name-that-is-longer-than-most', 'ключ/é/\u{1f600}', '\ufeff\0', 'ж'.repeat(200)]
const values = [0, 1, 1_023, 1_024, 1_025, 1_500_000].map((size) => Buffer.alloc(size, 'value'))
const revisions = [0, 1, 2 ** 28 - 1, 2 ** 28, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]

const askedRange = (key: Buffer, more: object = {}) => ({
  key,
  range_end: none,
  limit: '0',
  revision: '0',
  sort_order: 'None',
  sort_target: 'Key',
  serializable: false,
  keys_only: false,
  count_only: false,
  min_mod_revision: '0',
  max_mod_revision: '0',
  min_create_revision: '0',
  max_create_revision: '0',
  ...more,
})

/** A transaction as the server decodes it. */
const asked = (key: string, expected: number, success: object) => ({
  compare: [
    {
      target_union: 'mod_revision',
      result: 'Equal',
      target: 'Mod',
      key: Buffer.from(key),
      mod_revision: String(expected),
      range_end: none,
    },
  ],
  success: [success],
  failure: [{ request: 'request_range', request_range: askedRange(Buffer.from(key)) }],
})

test('the server decodes a put', () => {
  for (const key of keys)
    for (const value of values)
      for (const expected of revisions)
        for (const lease of [0n, 1n, 2n ** 63n - 1n]) {
          const message = putRequest(key, value, expected, lease)
          const put = { key: Buffer.from(key), value, lease: String(lease), prev_kv: false, ignore_value: false, ignore_lease: false }
          assert.deepEqual(asRead(txn, message), asked(key, expected, { request: 'request_put', request_put: put }))
          assert(message.buffer.byteLength - message.length < 100, 'the message is a view of its own buffer')
        }
})

test('the message copies the value', () => {
  const value = Buffer.from('before')
  const message = Buffer.from(putRequest('k', value, 0, 0n).buffer)
  value.fill('x')
  assert(message.includes('before'))
})

test('the server decodes a delete', () => {
  for (const key of keys)
    for (const expected of revisions) {
      const request_delete_range = { key: Buffer.from(key), range_end: none, prev_kv: false }
      const success = { request: 'request_delete_range', request_delete_range }
      assert.deepEqual(asRead(txn, deleteRequest(key, expected)), asked(key, expected, success))
    }
})

test('the server decodes a range request', () => {
  const rangeEnd = Buffer.of(0x6b, 0xc0)
  for (const key of keys.map((text) => Buffer.from(text))) {
    assert.deepEqual(asRead(range, rangeRequest({ key })), askedRange(key))
    assert.deepEqual(
      asRead(range, rangeRequest({ key, rangeEnd, countOnly: true })),
      askedRange(key, { range_end: rangeEnd, count_only: true }),
    )
    for (const revision of revisions)
      assert.deepEqual(
        asRead(range, rangeRequest({ key, rangeEnd, limit: 1_000, revision })),
        askedRange(key, { range_end: rangeEnd, limit: '1000', revision: String(revision) }),
      )
  }
})

test('the server decodes a request for a watch', () => {
  const rangeEnd = Buffer.of(0)
  for (const key of keys.map((text) => Buffer.from(text)))
    for (const startRevision of revisions)
      for (const prevKv of [false, true])
        assert.deepEqual(asRead(watch, watchRequest({ key, rangeEnd, startRevision, prevKv })), {
          request_union: 'create_request',
          create_request: {
            key,
            range_end: rangeEnd,
            start_revision: String(startRevision),
            prev_kv: prevKv,
            fragment: true,
            filters: [],
            progress_notify: false,
            watch_id: '0',
          },
        })
})

const clusterId = 2n ** 64n - 1n
const header = (revision: number) => ({
  cluster_id: String(clusterId),
  member_id: '10276657743932975437',
  revision: String(revision),
  raft_term: '2',
})

/** A key-value as sent by etcd, and as returned by the store. */
function stored(key: string, value: Buffer, create: number, mod = create) {
  const sent = { key: Buffer.from(key), create_revision: String(create), mod_revision: String(mod), version: '7', value, lease: '9' }
  return { sent, kv: { key, value, createRevision: create, modRevision: mod } }
}

test('the response to a conditional write', () => {
  const put = { response: 'response_put', response_put: { header: { revision: '5' } } }
  const removed = { response: 'response_delete_range', response_delete_range: { header: { revision: '5' }, deleted: '1' } }
  for (const revision of revisions) {
    const of = (answer: object) => txnResponse(txn.responseSerialize({ header: header(revision), ...answer }))
    const expected = { header: { clusterId, revision }, succeeded: true, current: undefined }
    assert.deepEqual(of({ succeeded: true, responses: [put] }), expected)
    assert.deepEqual(of({ succeeded: true, responses: [removed] }), expected)
    const failed = (kvs: object[]) => ({
      responses: [{ response: 'response_range', response_range: { header: { revision: '5' }, kvs, count: String(kvs.length) } }],
    })
    assert.deepEqual(of(failed([])), { ...expected, succeeded: false })
    for (const key of keys) {
      const { sent, kv } = stored(key, Buffer.from('value'), 3, revision)
      assert.deepEqual(of(failed([sent])), { ...expected, succeeded: false, current: kv })
    }
  }
})

test('the response to a read', () => {
  const all = keys.flatMap((key) => values.map((value, at) => stored(key, value, revisions[at]!, revisions[at + 1]!)))
  const answer = range.responseSerialize({ header: header(77), kvs: all.map(({ sent }) => sent), more: true, count: '5000000000' })
  const read = rangeResponse(answer)
  assert.deepEqual({ ...read, kvs: [] }, { header: { clusterId, revision: 77 }, kvs: [], more: true, count: 5_000_000_000 })
  assert.equal(read.kvs.length, all.length)
  for (const [at, { kv }] of all.entries()) {
    const found = read.kvs[at]!
    assert.deepEqual({ ...found, value: Buffer.from(found.value) }, kv)
    assert(found.value.length === 0 || found.value.buffer === answer.buffer, 'the value is a view')
  }
  const empty = range.responseSerialize({ header: header(1) })
  assert.deepEqual(rangeResponse(empty), { header: { clusterId, revision: 1 }, kvs: [], more: false, count: 0 })
})

/** Events with every field that etcd may send, and their decoded form. */
function someEvents() {
  const created = stored('new/é', Buffer.from('1'), 2 ** 40)
  const updated = stored('old', Buffer.from('22'), 3, 2 ** 40 + 1)
  const before = stored('old', Buffer.from('2'), 3, 4)
  const gone = stored('gone', none, 0, 2 ** 40 + 2)
  const revision = gone.kv.modRevision
  const replaced = before.kv
  return {
    sent: [
      { type: 0, kv: created.sent },
      { type: 0, kv: updated.sent, prev_kv: before.sent },
      { type: 0, kv: updated.sent },
      { type: 1, kv: gone.sent, prev_kv: before.sent },
      { type: 1, kv: gone.sent },
    ],
    read: [
      { type: 'put', kv: created.kv },
      { type: 'put', kv: updated.kv, previous: replaced },
      { type: 'put', kv: updated.kv },
      { type: 'delete', key: 'gone', revision, previous: replaced },
      { type: 'delete', key: 'gone', revision },
    ],
  }
}

const quiet = { events: [], fragment: false, canceled: false, cancelReason: '', compactRevision: 0 }

test('watch responses', () => {
  const of = (answer: object) => watchResponse(watch.responseSerialize({ header: header(9), watch_id: '3', ...answer }))
  const { sent, read } = someEvents()
  assert.deepEqual(of({ created: true }), quiet)
  assert.deepEqual(of({ events: sent, fragment: true }), { ...quiet, events: read, fragment: true })
  for (const revision of revisions)
    assert.deepEqual(of({ canceled: true, compact_revision: String(revision), cancel_reason: 'why' }), {
      ...quiet,
      canceled: true,
      cancelReason: 'why',
      compactRevision: revision,
    })
})

test('unknown fields are skipped', () => {
  const unknown = Buffer.from('9a0601789006ac02910601020304050607089506010203049b0608019c06', 'hex')
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.of((number << 3) | 2, content.length | 0x80, content.length >> 7), content, unknown])
  const { sent, kv } = stored('k', Buffer.from('v'), 5)
  const contentOf = (message: Buffer) => Buffer.concat([message.subarray(2), unknown])
  const head = field(1, contentOf(range.responseSerialize({ header: header(5) })))
  const keyValue = contentOf(range.responseSerialize({ kvs: [sent] }))
  const event = Buffer.concat([field(2, keyValue), field(3, keyValue)])
  const read = { clusterId, revision: 5 }
  assert.deepEqual(rangeResponse(Buffer.concat([head, field(2, keyValue)])), { header: read, kvs: [kv], more: false, count: 0 })
  assert.deepEqual(txnResponse(Buffer.concat([unknown, head, field(3, field(1, field(2, keyValue)))])), {
    header: read,
    succeeded: false,
    current: kv,
  })
  assert.deepEqual(watchResponse(Buffer.concat([head, field(11, event)])), { ...quiet, events: [{ type: 'put', kv, previous: kv }] })
})

test('the server decodes a new lease, and its id is decoded', () => {
  for (const seconds of [1, 15, 3_660, 2 ** 31])
    assert.deepEqual(asRead(leaseGrant, leaseGrantRequest(seconds)), { TTL: String(seconds), ID: '0' })
  for (const id of [1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n])
    assert.equal(leaseGrantResponse(leaseGrant.responseSerialize({ header: header(8), ID: String(id), TTL: '15' })), id)
})

test('the server decodes a request for the status, and the size is decoded', () => {
  assert.deepEqual(asRead(status, emptyRequest), {})
  for (const size of [0, ...revisions])
    assert.equal(
      statusResponse(status.responseSerialize({ header: header(8), version: '3.5.30', dbSize: String(size), raftTerm: '2' })),
      size,
    )
})

test('responses without required fields are refused', () => {
  assert.throws(() => rangeResponse(none), new DecodeError('there is no header'))
  assert.throws(() => txnResponse(none), new DecodeError('there is no header'))
  assert.throws(() => leaseGrantResponse(none), new DecodeError('a granted lease has no id'))
  assert.throws(() => watchResponse(watch.responseSerialize({ events: [{ type: 1 }] })), new DecodeError('an event has no key'))
  assert.deepEqual(watchResponse(none), quiet)
})

function mutated(bytes: Buffer, random: Random): Buffer {
  const words = ['\0', '\xff\xff\xff\xff\x0f', '\x80'.repeat(12), '\x0b', bytes.subarray(0, 20).toString('latin1')]
  return Buffer.from(mutate(bytes.toString('latin1'), random, words), 'latin1')
}

test('random and mutated responses are decoded or refused', (t) => {
  const seed = 23
  const cases = trials(30_000, 5_000_000)
  t.diagnostic(`${cases} cases, seed ${seed}`)
  const random = seeded(seed)
  const { sent: events } = someEvents()
  const kvs = events.map(({ kv }) => kv)
  const valid = [
    range.responseSerialize({ header: header(2 ** 33), kvs, more: true, count: '9' }),
    txn.responseSerialize({ header: header(8), responses: [{ response_range: { header: header(8), kvs: kvs.slice(0, 1) } }] }),
    txn.responseSerialize({ header: header(8), succeeded: true, responses: [{ response_put: { header: header(8) } }] }),
    watch.responseSerialize({ header: header(8), watch_id: '1', events, fragment: true }),
    watch.responseSerialize({ header: header(8), canceled: true, compact_revision: '12', cancel_reason: 'compacted' }),
    leaseGrant.responseSerialize({ header: header(8), ID: '7587879232323', TTL: '15' }),
    status.responseSerialize({ header: header(8), version: '3.5.30', dbSize: '20480', leader: '1' }),
  ]
  const anything = () => Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))
  const decoders = [rangeResponse, txnResponse, watchResponse, leaseGrantResponse, statusResponse]
  let read = 0
  const say = progress('answers of etcd', cases)
  for (let count = 0; count < cases; count++) {
    const bytes = random.below(5) === 0 ? anything() : mutated(random.pick(valid), random)
    for (const decode of decoders) {
      try {
        const answer = decode(bytes)
        if (typeof answer === 'number') assert(Number.isSafeInteger(answer))
        else if (typeof answer === 'bigint') assert.notEqual(answer, 0n)
        else if ('events' in answer) for (const event of answer.events) assert.equal(typeof revisionOf(event), 'number')
        else assert.equal(typeof answer.header.revision, 'number')
        read++
      } catch (error) {
        assert(error instanceof DecodeError, `${bytes.toString('hex')}: ${error}`)
      }
    }
    say(count + 1, () => `${read} read`)
  }
  const share = read / (cases * decoders.length)
  assert(share > 1 / 60, `some are decoded: ${share}`)
  assert(share < 2 / 3, `some are refused: ${share}`)
})

test('a truncated response is decoded up to its end, or refused', () => {
  const { sent, read } = someEvents()
  const whole = watch.responseSerialize({ header: header(8), events: sent })
  for (let end = 0; end < whole.length; end++)
    try {
      const { events } = watchResponse(whole.subarray(0, end))
      assert.deepEqual(events, read.slice(0, events.length))
    } catch (error) {
      assert(error instanceof DecodeError)
    }
})
