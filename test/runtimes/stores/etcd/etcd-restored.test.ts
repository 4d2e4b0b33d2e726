/** A running daemon whose etcd is replaced by an older copy (a restored backup). */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiOf, configMap } from '../../../support/api.ts'
import { startDaemon } from '../../../support/daemon.ts'
import { startEtcd } from '../../../support/etcd.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'

const maps = '/api/v1/namespaces/default/configmaps'

test('cached objects of the discarded history are not served', { timeout: 3_600_000 }, async (t) => {
  const { path, remove } = temporaryDirectory()
  const etcd = await startEtcd()
  const daemon = await startDaemon({ flags: [`--kvstore-servers=${etcd.servers.join()}`, '--controllers=-garbage-collector'] })
  t.after(async () => {
    await daemon.stop('SIGKILL')
    await etcd.stop()
    remove()
  })
  const api = apiOf(daemon.fetch)
  const [member] = etcd.members
  assert(member)
  await api.create(maps, configMap('kept'))
  await member.signal('SIGTERM')
  member.save(join(path, 'backup'))
  await member.start()
  await eventually('the store', async () => (await api.get(`${maps}/kept`)).status === 200)
  for (const name of ['a', 'b', 'c']) await api.create(maps, configMap(name, { from: 'before' }))
  const before = await api.list(maps)
  const watch = await watchAt(daemon.fetch, maps, { resourceVersion: before.metadata.resourceVersion })

  await member.signal('SIGKILL')
  member.restore(join(path, 'backup'))
  await member.start()
  // The daemon learns of it from the response to a write, whose revision it has seen with other content.
  const created = await eventually('a write', async () => {
    const { status, body } = await api.send<(typeof before.items)[number]>('POST', maps, configMap('a', { from: 'after' }))
    assert([201, 503, 504].includes(status), JSON.stringify(body))
    return status === 201 && body
  })
  assert(
    before.items.some(({ metadata }) => metadata.resourceVersion === created.metadata.resourceVersion),
    'the same revision again',
  )
  for (const name of ['b', 'd', 'e', 'f']) await api.create(maps, configMap(name, { from: 'after' }))
  for (const name of ['a', 'b']) assert.deepEqual((await api.get(`${maps}/${name}`)).body.data, { from: 'after' }, name)
  const { items } = await api.list(maps)
  assert.deepEqual(
    items.filter(({ data }) => data?.['from']).map(({ metadata, data }) => `${metadata.name} ${data?.['from']}`),
    ['a after', 'b after', 'd after', 'e after', 'f after'],
  )
  assert.deepEqual(await watch.rest(), [], 'the watch ends without an event of the other history')
  assert.match(daemon.log(), /went backwards/)
})
