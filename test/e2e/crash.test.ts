/** A daemon that is killed: every acknowledged write is there after the restart. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiOf, configMap, type TestObject } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { randomNumbers } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** The last acknowledged state of each key; absent value: deleted. */
type Acknowledged = Map<string, { readonly version: bigint; readonly value?: string }>

const writers = 8
const collection = '/api/v1/namespaces/default/configmaps'

/**
 * Runs writers, each with its own keys, until the server is gone. Kills it after this many acknowledged writes, in the
 * middle of others.
 */
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
      // A missing response leaves the outcome unknown: the key is not checked.
      acknowledged.delete(name)
      const answer = remove
        ? await api.delete(`${collection}/${name}`)
        : there
          ? await api.patch(`${collection}/${name}`, { data: { value } })
          : await api.send<TestObject>('POST', collection, configMap(name, { value }))
      const taken = answer.status === 409 && !there
      assert(answer.status < 300 || taken || (there && answer.status === 404), `${answer.status} ${JSON.stringify(answer.body)}`)
      if (answer.status >= 300) {
        // The write with unknown outcome did happen.
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
  test('has every acknowledged write after the restart, and continues the revisions', { timeout: 3_600_000 }, async () => {
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

  test('keeps its identity: certificates, tokens and namespaces of the first start', async () => {
    const { path, remove } = temporaryDirectory()
    const first = await startDaemon({ directory: path })
    const api = apiOf(first.fetch)
    const { metadata } = (await api.get('/api/v1/namespaces/default')).body
    await api.create(collection, configMap('kept', { k: 'v' }))
    await first.stop('SIGKILL')
    const second = await startDaemon({ directory: path })
    // The client of the first start, with the address of the second.
    const again = apiOf(second.fetch)
    assert.equal((await again.get('/api/v1/namespaces/default')).body.metadata.uid, metadata.uid)
    assert.deepEqual((await again.get(`${collection}/kept`)).body.data, { k: 'v' })
    await second.stop()
    assert.doesNotMatch(second.log(), /panic|unhandled/i)
    remove()
  })

  test('a second daemon in the same directory is refused', async () => {
    const { path, remove } = temporaryDirectory()
    const daemon = await startDaemon({ directory: path })
    await assert.rejects(startDaemon({ directory: path }), /the daemon ended \(1\): .*error: .*in use by/s)
    assert.equal((await daemon.fetch('/healthz')).status, 200)
    await daemon.stop()
    remove()
  })
})
