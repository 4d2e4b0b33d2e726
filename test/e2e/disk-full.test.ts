/** A daemon with a full disk reports it, continues to serve reads, loses nothing, and writes again when there is room. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiOf, assertFailure, configMap, type TestObject } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const filler = 'x'.repeat(20_000)

const run = (command: string, ...argv: readonly string[]) => spawnSync(command, argv).status === 0

/** Messages to clients, by status. */
const told = {
  503: [503, 'the store is unavailable'],
  507: [507, 'Internal error occurred: the store has no space left'],
}

/** A way to limit the space of a data directory and to extend it. `prepare` returns false where the host does not allow it. */
interface Shortage {
  readonly title: string
  /** True if the file system itself reports that it is full. */
  readonly fileSystem: boolean
  prepare(data: string): boolean
  begin(daemon: Daemon, data: string): void
  end(daemon: Daemon, data: string): void
  cleanUp(data: string): void
}

const limit = (daemon: Daemon, bytes: string) => assert(run('prlimit', `--pid=${daemon.pid}`, `--fsize=${bytes}:unlimited`), 'prlimit')

const shortages: readonly Shortage[] = [
  {
    title: 'a full file system',
    fileSystem: true,
    prepare: (data) => process.platform === 'linux' && run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', data),
    begin() {},
    end: (_daemon, data) => assert(run('mount', '-o', 'remount,size=64m', data), 'remount'),
    cleanUp: (data) => void run('umount', data),
  },
  {
    title: 'a file size limit',
    fileSystem: false,
    prepare: () => run('prlimit', '--version'),
    begin: (daemon) => limit(daemon, '3000000'),
    end: (daemon) => limit(daemon, 'unlimited'),
    cleanUp() {},
  },
]

for (const { title, fileSystem, prepare, begin, end, cleanUp } of shortages)
  test(title, { timeout: 3_600_000 }, async (t) => {
    const { path, remove } = temporaryDirectory()
    const data = join(path, 'data')
    mkdirSync(data)
    if (!prepare(data)) {
      remove()
      return t.skip('this host does not allow the test to set the limit')
    }
    let daemon = await startDaemon({ directory: path })
    t.after(async () => {
      await daemon.stop('SIGKILL').catch(() => undefined)
      cleanUp(data)
      remove()
    })
    begin(daemon, data)
    let api = apiOf(daemon.fetch)
    const acknowledged = new Map<string, string>()
    const create = async (name: string) => {
      const answer = await api.send<TestObject>('POST', collection, configMap(name, { filler }))
      if (answer.status === 201) acknowledged.set(name, answer.body.metadata.resourceVersion)
      return answer
    }
    const { metadata } = await api.list(collection)
    const watch = await watchAt(api.fetch, collection, { resourceVersion: metadata.resourceVersion })

    let refused = await create('c0')
    for (let i = 1; refused.status === 201; i++) refused = await create(`c${i}`)
    // A partial write has a less specific error than one that fails at once.
    const { code, message } = refused.body as unknown as { code: number; message: string }
    assert.deepEqual([code, message.replace(/: write .*/, '')], told[refused.status as keyof typeof told] ?? 'refused for lack of space')
    if (fileSystem) {
      const again = await create('again')
      assertFailure(again, 507, 'InternalError', /^Internal error occurred: the store has no space left: write .*\.log: /)
    }
    const inParallel = await Promise.all(Array.from({ length: 20 }, (_, i) => create(`p${i}`)))
    for (const answer of inParallel) assert(answer.status === 201 || [503, 507].includes(answer.status), `${answer.status}`)

    const check = async () => {
      const { items } = await api.list(collection)
      const there = items.filter(({ metadata }) => /^[cpz]\d/.test(metadata.name))
      assert.deepEqual(new Map(there.map(({ metadata }) => [metadata.name, metadata.resourceVersion])), sorted(acknowledged))
    }
    await check()
    assert.equal((await api.get(`${collection}/c0`)).status, 200)
    const { name } = await api.get<TestObject>(`${collection}/c1`).then(({ body }) => body.metadata)
    assert.equal(name, 'c1')
    const [last = ''] = [...acknowledged.keys()].slice(-1)
    await watch.until(({ object }) => 'name' in object.metadata && object.metadata.name === last)

    end(daemon, data)
    await eventually('a write', async () => (await create(`z${acknowledged.size}`)).status === 201)
    await check()
    await watch.close()
    await daemon.stop('SIGKILL')
    daemon = await startDaemon({ directory: path })
    api = apiOf(daemon.fetch)
    await check()
    assert.equal((await create('z999')).status, 201)
  })

function sorted(names: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...names].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
