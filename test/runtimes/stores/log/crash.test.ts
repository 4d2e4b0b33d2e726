import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { StoreError } from '../../../../core/ports.ts'
import { randomNumbers } from '../../../support/random.ts'
import { nodeArguments } from '../../../support/root.ts'
import { progress, trials } from '../../../support/soak.ts'
import { openAt, temporaryDirectory, warnings } from '../helpers.ts'
import { sealOf } from './crash-values.ts'

interface Acknowledged {
  readonly revision: number
  readonly key: string
  /** Absent: deleted. */
  readonly seal?: string
}

const rounds = trials(5, 300)

describe('durable store: a killed writer', { concurrency: 2 }, () => {
  for (const lane of ['first', 'second']) {
    test(`keeps every acknowledged write and tears none (${lane} directory, ${rounds} times)`, async () => {
      const { directory, remove } = await temporaryDirectory()
      const latest = new Map<string, Acknowledged>()
      const random = randomNumbers(lane.length)
      const say = progress(`kills, ${lane} directory`, rounds)
      for (let round = 0; round < rounds; round++) {
        const acknowledged = await writeUntilKilled(directory, 50 + random.integer(1_500))
        await check(directory, acknowledged, latest)
        say(round + 1, () => `${latest.size} keys`)
      }
      await remove()
    })
  }
})

test('durable store: a full disk fails writes, and nothing else', { skip: process.platform === 'win32' }, async () => {
  const { directory, remove } = await temporaryDirectory()
  const cache = await temporaryDirectory()
  // A file size limit, in blocks of 512 bytes, stands for the disk. The compile cache of Deno must be elsewhere, and the
  // signal of this limit, which a full disk does not send, is ignored.
  const child = start(directory, 'fill', [
    'env',
    `DENO_DIR=${cache.directory}`,
    'sh',
    '-c',
    'trap \'\' XFSZ; ulimit -f 16000; exec "$@"',
    'sh',
  ])
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  const [, written, reason] = /^ready\n(\d+) (.*)\n$/.exec(Buffer.concat(chunks).toString()) ?? []
  assert.match(reason ?? '', /^no-space write .*\.log: /)
  const store = await openAt(directory)
  const { items } = await store.list({ prefix: '/fill/' })
  for (const { value } of items) sealOf(value)
  assert(items.length >= Number(written) && items.length > 50)
  await store.close()
  await remove()
  await cache.remove()
})

describe('durable store: ownership', () => {
  test('a second process is refused, and succeeds once the first is killed', async () => {
    const { directory, remove } = await temporaryDirectory()
    const child = start(directory, 'hold')
    await ready(child)
    await assert.rejects(openAt(directory), inUseBy(child.pid))
    child.kill('SIGKILL')
    // Does not wait for its exit: the owner may still be exiting.
    const store = await openAt(directory)
    await assert.rejects(openAt(directory), inUseBy(process.pid))
    assert((await store.put('k', new Uint8Array(1), 0)).ok)
    await store.close()
    const again = await openAt(directory)
    assert.equal(await again.count(''), 1)
    await again.close()
    await remove()
  })
})

function start(directory: string, mode: string, wrapper: readonly string[] = []): ChildProcess {
  const program = nodeArguments(new URL('crash-child.ts', import.meta.url))
  const [command = '', ...args] = [...wrapper, process.execPath, ...program, directory, mode]
  return spawn(command, args, { stdio: ['ignore', 'pipe', wrapper.length > 0 ? 'ignore' : 'inherit'] })
}

async function ready(child: ChildProcess): Promise<void> {
  assert(child.stdout)
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  assert.match(chunk.toString(), /^ready/)
  child.stdout.unshift(chunk)
}

/** Kills a writer after this many acknowledged writes, in the middle of others. */
async function writeUntilKilled(directory: string, writes: number): Promise<Acknowledged[]> {
  const child = start(directory, 'write')
  await ready(child)
  const chunks: Buffer[] = []
  let seen = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    seen += chunk.toString().split('\n').length - 1
    if (seen >= writes) child.kill('SIGKILL')
  })
  const closed = once(child, 'close')
  const [, signal] = await closed
  assert.equal(signal, 'SIGKILL')
  // The kill may have cut the last line short.
  const lines = Buffer.concat(chunks).toString().split('\n').slice(1, -1)
  return lines.map((line) => {
    const [revision = '', key = '', seal = ''] = line.split(' ')
    return { revision: Number(revision), key, ...(seal !== '-' && { seal }) }
  })
}

async function check(directory: string, acknowledged: readonly Acknowledged[], latest: Map<string, Acknowledged>): Promise<void> {
  const logger = warnings()
  const store = await openAt(directory, undefined, logger)
  // The kernel may have left a partial write.
  for (const { message } of logger.warned) assert.match(message, /^dropped the torn end of the log: a write that was never acknowledged$/)
  for (const write of acknowledged) {
    if (write.revision > (latest.get(write.key)?.revision ?? 0)) latest.set(write.key, write)
    // Past revisions that are not compacted must equal the acknowledged writes.
    const then = await store.get(write.key, write.revision).catch((error: unknown) => {
      assert(error instanceof StoreError && error.code === 'compacted', String(error))
    })
    if (then) assert.equal(then.kv && sealOf(then.kv.value), write.seal)
  }
  const { items, revision } = await store.list({ prefix: '/crash/' })
  const present = new Map(items.map((kv) => [kv.key, kv]))
  for (const kv of items) sealOf(kv.value)
  // Each key has one writer, so at most one unacknowledged write can follow the last acknowledged one.
  for (const write of latest.values()) {
    assert(revision >= write.revision, `revision ${write.revision} was acknowledged, the store is at ${revision}`)
    const kv = present.get(write.key)
    const changedLater = kv ? kv.modRevision > write.revision : (await changesAfter(store, write)) > 0
    if (changedLater) continue
    assert.equal(kv && sealOf(kv.value), write.seal, `${write.key} at ${write.revision}`)
  }
  await store.close()
}

/** Number of changes of the key after a write, according to the history. */
async function changesAfter(store: Awaited<ReturnType<typeof openAt>>, write: Acknowledged): Promise<number> {
  const current = await store.currentRevision()
  let seen = 0
  await new Promise<void>((resolve) => {
    const watch = store.watch(write.key, write.revision, {
      events: (events) => {
        seen += events.length
      },
      progress: (revision) => revision >= current && resolve(),
      // Compacted: older writes can no longer be checked here, and were checked in an earlier round.
      end: (error) => {
        seen += error ? 1 : 0
        resolve()
      },
    })
    watch.requestProgress()
  })
  return seen
}

function inUseBy(pid: number | undefined): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && error.code === 'unavailable' && error.message.endsWith(`in use by process ${pid}`)
}
