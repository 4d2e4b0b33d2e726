/** Snapshots move data from our server to etcd, and back. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Etcd3 } from 'etcd3'
import { isSnapshot, readSnapshot, writeSnapshot } from '../../../runtimes/etcd-server/database.ts'
import { openDurableEngine } from '../../../runtimes/stores/durable.ts'
import { restoreSnapshot, saveSnapshot } from '../../../runtimes/stores/snapshot.ts'
import { startEtcd } from '../../support/etcd.ts'
import { hashOf } from '../../support/etcd-hash.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { hostClock, warnings } from '../stores/helpers.ts'

const execute = promisify(execFile)
const etcdctl = (...argv: readonly string[]) => execute('etcdctl', argv, { env: { ...process.env, ETCDCTL_API: '3' } })

async function withClient<T>(url: string, use: (client: Etcd3) => Promise<T>): Promise<T> {
  const client = new Etcd3({ hosts: url, defaultCallOptions: () => ({ deadline: Date.now() + 20_000 }) })
  try {
    return await use(client)
  } finally {
    client.close()
  }
}

/** Many keys, large values, deletions, several changes of a revision, a lease and keys that are no text. */
async function fill({ kv, leaseClient }: Etcd3): Promise<void> {
  await leaseClient.leaseGrant({ ID: '77', TTL: '1000' })
  for (let i = 0; i < 300; i++) await kv.put({ key: Buffer.from(`key/${i % 50}`), value: Buffer.from(`${i}`) })
  await kv.put({ key: Buffer.from('large'), value: Buffer.alloc(1_000_000, 'x') })
  await kv.put({ key: Buffer.from([255, 0, 1]), value: Buffer.from('bytes'), lease: '77' })
  const put = (key: string) => ({ request_put: { key: Buffer.from(key), value: Buffer.from('1') } })
  await kv.txn({ success: [put('t/1'), put('t/2'), put('t/3')], compare: [], failure: [] } as never)
  await kv.deleteRange({ key: Buffer.from('t/2') })
  await kv.put({ key: Buffer.from('t/1'), value: Buffer.from('2') })
  await kv.deleteRange({ key: Buffer.from('key/1'), range_end: Buffer.from('key/2') })
}

async function content({ kv, leaseClient }: Etcd3) {
  const { kvs, header } = await kv.range({ key: Buffer.from([0]), range_end: Buffer.from([0]) })
  const { TTL, keys } = await leaseClient.leaseTimeToLive({ ID: '77', keys: true })
  return { revision: header.revision, kvs, lease: [Number(TTL) > 900, keys] }
}

test('etcd starts from a snapshot of our server, with its history', async () => {
  const { path, remove } = temporaryDirectory()
  const own = await startOwnEtcd({ durable: true })
  const file = join(path, 'snapshot.db')
  const before = await withClient(own.url, async (client) => {
    await fill(client)
    await client.kv.compact({ revision: '100' })
    await etcdctl(`--endpoints=${own.url}`, 'snapshot', 'save', file)
    return { ...(await content(client)), hash: await hashOf(own.url), past: await pastOf(client) }
  })
  await own.stop()
  await etcdctl('snapshot', 'restore', file, `--data-dir=${join(path, 'restored')}`)
  const other = await startEtcd({ restored: join(path, 'restored') })
  const after = await withClient(other.servers[0] ?? '', async (client) => ({
    ...(await content(client)),
    hash: await hashOf(other.servers[0] ?? ''),
    past: await pastOf(client),
  }))
  await other.stop()
  remove()
  assert.deepEqual(after, before)
})

const pastOf = async ({ kv }: Etcd3) => (await kv.range({ key: Buffer.from('key/7'), revision: '150' })).kvs

test("a snapshot of etcd becomes our store, and our store's a snapshot that etcd starts from", async () => {
  const { path, remove } = temporaryDirectory()
  const [first, second] = [join(path, 'first.db'), join(path, 'second.db')]
  const original = await startEtcd()
  const before = await withClient(original.servers[0] ?? '', async (client) => {
    await fill(client)
    await etcdctl(`--endpoints=${original.servers[0]}`, 'snapshot', 'save', first)
    return content(client)
  })
  await original.stop()
  assert(isSnapshot(first))
  await restoreSnapshot(first, join(path, 'own'), undefined, readSnapshot)
  const engine = await openDurableEngine({ directory: join(path, 'own'), clock: hostClock, logger: warnings(), keys: 'latin1' })
  const own = await startOwnEtcd({ engine })
  assert.deepEqual(await withClient(own.url, content), before)
  await own.stop()
  await saveSnapshot(join(path, 'own'), second, (state, to) => writeSnapshot(state, to, hostClock.now()))
  await etcdctl('snapshot', 'restore', second, `--data-dir=${join(path, 'restored')}`)
  const etcd = await startEtcd({ restored: join(path, 'restored') })
  assert.deepEqual(await withClient(etcd.servers[0] ?? '', content), before)
  await etcd.stop()
  // A byte that is not as it was.
  const bytes = readFileSync(second)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(second, bytes)
  await assert.rejects(
    restoreSnapshot(second, join(path, 'other'), undefined, readSnapshot),
    /restore .*second\.db: is damaged or truncated/,
  )
  remove()
})
