/** Two daemons on one etcd. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, apiOf, configMap } from '../../../support/api.ts'
import { type Daemon, startDaemon } from '../../../support/daemon.ts'
import { type Etcd, startEtcd } from '../../../support/etcd.ts'
import { within } from '../../../support/wait.ts'

let etcd: Etcd
let daemons: Daemon[] = []
let apis: Api[] = []
const maps = '/api/v1/namespaces/default/configmaps'

before(async () => {
  etcd = await startEtcd()
  daemons = await Promise.all([1, 2].map(() => startDaemon({ flags: [`--kvstore-servers=${etcd.servers.join()}`] })))
  apis = daemons.map(({ fetch }) => apiOf(fetch))
})
after(async () => {
  await Promise.all(daemons.map(({ stop }) => stop()))
  await etcd.stop()
})

test('the log says that built-in controllers are off, and how to turn them on', () => {
  assert.match(daemons[0]?.log() ?? '', /built-in controllers are off because of --kvstore-servers: .* add --controllers=\*/)
})

test('a write acknowledged by one server is visible on the other at once', async () => {
  for (let i = 0; i < 20; i++) {
    const [writer, reader] = i % 2 === 0 ? apis : apis.toReversed()
    assert(writer && reader)
    const created = await writer.create(maps, configMap(`c${i}`, { i: String(i) }))
    assert.deepEqual((await reader.get(`${maps}/c${i}`)).body, created)
    const { items } = await reader.list(maps)
    assert.deepEqual(items.filter(({ metadata }) => /^c\d+$/.test(metadata.name)).length, i + 1)
  }
})

test('concurrent updates through both servers never overwrite each other', async () => {
  const [first, second] = apis
  assert(first && second)
  await first.create(maps, configMap('counter', { n: '0' }))
  const increment = async (api: Api): Promise<void> => {
    for (;;) {
      const { body } = await api.get(`${maps}/counter`)
      const answer = await api.send('PUT', `${maps}/counter`, { ...body, data: { n: String(Number(body.data?.['n']) + 1) } })
      if (answer.status === 200) return
      assert.equal(answer.status, 409)
    }
  }
  await Promise.all(
    [first, second, first, second].map(async (api) => {
      for (let i = 0; i < 10; i++) await increment(api)
    }),
  )
  assert.equal((await second.get(`${maps}/counter`)).body.data?.['n'], '40')
})

test('a watch on one server reports the writes of the other', async () => {
  const [first, second] = apis
  assert(first && second)
  const { metadata } = await first.list(maps)
  const response = await first.fetch(`${maps}?watch=true&resourceVersion=${metadata.resourceVersion}`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert(reader)
  const created = await second.create(maps, configMap('watched'))
  const { value } = await within('the event', reader.read())
  assert.deepEqual(JSON.parse(value ?? ''), { type: 'ADDED', object: created })
  await reader.cancel()
})
