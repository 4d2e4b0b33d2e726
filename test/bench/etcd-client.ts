/** The limits of writes on etcd, each in a process of its own: etcd's client alone, and a bare TLS listener that hands each body to it. */
import { fork } from 'node:child_process'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { Etcd3 } from 'etcd3'

interface Puts {
  readonly server: string
  readonly writers: number
  readonly seconds: number
  readonly bytes: number
  /** Keys to write again and again; 0: a new one each time. */
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

/** Seconds before measuring, in which code is compiled: servers and their clients run for weeks. */
export const warmupSeconds = 1.5

/** Puts a second, so many at a time. */
export const clientPuts = (puts: Puts): Promise<number> => start('--puts', puts).first

/** A listener that puts each body under a new key, and answers with the body once it is stored. */
export async function startPuttingListener(options: ListenerOptions): Promise<{ readonly url: string; stop(): void }> {
  const { child, first } = start('--listener', options)
  return { url: `https://127.0.0.1:${await first}`, stop: () => child.kill() }
}

async function put({ server, writers, seconds, bytes, keys }: Puts): Promise<number> {
  const client = new Etcd3({ hosts: server })
  const value = Buffer.alloc(bytes, 'x')
  const run = async (milliseconds: number) => {
    const end = performance.now() + milliseconds
    let count = 0
    const write = async () => {
      while (performance.now() < end) {
        const n = count++
        await client.put(`/bench/${process.pid}/${keys > 0 ? n % keys : n}`).value(value)
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
    return count
  }
  await run(warmupSeconds * 1000)
  const began = performance.now()
  const count = await run(seconds * 1000)
  client.close()
  return (count * 1000) / (performance.now() - began)
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

if (process.argv.includes('--puts'))
  process.once('message', async (puts: Puts) => {
    const rate = await put(puts)
    process.send?.(rate, () => process.exit(0))
  })
if (process.argv.includes('--listener')) process.once('message', async (options: ListenerOptions) => process.send?.(await listen(options)))
