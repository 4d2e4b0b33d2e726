/** Histories of concurrent clients of etcd's API, whose server fails again and again: they are linearizable, and watches keep their promises. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nodeClock } from '../../../runtimes/node/clock.ts'
import { openEngineIn } from '../../../runtimes/stores/durable.ts'
import type { LogDirectory, LogFile } from '../../../runtimes/stores/log/files.ts'
import { ownEtcd } from '../../support/daemon.ts'
import { startEtcd } from '../../support/etcd.ts'
import { historyProblem, watchProblem } from '../../support/etcd-history.ts'
import { freePort } from '../../support/free-port.ts'
import { silentLogger } from '../../support/logger.ts'
import { type OwnEtcd, startOwnEtcd } from '../../support/own-etcd.ts'
import { type RandomNumbers, randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'
import { eventually, sleep, within } from '../../support/wait.ts'
import { Disk } from '../stores/log/disk.ts'
import { Clients, connect, Watching } from './history-clients.ts'

const faults = trials(3, 20)
/** Writes between two faults, about. */
const writes = trials(120, 400)
const clients = 6

/** A server, and what happens to it. */
interface Subject {
  readonly url: string
  /** False: notifications of progress may come before events of earlier revisions. */
  readonly hasSafeProgress?: boolean
  fault(): Promise<void>
  stop(): Promise<void>
}

async function judge({ url, hasSafeProgress = true, fault, stop }: Subject, random: RandomNumbers): Promise<void> {
  const all = new Watching(url, 2)
  const history = new Clients(url, clients)
  const others: Watching[] = []
  const more = async (count: number) => {
    const enough = history.written.length + count
    await eventually('writes', async () => {
      history.needed = all.reached
      return history.written.length >= enough
    })
  }
  try {
    for (let count = 0; count < faults; count++) {
      await more(writes / 2 + random.integer(writes))
      others.push(new Watching(url, Math.max(2, all.reached - random.integer(40))), new Watching(url, all.reached + 5))
      await fault()
    }
    await more(writes)
    others.push(new Watching(url, 2))
    await within('the end of the clients', history.stop())
    const client = connect(url)
    const { header } = await client.kv.range({ key: Buffer.from('k/') })
    client.close()
    for (const watching of [all, ...others])
      await eventually('all events', async () => watching.compactRevision > 0 || watching.reached >= Number(header.revision))
    assert.equal(all.compactRevision, 0)
    assert.equal(historyProblem(all.commits, history), undefined)
    for (const watching of [all, ...others]) {
      const { from, commits, progress, compactRevision } = watching
      const told = { from, commits, progress: hasSafeProgress ? progress : [] }
      assert.equal(watchProblem(all.commits, told, history.compacted), undefined)
      if (compactRevision > 0) assert(watching.reached < compactRevision)
    }
    const counts = {
      writes: history.written.length,
      reads: history.reads.length,
      compactions: history.compactions,
      progress: all.progress.length,
    }
    assert(counts.writes > 100 && counts.reads > 20 && counts.compactions > 0 && counts.progress > 0, JSON.stringify(counts))
    if (process.env.APISERVER_SOAK) console.log(counts, { failed: history.failed, opened: all.opened })
  } finally {
    await Promise.all([history.stop(), ...[all, ...others].map((watching) => watching.stop())])
    await stop()
  }
}

/** A directory whose disk takes so many milliseconds for a sync. */
function slowed(directory: LogDirectory, milliseconds: () => number): LogDirectory {
  const slow = (file: LogFile): LogFile => ({
    read: (target, position) => file.read(target, position),
    write: (bytes, position) => file.write(bytes, position),
    async sync() {
      await sleep(milliseconds())
      await file.sync()
    },
    truncate: (length) => file.truncate(length),
    size: () => file.size(),
    close: () => file.close(),
  })
  return {
    path: directory.path,
    names: () => directory.names(),
    open: (name) => slow(directory.open(name)),
    create: (name) => slow(directory.create(name)),
    rename: (from, to) => directory.rename(from, to),
    remove: (name) => directory.remove(name),
    sync: () => directory.sync(),
  }
}

/** A server on a disk in memory. */
class OnDisk {
  disk: Disk
  #server: OwnEtcd | undefined
  readonly #port: number
  readonly #milliseconds: () => number

  constructor(port: number, random: RandomNumbers, milliseconds = () => 0) {
    this.disk = new Disk(random)
    this.#port = port
    this.#milliseconds = milliseconds
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<this> {
    const directory = slowed(this.disk, this.#milliseconds)
    const engine = await openEngineIn(directory, { clock: nodeClock, logger: silentLogger, keys: 'latin1', segmentBytes: 400_000 })
    this.#server = await startOwnEtcd({ engine, ports: [{ host: '127.0.0.1', port: this.#port, serves: 'clients' }] })
    return this
  }

  stop = async () => void (await this.#server?.stop())

  async cutPower(): Promise<void> {
    this.disk.operationsLeft = 0
    await this.stop().catch(() => {})
    this.disk = this.disk.afterPowerCut()
    await this.start()
  }
}

describe('histories', () => {
  test('power is cut', { timeout: 3_600_000 }, async () => {
    const random = randomNumbers(1)
    const server = await new OnDisk(await freePort(), random).start()
    await judge({ url: server.url, stop: server.stop, fault: () => server.cutPower() }, random)
  })

  test('the disk is full, and has room again', { timeout: 3_600_000 }, async () => {
    const random = randomNumbers(2)
    const server = await new OnDisk(await freePort(), random).start()
    const fault = async () => {
      server.disk.capacity = 0
      const client = connect(server.url)
      const refusal = /no-space|database space exceeded/
      await eventually('a refusal', () =>
        client.kv.put({ key: Buffer.from('other'), value: Buffer.alloc(300_000) }).then(
          () => false,
          (error: Error) => refusal.test(error.message),
        ),
      )
      client.close()
      server.disk.capacity = Number.POSITIVE_INFINITY
    }
    await judge({ url: server.url, stop: server.stop, fault }, random)
  })

  test('syncs take up to 30 ms, and some fail', { timeout: 3_600_000 }, async () => {
    const random = randomNumbers(3)
    const server = await new OnDisk(await freePort(), random, () => random.integer(30)).start()
    const fault = async () => {
      server.disk.failingSyncs = 2
    }
    await judge({ url: server.url, stop: server.stop, fault }, random)
  })

  for (const [title, command] of [
    ['the program is killed', ownEtcd],
    // etcd 3.4.23 has told progress 303 before the event of revision 301.
    ['etcd itself is killed, which keeps the same promises but for progress', undefined],
  ] as const)
    test(title, { timeout: 3_600_000 }, async () => {
      const etcd = await startEtcd({ ...(command && { command }) })
      const [member] = etcd.members
      const fault = async () => {
        await member?.signal('SIGKILL')
        await member?.start()
      }
      await judge({ url: etcd.servers[0] ?? '', hasSafeProgress: command !== undefined, stop: etcd.stop, fault }, randomNumbers(4))
    })
})
