/** etcd's API as JSON: our server and etcd answer the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEtcd } from '../../support/etcd.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'

const key = (text: string) => Buffer.from(text).toString('base64')
const put = (name: string, value: string, more = {}) => ['/v3/kv/put', { key: key(name), value: key(value), ...more }] as const

/** In this order. */
const requests: readonly (readonly [path: string, body: unknown])[] = [
  put('a', '1'),
  put('a', '2', { prev_kv: true }),
  put('b', '', { prevKv: true }),
  ['/v3/kv/range', { key: key('a') }],
  ['/v3/kv/range', { key: key('a'), range_end: key('z'), sort_order: 'DESCEND', sort_target: 'KEY', limit: '1' }],
  ['/v3/kv/range', { key: key('a'), rangeEnd: key('z'), sortOrder: 2, limit: 1, serializable: true }],
  ['/v3/kv/range', { key: key('a'), revision: '2' }],
  ['/v3/kv/range', { key: key('a'), revision: '99' }],
  ['/v3/kv/range', { key: key('none') }],
  ['/v3/kv/range', { key: key('a'), range_end: key('z'), count_only: true }],
  ['/v3/kv/range', { key: key('a'), range_end: key('z'), keys_only: true }],
  ['/v3/kv/range', {}],
  [
    '/v3/kv/txn',
    {
      compare: [{ result: 'EQUAL', target: 'VERSION', key: key('a'), version: '2' }],
      success: [{ request_put: { key: key('t'), value: key('1') } }, { requestRange: { key: key('a') } }],
      failure: [{ request_delete_range: { key: key('a') } }],
    },
  ],
  [
    '/v3/kv/txn',
    { compare: [{ target: 'VALUE', key: key('a'), value: key('x') }], failure: [{ request_delete_range: { key: key('t') } }] },
  ],
  ['/v3/kv/deleterange', { key: key('a'), prev_kv: true }],
  ['/v3/kv/deleterange', { key: key('a') }],
  ['/v3/lease/grant', { TTL: '100', ID: '77' }],
  ['/v3/lease/grant', { TTL: 100, ID: 77 }],
  put('leased', '1', { lease: '77' }),
  ['/v3/kv/lease/timetolive', { ID: '77', keys: true }],
  ['/v3/lease/leases', {}],
  ['/v3/lease/revoke', { ID: '77' }],
  ['/v3/kv/lease/revoke', { ID: '77' }],
  ['/v3/kv/compaction', { revision: '3' }],
  ['/v3/kv/compaction', { revision: '3' }],
  ['/v3/kv/range', { key: key('a'), revision: '2' }],
  ['/v3/maintenance/alarm', {}],
  ['/v3/maintenance/defragment', {}],
  ['/v3/auth/status', {}],
  ['/v3/cluster/member/list', {}],
  ['/v3/nothing', {}],
]

const malformed = ['{', '[]', 'x', '{"key":1}', '{"key":"*"}', '{"nothing":1}', '{"limit":"x"}', '{"limit":1e99}', '{"key":']

/** Without what differs from server to server, and without what only one of etcd's two gateways says: `error` is `message` again. */
const differing = new Set(['cluster_id', 'member_id', 'raft_term', 'memberID', 'peerURLs', 'clientURLs', 'TTL', 'error', 'name'])
const plain = (text: string): unknown =>
  JSON.parse(text, (name, value) => (differing.has(name) || (name === 'ID' && value !== '77') ? undefined : value))

async function answers(url: string): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const [path, body] of requests) {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    found.push([path, body, response.status, plain(await response.text())])
  }
  const watching = await fetch(`${url}/v3/watch`, {
    method: 'POST',
    body: JSON.stringify({ create_request: { key: key('w'), prev_kv: true, filters: ['NODELETE'] } }),
  })
  const reader = watching.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (lines: number) => {
    while (text.split('\n').length <= lines) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) throw new Error(`the watch ended: ${text}`)
      text += value
    }
  }
  await until(1)
  for (const [path, body] of [put('w', '1'), put('w', '2')]) await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  await until(3)
  await reader?.cancel()
  found.push(...text.trim().split('\n').map(plain))
  for (const body of malformed) found.push([body, (await fetch(`${url}/v3/kv/range`, { method: 'POST', body })).status])
  return found
}

test('requests in JSON have the answers of etcd', async (t) => {
  const [original, own] = await Promise.all([startEtcd(), startOwnEtcd({ durable: true })])
  try {
    const [address = ''] = original.servers
    const found = await answers(own.url)
    assert.equal(found.length, requests.length + 3 + malformed.length)
    const { etcdserver } = (await (await fetch(`${address}/version`)).json()) as { etcdserver: string }
    if (etcdserver.startsWith('3.4.')) return t.diagnostic(`not compared: etcd ${etcdserver}`)
    assert.deepEqual(found, await answers(address))
  } finally {
    await Promise.all([original.stop(), own.stop()])
  }
})

test('what is no message is refused, and ends nothing', async () => {
  const own = await startOwnEtcd()
  try {
    const ask = async (path: string, body: string) => (await fetch(`${own.url}${path}`, { method: 'POST', body })).status
    const deep = `${'{"success":[{"request_txn":'.repeat(200)}{}${'}]}'.repeat(200)}`
    for (const body of malformed) assert.equal(await ask('/v3/kv/range', body), 400, body)
    assert.equal(await ask('/v3/kv/txn', deep), 400)
    assert.equal(await ask('/v3/watch', '{"create_request":[]}'), 400)
    for (const [path, size] of [
      ['/v3/watch', 100_000],
      ['/v3/kv/put', 4_000_000],
    ] as const)
      assert.notEqual(await ask(path, `{"key":"${'a'.repeat(size)}`).catch(() => 'closed'), 200, path)
    assert.equal(await ask('/v3/kv/range', JSON.stringify({ key: key('a') })), 200)
    assert.equal((await fetch(`${own.url}/v3/kv/range`)).status, 501)
  } finally {
    await own.stop()
  }
})
