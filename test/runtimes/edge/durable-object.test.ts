/** Control planes in Durable Objects under workerd, which is killed, left, and given failing storage. `close` kills it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from '../../conformance/edge.ts'
import { apiOf, configMap, type TestObject } from '../../support/api.ts'
import { without } from '../../support/runtimes.ts'
import { trials } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import type { Fetch } from '../../support/tls-fetch.ts'
import { eventually } from '../../support/wait.ts'
import { watchMessages } from '../../support/watch-messages.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const below =
  (fetch: Fetch, name: string): Fetch =>
  (path, init) =>
    fetch(`/clusters/${name}${path}`, init)

interface Rows {
  readonly keys: readonly string[]
  readonly leases: number
}

const rowsOf = async (fetch: Fetch): Promise<Rows> => (await (await fetch('/test/rows')).json()) as Rows
const isEvent = (key: string) => key.includes('/events/')

describe('a control plane in a Durable Object', { skip: without('workerd') }, () => {
  const { path: directory, remove } = temporaryDirectory('edge')
  after(remove)
  let disks = 0
  const newDisk = () => `${directory}/${disks++}`

  test('keeps every acknowledged write when workerd is killed under load, and none twice', async () => {
    const disk = newDisk()
    const acknowledged = new Map<string, TestObject>()
    const rounds = trials(3, 50)
    for (let round = 0; round < rounds; round++) {
      const { fetch, close } = await startEdge({}, disk)
      const api = apiOf(fetch)
      const { items } = await api.list(collection)
      const found = new Map(items.map((item) => [item.metadata.name, item]))
      assert.equal(found.size, items.length)
      for (const [name, object] of acknowledged) {
        // A write that was not acknowledged may follow.
        const stored = found.get(name)
        assert(stored && BigInt(stored.metadata.resourceVersion) >= BigInt(object.metadata.resourceVersion), name)
        if (stored.metadata.resourceVersion === object.metadata.resourceVersion) assert.deepEqual(stored.data, object.data)
      }
      let writes = 0
      let isKilled = false
      const write = async (writer: number) => {
        for (let count = 0; !isKilled; count++) {
          const name = `w${writer}-${count % 10}`
          const data = { text: `${round} ${count}` }
          try {
            const known = acknowledged.has(name)
            const { status, body } = known
              ? await api.patch(`${collection}/${name}`, { data })
              : await api.send('POST', collection, configMap(name, data))
            if (status === 409 || status === 404) acknowledged.delete(name)
            if (status !== 200 && status !== 201) continue
            acknowledged.set(name, body as TestObject)
            writes++
          } catch {
            // Killed meanwhile.
          }
        }
      }
      const writers = Array.from({ length: 16 }, (_, writer) => write(writer))
      await eventually('writes are acknowledged', async () => writes > 150)
      await close()
      isKilled = true
      await Promise.all(writers)
    }
    assert(acknowledged.size > 100)
  })

  test('ends leases and compacts when workerd was killed and no request has come since', async () => {
    const disk = newDisk()
    const options = { eventTtl: 5, compactionInterval: 1_000 }
    const first = await startEdge(options, disk)
    const team = below(first.fetch, 'team')
    const api = apiOf(team)
    await api.create(collection, configMap('a', { k: '1' }))
    for (let i = 0; i < 5; i++) await api.patch(`${collection}/a`, { data: { k: `${i}` } })
    const event = { metadata: { name: 'e', namespace: 'default' }, involvedObject: { namespace: 'default' } }
    await api.create('/api/v1/namespaces/default/events', event)
    const before = await rowsOf(team)
    assert.equal(before.keys.filter(isEvent).length, 1)
    assert(before.leases > 0)
    await first.close()
    // Only another control plane is asked; the path of the test starts nothing.
    const second = await startEdge(options, disk)
    const rows = await eventually('the event is gone, and each key has one row', async () => {
      const { keys, leases } = await rowsOf(below(second.fetch, 'team'))
      return leases === 0 && !keys.some(isEvent) && new Set(keys).size === keys.length && keys
    })
    assert(rows.some((key) => key.endsWith('/configmaps/default/a')))
    assert.equal((await apiOf(below(second.fetch, 'team')).get(`${collection}/a`)).status, 200)
    await second.close()
  })

  describe('of several', () => {
    let server: Awaited<ReturnType<typeof startEdge>>
    before(async () => {
      server = await startEdge({}, newDisk())
    })
    after(() => server.close())

    test('has its own objects, by path and by host', async () => {
      const [one, two] = ['one', 'two'].map((name) => apiOf(below(server.fetch, name)))
      await one!.create(collection, configMap('a'))
      assert.equal((await one!.get(`${collection}/a`)).status, 200)
      assert.equal((await two!.get(`${collection}/a`)).status, 404)
    })

    test('serves watches over WebSockets', async () => {
      const api = apiOf(below(server.fetch, 'sockets'))
      const path = `/clusters/sockets${collection}?watch=true&timeoutSeconds=5`
      const reader = await watchMessages({ host: '127.0.0.1', port: server.port }, path, [])
      const created = await api.create(collection, configMap('a'))
      assert.deepEqual(await reader.event(), { type: 'ADDED', object: created })
      const { body } = await api.patch(`${collection}/a`, { data: { large: 'x'.repeat(200_000) } })
      assert.deepEqual(await reader.event(), { type: 'MODIFIED', object: body })
      assert.deepEqual(await reader.rest(), [])
      assert.equal(await reader.closed, 1000)
    })

    test('ends itself when a sync fails, and continues with what storage has', async () => {
      const api = apiOf(below(server.fetch, 'failing'))
      // The failure comes with the write: were it set before, a write of the server's own could meet it, and the next request a new object.
      const failing = apiOf(below(server.fetch, 'failing/test/fail-sync'))
      await api.create(collection, configMap('a'))
      const failed = await failing.send('POST', collection, configMap('b')).catch(() => ({ status: 500 }))
      assert(failed.status >= 500, `status ${failed.status}`)
      const again = await eventually('it answers again', async () => {
        const answer = await api.get(`${collection}/a`).catch(() => undefined)
        return answer?.status === 200 && answer
      })
      assert.equal(again.status, 200)
      assert.equal((await api.send('POST', collection, configMap('c'))).status, 201)
    })
  })
})
