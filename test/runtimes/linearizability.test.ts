/**
 * The daemon, or its store, is killed repeatedly under load. The history of each key must be linearizable, and a watch
 * must have reported exactly what was written.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Api, apiOf, configMap } from '../support/api.ts'
import { type Daemon, ownEtcd, startDaemon, withEndingWorkers } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { linearizationProblem, type Operation, watchProblem } from '../support/linearizability.ts'
import { randomNumbers } from '../support/random.ts'
import { trials } from '../support/soak.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, sleep, within } from '../support/wait.ts'
import { type Connect, type Histories, startClients, startWatching } from './linearizability-clients.ts'

/** Number of faults. */
const faults = trials(4, 12)
/** Answered operations between two faults, about: counted, because time alone would give a slow machine too few of them. */
const operations = trials(300, 600)
/** Milliseconds without the leader of etcd: longer than an election. */
const pause = trials(1_200, 2_500)
const clients = 6
const random = randomNumbers(1)

/** Runs clients while faults happen, then checks their histories. */
async function judge(connect: Connect, fault: () => Promise<void>): Promise<void> {
  const fetch: ReturnType<Connect> = (path, init) => connect()(path, init)
  const api = apiOf(fetch)
  const { metadata } = await api.list('/api/v1/namespaces/default/configmaps')
  const watching = startWatching(connect, metadata.resourceVersion)
  const histories = startClients(connect, clients)
  try {
    await judgeWhat(api, watching, histories, fault)
  } finally {
    // Otherwise they would continue after a failure.
    watching.stop()
    void histories.stop()
  }
}

type Counts = Record<Operation['kind'], number>

function countsOf({ operations }: Histories): Counts {
  const counts: Counts = { written: 0, refused: 0, read: 0, unknown: 0 }
  for (const each of operations.values()) for (const { kind } of each) counts[kind]++
  return counts
}

async function judgeWhat(
  api: Api,
  watching: ReturnType<typeof startWatching>,
  histories: Histories,
  fault: () => Promise<void>,
): Promise<void> {
  for (let count = 0; count < faults; count++) {
    await within('operations before a fault', histories.answered(operations / 2 + random.integer(operations)), 180_000)
    await within('one fault', fault(), 180_000)
  }
  const last = await eventually(
    'a response after the last fault',
    async () => {
      const name = `end-${Math.round(performance.now())}`
      const object = configMap(name, {}, { labels: { linear: '' } })
      const sent = api.send<{ metadata: { resourceVersion: string } }>('POST', '/api/v1/namespaces/default/configmaps', object)
      const { status, body } = await within('an answer', sent, 15_000)
      return status === 201 && body
    },
    120_000,
  )
  await within('the end of the clients', histories.stop())
  const final = await api.list('/api/v1/namespaces/default/configmaps')
  assert(BigInt(final.metadata.resourceVersion) >= BigInt(last.metadata.resourceVersion))
  const marker = await api.create('/api/v1/namespaces/default/configmaps', configMap('marker', {}, { labels: { linear: '' } }))
  await within('all events', watching.reached(Number(marker.metadata.resourceVersion)))
  assert.equal(watching.error, undefined, 'the watch could always resume')
  for (const [key, operations] of histories.operations) {
    const item = final.items.find(({ metadata }) => metadata.name === key)
    const closing = {
      client: clients,
      kind: 'read',
      begin: performance.now(),
      end: performance.now(),
      after: item?.data?.['value'],
    } as const
    assert.equal(linearizationProblem([...operations, closing]), undefined, key)
    assert.equal(watchProblem(watching.events.get(key) ?? [], operations), undefined, key)
  }
  const counts = countsOf(histories)
  assert(counts.written > 50 && counts.refused > 5 && counts.read > 50, `there was enough to check: ${JSON.stringify(counts)}`)
}

describe('linearizability', { concurrency: true }, () => {
  const killed: { readonly [title: string]: { readonly etcd?: true; readonly flags?: readonly string[] } } = {
    'embedded store': {},
    'embedded store, without watch cache': { flags: ['--watch-cache=false'] },
    'embedded store, on two workers': { flags: ['--workers=2'] },
    etcd: { etcd: true },
  }
  for (const [title, { etcd: usesEtcd, flags = [] }] of Object.entries(killed))
    test(`${title}: the daemon is killed`, { timeout: 3_600_000 }, async (t) => {
      const { path, remove } = temporaryDirectory()
      const etcd = usesEtcd && (await startEtcd())
      const start = () => startDaemon({ directory: path, flags: [...flags, ...(etcd ? [`--kvstore-servers=${etcd.servers.join()}`] : [])] })
      let daemon: Daemon = await start()
      t.after(async () => {
        await daemon.stop()
        await etcd?.stop()
        remove()
      })
      await judge(
        () => daemon.fetch,
        async () => {
          await daemon.stop('SIGKILL')
          daemon = await start()
        },
      )
    })

  test('two workers, of which one is killed', { timeout: 3_600_000 }, async (t) => {
    const { path, remove } = temporaryDirectory()
    const file = join(path, 'end')
    const daemon = await startDaemon({ command: withEndingWorkers, directory: path, flags: ['--workers=2'], env: { END_WORKER: file } })
    t.after(async () => {
      await daemon.stop()
      remove()
    })
    let ended = 0
    await judge(
      () => daemon.fetch,
      async () => {
        writeFileSync(file, '')
        ended++
        await eventually('the end of a worker is in the log', async () => daemon.log().split('ended by a test').length > ended)
      },
    )
  })

  test("the program's own server of etcd's API: it is killed, with a daemon on it", { timeout: 3_600_000 }, async (t) => {
    const etcd = await startEtcd({ command: ownEtcd })
    const daemon = await startDaemon({ flags: [`--kvstore-servers=${etcd.servers.join()}`] })
    t.after(async () => {
      await daemon.stop()
      await etcd.stop()
    })
    const [member] = etcd.members
    await judge(
      () => daemon.fetch,
      async () => {
        await member?.signal('SIGKILL')
        await member?.start()
      },
    )
  })

  test('two daemons on etcd with three members, whose leader is killed or paused', { timeout: 3_600_000 }, async (t) => {
    const etcd = await startEtcd({ members: 3 })
    const flags = [`--kvstore-servers=${etcd.servers.join()}`]
    const daemons = await Promise.all([startDaemon({ flags }), startDaemon({ flags })])
    t.after(async () => {
      await Promise.all(daemons.map(({ stop }) => stop()))
      await etcd.stop()
    })
    // A write acknowledged by one daemon must be visible on the other, however late its watch is.
    const either = () => daemons[random.chance(0.5) ? 0 : 1].fetch
    let kill = false
    await judge(either, async () => {
      const leader = await etcd.leader()
      kill = !kill
      await leader.signal(kill ? 'SIGKILL' : 'SIGSTOP')
      await sleep(pause)
      if (kill) await leader.start()
      else await leader.signal('SIGCONT')
    })
  })
})
