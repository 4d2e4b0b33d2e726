/** Egress proxies, key-management plugins and konnectivity servers that break their protocols: each call ends, and holds up nobody. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { connectProxy } from '../../../../runtimes/node/egress/dial.ts'
import { tunnelThrough } from '../../../../runtimes/node/egress/http-connect.ts'
import { connectKonnectivity } from '../../../../runtimes/node/egress/konnectivity.ts'
import { encodePacket, type Packet } from '../../../../runtimes/node/egress/packets.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { framed } from '../../../../runtimes/wire/client/messages.ts'
import { longestPause } from '../../../support/pauses.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { within } from '../../../support/wait.ts'

const { path: home, remove } = temporaryDirectory()
after(remove)
let sockets = 0

/** Milliseconds of a call at most. */
const timeout = 300
/** Bytes of memory that an answer may take. */
const maxMemory = 128 * 1024 * 1024

async function listening(server: Server) {
  const path = join(home, `${sockets++}.sock`)
  server.listen(path)
  await once(server, 'listening')
  return path
}

/** Writes the text again and again, for as long as the other side reads. */
function endless(stream: Duplex, text: string | Buffer, start: string | Buffer = ''): void {
  stream.on('error', () => undefined)
  stream.write(start)
  const block = Buffer.concat(Array(Math.ceil(65_536 / text.length)).fill(Buffer.from(text)))
  const more = () => {
    if (stream.destroyed) return
    if (stream.write(block)) setImmediate(more)
    else stream.once('drain', more)
  }
  more()
}

/** Each trick ends in time, in an Error with a short text, without pauses and without much memory. */
async function survives(tricks: { readonly [name: string]: () => Promise<unknown> }): Promise<void> {
  const found: string[] = []
  for (const [name, attempt] of Object.entries(tricks)) {
    const before = process.memoryUsage().rss
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before)
    }, 20)
    const pause = await longestPause(async () => {
      const error = await within(name, attempt(), 10_000).then(
        () => undefined,
        (thrown: Error) => thrown,
      )
      if (error === undefined) found.push(`${name}: no error`)
      else if (error.message.length > 4_096) found.push(`${name}: an error of ${error.message.length} characters`)
    })
    clearInterval(watch)
    if (pause > 250) found.push(`${name} held the thread for ${Math.round(pause)} ms`)
    if (most > maxMemory) found.push(`${name} took ${Math.round(most / 1024 / 1024)} MiB`)
  }
  assert.deepEqual(found, [])
}

const connectAnswers: { readonly [name: string]: (socket: Socket) => void } = {
  silence: () => {},
  'an end': (socket) => socket.end(),
  'an endless head': (socket) => endless(socket, 'x'.repeat(100), 'HTTP/1.1 200 OK\r\nA: '),
  'endless fields': (socket) => endless(socket, 'A: b\r\n', 'HTTP/1.1 200 OK\r\n'),
  'an endless status line': (socket) => endless(socket, 'x', 'HTTP/1.1 200 '),
  'an endless refusal': (socket) => endless(socket, 'x', 'HTTP/1.1 403 '),
  'interim responses': (socket) => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'early hints': (socket) => endless(socket, 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'),
  'another protocol': (socket) => endless(socket, 'x', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  'bytes behind the head': (socket) => endless(socket, 'x', 'HTTP/1.1 200 OK\r\n\r\n'),
  'an endless body': (socket) => endless(socket, 'x', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 99999999999\r\n\r\n'),
  chunks: (socket) => endless(socket, '1\r\nx\r\n', 'HTTP/1.1 502 Bad\r\nTransfer-Encoding: chunked\r\n\r\n'),
  garbage: (socket) => endless(socket, Buffer.from([0, 255, 13, 10])),
  'empty lines': (socket) => endless(socket, '\r\n'),
  'HTTP/2': (socket) => endless(socket, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
}

test('HTTP proxies', async () => {
  await survives(
    Object.fromEntries(
      Object.entries(connectAnswers).map(([name, answer]) => [
        name,
        async () => {
          const server = createServer((socket) => answer(socket.on('error', () => undefined).resume()))
          const path = await listening(server)
          try {
            const socket = await connectProxy({ path }, undefined, timeout)
            const tunnel = await tunnelThrough(socket, 'proxy', 'target.test:443', {}, timeout)
            // What has come after the head is not the target's.
            tunnel.destroy()
            throw new Error('a tunnel')
          } finally {
            server.close()
          }
        },
      ]),
    ),
  )
})

test('an interim response of an HTTP proxy is its answer', async () => {
  const server = await rawServer((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'))
  const socket = await connectProxy({ path: server.path }, undefined)
  await assert.rejects(tunnelThrough(socket, 'proxy', 'target.test:443'), {
    message: 'proxy error from proxy while dialing target.test:443, code 100: 100 Continue',
  })
  server.close()
})

/** Bytes of HTTP/2 on the connection itself. */
const raw: { readonly [name: string]: (socket: Socket) => void } = {
  silence: () => {},
  'an end': (socket) => socket.end(),
  garbage: (socket) => endless(socket, 'garbage'),
  'empty settings': (socket) => endless(socket, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
  pings: (socket) =>
    endless(socket, Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
  'a giant frame': (socket) => endless(socket, Buffer.alloc(1024), Buffer.from([255, 255, 255, 4, 0, 0, 0, 0, 0])),
}

type Answer = (stream: ServerHttp2Stream) => void
const ok = { ':status': 200, 'content-type': 'application/grpc' }
const said =
  (write: (stream: ServerHttp2Stream) => void, headers: object = ok): Answer =>
  (stream) => {
    stream.on('error', () => undefined).resume()
    stream.respond(headers as typeof ok)
    write(stream)
  }

const giant = Buffer.from([0, 255, 255, 255, 255])
const compressed = (size: number) => {
  const bytes = gzipSync(Buffer.alloc(size))
  const head = Buffer.from([1, 0, 0, 0, 0])
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Made before: the test must not hold the thread itself. */
const bomb = compressed(100 * 1024 * 1024)

const grpcAnswers: { readonly [name: string]: Answer } = {
  'no head': (stream) => void stream.on('error', () => undefined).resume(),
  'an endless message': said((stream) => endless(stream, Buffer.alloc(16_384), giant)),
  'endless messages': said((stream) => endless(stream, framed(Buffer.alloc(10)))),
  'empty messages': said((stream) => endless(stream, framed(Buffer.alloc(0)))),
  'messages of 3 MiB': said((stream) => endless(stream, framed(Buffer.alloc(3 * 1024 * 1024)))),
  'a compressed message': said((stream) => stream.end(bomb), { ...ok, 'grpc-encoding': 'gzip' }),
  'compressed messages': said((stream) => endless(stream, compressed(3 * 1024 * 1024)), { ...ok, 'grpc-encoding': 'gzip' }),
  'another type': said((stream) => endless(stream, '<html>'), { ':status': 200, 'content-type': 'text/html' }),
  'another status': said((stream) => endless(stream, 'x'), { ':status': 503 }),
  'a long text': said((stream) => stream.end(), { ...ok, 'grpc-status': '2', 'grpc-message': 'x'.repeat(50_000) }),
  'an unknown status': said((stream) => stream.end(), { ...ok, 'grpc-status': '99' }),
  'a head without message': said((stream) => stream.end()),
}

async function http2(answer: Answer): Promise<{ path: string; close(): void }> {
  const server = createHttp2()
  const open = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    session.on('error', () => undefined)
    open.add(session)
  })
  server.on('stream', answer)
  const path = await listening(server as unknown as Server)
  return {
    path,
    close() {
      for (const session of open) session.destroy()
      server.close()
    },
  }
}

async function rawServer(answer: (socket: Socket) => void): Promise<{ path: string; close(): void }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    answer(socket.on('error', () => undefined).resume())
  })
  const path = await listening(server)
  return {
    path,
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

const against = (
  servers: { readonly [name: string]: () => Promise<{ path: string; close(): void }> },
  ask: (path: string) => Promise<unknown>,
) =>
  Object.fromEntries(
    Object.entries(servers).map(([name, start]) => [
      name,
      async () => {
        const server = await start()
        try {
          return await ask(server.path)
        } finally {
          server.close()
        }
      },
    ]),
  )

const started = <T>(answers: { readonly [name: string]: T }, start: (answer: T) => Promise<{ path: string; close(): void }>) =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, () => start(answer)]))

test('plugins and signers', async () => {
  const servers = { ...started(raw, rawServer), ...started(grpcAnswers, http2) }
  await survives(
    against(servers, (unixSocket) => createOutbound().call({ unixSocket, method: '/a.B/C', message: new Uint8Array([1]), timeout })),
  )
})

const packet = (each: Packet) => framed(encodePacket(each))
const dialed = (bytes: Buffer): Answer => said((stream) => endless(stream, bytes))

const packets: { readonly [name: string]: Answer } = {
  'data of no connection': dialed(packet({ type: 'data', connectId: 7n, data: new Uint8Array(1) })),
  'large data of no connection': dialed(packet({ type: 'data', connectId: 7n, data: new Uint8Array(1024 * 1024) })),
  'answers to other dials': dialed(packet({ type: 'dialResponse', random: 1n, connectId: 7n })),
  'closes of no connection': dialed(packet({ type: 'closeResponse', connectId: 7n })),
  drains: dialed(packet({ type: 'drain' })),
  'dial requests': dialed(packet({ type: 'dialRequest', protocol: 'tcp', address: 'x', random: 1n })),
  'long reasons': dialed(packet({ type: 'dialResponse', random: 1n, error: 'x'.repeat(3 * 1024 * 1024) })),
  'closed dials': dialed(packet({ type: 'closeDial', random: 1n })),
  'no packets': dialed(framed(Buffer.alloc(100, 0xff))),
}

test('konnectivity servers', async () => {
  const servers = { ...started(raw, rawServer), ...started({ ...grpcAnswers, ...packets }, http2) }
  await survives(
    against(servers, async (path) => {
      const dial = await connectKonnectivity({ path }, timeout)
      const tunnel = await dial('target.test:443')
      tunnel.destroy()
    }),
  )
})
