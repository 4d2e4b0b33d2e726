/** A daemon that is killed: what it acknowledged is there when it comes back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiOf, configMap, type TestObject } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { randomNumbers } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** What the server said last about a key; absent: that it is gone. */
type Acknowledged = Map<string, { readonly version: bigint; readonly value?: string }>

const writers = 8
const collection = '/api/v1/namespaces/default/configmaps'

/** Writes without pause until the server is gone; each writer has keys of its own. Kills it once so many writes are acknowledged: it is in the middle of others then. */
async function writeUntilKilled(daemon: Daemon, round: number, acknowledged: Acknowledged, writes: number): Promise<void> {
  const api = apiOf(daemon.fetch)
  let done = 0
  let killed: Promise<unknown> | undefined
  const write = async (writer: number) => {
    for (let i = 0; ; i++) {
      const name = `w${writer}-${i % 20}`
      const value = `${round}.${i}`
      const before = acknowledged.get(name)
      const there = before?.value !== undefined
      const remove = there && i % 7 === 6
      // An answer that never comes leaves open what became of the write: the key is not judged.
      acknowledged.delete(name)
      const answer = remove
        ? await api.delete(`${collection}/${name}`)
        : there
          ? await api.patch(`${collection}/${name}`, { data: { value } })
          : await api.send<TestObject>('POST', collection, configMap(name, { value }))
      const taken = answer.status === 409 && !there
      assert(answer.status < 300 || taken || (there && answer.status === 404), `${answer.status} ${JSON.stringify(answer.body)}`)
      if (answer.status >= 300) {
        // It was open, and turns out to have happened.
        const { status, body } = await api.get(`${collection}/${name}`)
        if (status === 200) acknowledged.set(name, { version: BigInt(body.metadata.resourceVersion), value: body.data?.['value'] ?? '' })
        continue
      }
      const version = remove ? (before?.version ?? 0n) : BigInt(answer.body.metadata.resourceVersion)
      acknowledged.set(name, { version, ...(!remove && { value }) })
      if (++done === writes) killed = daemon.stop('SIGKILL')
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: writers }, (_, writer) => write(writer)))
  for (const outcome of outcomes) if (outcome.status === 'rejected' && outcome.reason instanceof assert.AssertionError) throw outcome.reason
  await killed
}

describe('a killed daemon', () => {
  test('has every acknowledged write when it comes back, and goes on counting', { timeout: 3_600_000 }, async () => {
    const { path, remove } = temporaryDirectory()
    const acknowledged: Acknowledged = new Map()
    let newest = 0n
    const random = randomNumbers(1)
    let total = 0
    for (let round = 0; round < 4; round++) {
      const daemon = await startDaemon({ directory: path })
      const { metadata, items } = await apiOf(daemon.fetch).list(collection)
      assert(BigInt(metadata.resourceVersion) >= newest, `at ${metadata.resourceVersion} after ${newest}`)
      const there = new Map(items.map((item) => [item.metadata.name, item]))
      for (const [name, { version, value }] of acknowledged) {
        const item = there.get(name)
        assert.equal(item?.data?.['value'], value, name)
        if (item) assert.equal(BigInt(item.metadata.resourceVersion), version, name)
      }
      await writeUntilKilled(daemon, round, acknowledged, 10 * writers + random.integer(50 * writers))
      for (const { version } of acknowledged.values()) if (version > newest) newest = version
      total += acknowledged.size
    }
    assert(total > 4 * writers, `only ${total} writes were judged`)
    remove()
  })

  test('keeps its identity: certificates, tokens and namespaces are those of the first start', async () => {
    const { path, remove } = temporaryDirectory()
    const first = await startDaemon({ directory: path })
    const api = apiOf(first.fetch)
    const { metadata } = (await api.get('/api/v1/namespaces/default')).body
    await api.create(collection, configMap('kept', { k: 'v' }))
    await first.stop('SIGKILL')
    const second = await startDaemon({ directory: path })
    // The client of the first start, at the address of the second.
    const again = apiOf(second.fetch)
    assert.equal((await again.get('/api/v1/namespaces/default')).body.metadata.uid, metadata.uid)
    assert.deepEqual((await again.get(`${collection}/kept`)).body.data, { k: 'v' })
    await second.stop()
    assert.doesNotMatch(second.log(), /panic|unhandled/i)
    remove()
  })

  test('a second daemon on the same directory is refused', async () => {
    const { path, remove } = temporaryDirectory()
    const daemon = await startDaemon({ directory: path })
    await assert.rejects(startDaemon({ directory: path }), /the daemon ended \(1\): .*error: .*in use by/s)
    assert.equal((await daemon.fetch('/healthz')).status, 200)
    await daemon.stop()
    remove()
  })
})
