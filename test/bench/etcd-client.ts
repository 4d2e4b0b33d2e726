/**
 * Limits of writes on etcd, each in a separate process: etcd's client alone, the server's client with the transactions
 * of creates and updates, and a bare TLS listener that passes each body to etcd's client.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { Etcd3 } from 'etcd3'
import { nodeClock } from '../../runtimes/node/clock.ts'
import { openEtcdStore } from '../../runtimes/stores/etcd.ts'
import { silentLogger } from '../support/logger.ts'

interface Puts {
  readonly server: string
  readonly writers: number
  readonly seconds: number
  readonly bytes: number
  /** Number of keys that are rewritten; 0: a new key for each write. */
  readonly keys: number
}

interface ListenerOptions {
  readonly server: string
  readonly cert: string
  readonly key: string
}

const start = (mode: string, options: object) => {
  const child = fork(fileURLToPath(import.meta.url), [mode], { execArgv: ['--import', 'tsx'] })
  const first = new Promise<number>((resolve, reject) => {
    child.once('message', (answer: number) => resolve(answer))
    child.once('exit', (code) => reject(new Error(`${mode} exited with ${code}`)))
  })
  child.send(options)
  return { child, first }
}

/** Seconds before measuring, for compilation; production servers and clients run for weeks. */
export const warmupSeconds = 1.5

/** Puts per second with concurrent writers. */
export const clientPuts = (puts: Puts): Promise<number> => start('--puts', puts).first

/** Transactions per second of the server's client with concurrent writers: each puts a key if its revision is the known one. */
export const clientSwaps = (puts: Puts): Promise<number> => start('--swaps', puts).first

/** A listener that stores each body under a new key, and responds with the body once it is stored. */
export async function startPuttingListener(options: ListenerOptions): Promise<{ readonly url: string; stop(): void }> {
  const { child, first } = start('--listener', options)
  return { url: `https://127.0.0.1:${await first}`, stop: () => child.kill() }
}

/** Operations per second with concurrent writers, after the warm-up. `n` counts from one. */
async function rateOf(writers: number, seconds: number, write: (n: number) => Promise<unknown>): Promise<number> {
  let n = 0
  const run = async (milliseconds: number) => {
    const end = performance.now() + milliseconds
    const before = n
    const each = async () => {
      while (performance.now() < end) await write(++n)
    }
    await Promise.all(Array.from({ length: writers }, each))
    return n - before
  }
  await run(warmupSeconds * 1000)
  const began = performance.now()
  const count = await run(seconds * 1000)
  return (count * 1000) / (performance.now() - began)
}

const keyOf = (n: number, keys: number) => `/bench/${process.pid}/${keys > 0 ? n % keys : n}`

async function put({ server, writers, seconds, bytes, keys }: Puts): Promise<number> {
  const client = new Etcd3({ hosts: server })
  const value = Buffer.alloc(bytes, 'x')
  const rate = await rateOf(writers, seconds, async (n) => void (await client.put(keyOf(n, keys)).value(value)))
  client.close()
  return rate
}

async function swap({ server, writers, seconds, bytes, keys }: Puts): Promise<number> {
  const store = await openEtcdStore({ servers: [server], clock: nodeClock, logger: silentLogger })
  const value = Buffer.alloc(bytes, 'x')
  const revisions = new Map<string, number>()
  const rate = await rateOf(writers, seconds, async (n) => {
    const key = keyOf(n, keys)
    const answer = await store.put(key, value, revisions.get(key) ?? 0)
    if (!answer.ok) throw new Error(`${key} was written by another`)
    if (keys > 0) revisions.set(key, answer.revision)
  })
  await store.close()
  return rate
}

function listen({ server, cert, key }: ListenerOptions): Promise<number> {
  const client = new Etcd3({ hosts: server })
  let count = 0
  const listener = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks)
      await client.put(`/bench/${process.pid}/${count++}`).value(body)
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    })
  })
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
}

for (const [mode, run] of [
  ['--puts', put],
  ['--swaps', swap],
] as const)
  if (process.argv.includes(mode))
    process.once('message', async (puts: Puts) => {
      const rate = await run(puts)
      process.send?.(rate, () => process.exit(0))
    })
if (process.argv.includes('--listener')) process.once('message', async (options: ListenerOptions) => process.send?.(await listen(options)))
