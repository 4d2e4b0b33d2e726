/** Clients of etcd's API in a separate process: raw HTTP/2 with messages encoded beforehand, cheap compared with the measured server. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { framed } from '../../../runtimes/wire/client/messages.ts'
import { encodeHttp2, Http2Responses, preface } from '../load-http2.ts'
import { eventsIn, type Operation, requestsOf, watchRequest } from './messages.ts'

/** Connections, and calls at once on each: 32 clients, which share connections as those of a control plane do. */
const [connections, callsAtOnce] = [8, 4]
/** Watches that follow the same keys, in all. */
export const watches = 256
/** Puts at once while watches are measured. */
const writers = 4

export interface Load {
  /** Such as `http://127.0.0.1:2379`. */
  readonly url: string
  readonly operation: Operation | 'watch'
  /** Calls, or, of watches, puts. */
  readonly count: number
}

/** Milliseconds that the calls, or the deliveries, took. Rejects when one fails. */
export function run(load: Load): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), ['--etcd-load'], { execArgv: ['--import', 'tsx'] })
  return new Promise((resolve, reject) => {
    child.once('message', (answer: number | string) => (typeof answer === 'number' ? resolve(answer) : reject(new Error(answer))))
    child.once('exit', (code) => reject(new Error(`the load ended with ${code}`)))
    child.send(load)
  })
}

interface Client {
  /** Starts a call. `data`: receives the bytes of its response. */
  call(message: Uint8Array, path: string, done: () => void, data?: (bytes: Buffer) => void, lasts?: boolean): void
  readonly socket: Socket
}

const headers = { 'content-type': 'application/grpc', te: 'trailers' }
const frameHeader = 9

async function open(url: URL): Promise<Client> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  const calls = new Map<number, { done: () => void; data: (bytes: Buffer) => void }>()
  const responses = new Http2Responses(
    (bytes) => socket.write(bytes),
    (stream) => {
      const call = calls.get(stream)
      calls.delete(stream)
      call?.done()
    },
    (stream, bytes) => calls.get(stream)?.data(bytes),
  )
  socket.on('data', (bytes) => {
    socket.cork()
    responses.feed(bytes)
    socket.uncork()
  })
  socket.write(preface)
  const heads = new Map<string, Buffer>()
  let stream = -1
  return {
    socket,
    call(message, path, done, data, lasts = false) {
      stream += 2
      let head = heads.get(path)
      if (head === undefined) {
        const whole = encodeHttp2('POST', new URL(path, url), headers, 1, '')
        head = whole.subarray(0, -frameHeader)
        heads.set(path, head)
      }
      const bytes = Buffer.allocUnsafe(head.length + frameHeader + message.length)
      bytes.set(head)
      bytes.writeUInt32BE(stream, 5)
      bytes.writeUIntBE(message.length, head.length, 3)
      bytes[head.length + 3] = 0
      bytes[head.length + 4] = lasts ? 0 : 1
      bytes.writeUInt32BE(stream, head.length + 5)
      bytes.set(message, head.length + frameHeader)
      let received = 0
      calls.set(stream, {
        done() {
          if (received === 0) throw new Error(`${path} failed`)
          done()
        },
        data(part) {
          received += part.length
          data?.(part)
        },
      })
      socket.write(bytes)
    },
  }
}

/** Makes calls one after the other on each of so many places; resolves when `count` are done. */
function calls(clients: readonly Client[], atOnce: number, operation: Operation, count: number): Promise<void> {
  const { path, messages } = requestsOf(operation)
  const bytes = messages.map(framed)
  let [started, ended] = [0, 0]
  return new Promise((resolve) => {
    const next = (client: Client) => {
      if (started === count) return
      // Each place works off other keys.
      client.call(bytes[(started++ * 7919) % bytes.length]!, path, () => {
        if (++ended === count) resolve()
        else next(client)
      })
    }
    for (const client of clients) for (let place = 0; place < atOnce; place++) next(client)
  })
}

/** Opens watches, one on each stream; `delivered` is called for each event. */
async function watch(clients: readonly Client[], delivered: (events: number) => void): Promise<void> {
  const message = framed(watchRequest())
  await Promise.all(
    clients.flatMap((client) =>
      Array.from(
        { length: watches / clients.length },
        () =>
          new Promise<void>((resolve) => {
            const count = eventsIn(() => resolve(), delivered)
            client.call(message, '/etcdserverpb.Watch/Watch', () => {}, count, true)
          }),
      ),
    ),
  )
}

/** Share of the calls before the measurement, for compilation. */
const warmUp = 0.2

async function measure({ url, operation, count }: Load): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(new URL(url))))
  if (operation !== 'watch') {
    await calls(clients, callsAtOnce, operation, Math.ceil(count * warmUp))
    const began = performance.now()
    await calls(clients, callsAtOnce, operation, count)
    return performance.now() - began
  }
  const writer = await open(new URL(url))
  let missing = 0
  let finished = () => {}
  await watch(clients, (events) => {
    missing -= events
    if (missing === 0) finished()
  })
  const round = async (puts: number) => {
    missing = puts * watches
    const all = new Promise<void>((resolve) => {
      finished = resolve
    })
    await calls([writer], writers, 'put', puts)
    await all
  }
  await round(Math.ceil(count * warmUp))
  const began = performance.now()
  await round(count)
  return performance.now() - began
}

if (process.argv.includes('--etcd-load'))
  process.once('message', (load: Load) => {
    const answer = (message: number | string) => void process.send?.(message, () => process.exit(0))
    process.once('uncaughtException', (error) => answer(error.message))
    measure(load).then(answer, (error: Error) => answer(error.message))
  })
