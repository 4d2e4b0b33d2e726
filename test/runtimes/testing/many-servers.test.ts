/**
 * What servers in one process cost: memory of those that are idle, what closed ones leave, and a suite with a fork for each test. `npm run bench:testing`
 * has the figures of many more.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startTestServer, type TestServer } from '../../../runtimes/testing/index.ts'
import { processorTime, slowness } from '../../support/cost.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

/** Bytes of the heap after collections. What ends in later turns of the event loop is collected, too. */
async function heap(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    collect()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

const path = '/api/v1/namespaces/default'

async function asked(server: TestServer): Promise<void> {
  const fork = await server.fork()
  assert.equal((await fork.fetch(path)).status, 200)
  await fork.close()
}

test('10,000 idle servers take at most 1 GiB, and 60 kB each', async (t) => {
  const server = await startTestServer()
  // A later server copies the state of the first one, and has not started when it is forked.
  const later = await startTestServer()
  const before = await heap()
  const forks: TestServer[] = []
  for (let at = 0; at < 5_000; at++) forks.push(await server.fork(), await later.fork())
  const each = ((await heap()) - before) / forks.length
  t.diagnostic(`${(each / 1000).toFixed(1)} kB each, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB of the process`)
  assert(each < 60_000, `${each} B`)
  assert(process.memoryUsage().rss < 2 ** 30)
  for (const fork of [...forks, server, later]) await fork.close()
})

test('forks that were asked and closed leave no objects in the heap', async (t) => {
  const server = await startTestServer()
  for (let at = 0; at < 50; at++) await asked(server)
  const count = 150
  const before = await heap()
  for (let at = 0; at < count; at++) await asked(server)
  const each = ((await heap()) - before) / count
  t.diagnostic(`${Math.round(each)} B for each`)
  // The engine compiles more meanwhile, which fewer forks share than in the bench; a fork that is kept takes 150 kB or more.
  assert(each < 30_000, `${each} B`)
  await server.close()
})

test('forks that were closed are gone with the young objects', async (t) => {
  const server = await startTestServer()
  // A getter of an object literal, a class in a function or a function that is assigned to a property keeps what it sees until old objects are collected.
  const forked = async () => (await server.fork()).close()
  for (let at = 0; at < 50; at++) await forked()
  await heap()
  const before = process.memoryUsage().heapUsed
  const count = 50
  for (let at = 0; at < count; at++) await forked()
  for (let round = 0; round < 3; round++) collect({ type: 'minor' })
  const each = (process.memoryUsage().heapUsed - before) / count
  t.diagnostic(`${Math.round(each)} B for each`)
  // Those that stay are 50 kB.
  assert(each < 15_000, `${each} B`)
  await server.close()
})

test('a test with a fork of its own takes 5 ms on an idle machine', async (t) => {
  const server = await startTestServer()
  await server.objects('v1', 'ConfigMap').create({ metadata: { name: 'one' }, data: { of: 'all' } })
  const run = async (at: number) => {
    const fork = await server.fork()
    const configMaps = fork.objects('v1', 'ConfigMap')
    await configMaps.patch('one', { data: { test: String(at) } })
    assert.deepEqual((await configMaps.get('one')).data, { of: 'all', test: String(at) })
    await fork.close()
  }
  for (let at = 0; at < 50; at++) await run(at)
  const count = 50
  const { milliseconds } = await processorTime(async () => {
    for (let at = 0; at < count; at++) await run(at)
  })
  t.diagnostic(`${(milliseconds / count).toFixed(1)} ms of processor time`)
  // Six times the time: code that is not bundled, and not yet compiled well.
  assert(milliseconds < 6 * 5 * count * (await slowness()), `${milliseconds / count} ms`)
  await server.close()
})
