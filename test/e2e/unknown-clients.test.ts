/**
 * Clients without credentials that send as much as they may and leave it there, in every state before their users are known: the memory that they
 * take has a bound, however many they are, others are served meanwhile, and nothing is left when they have gone.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { preface } from '../../runtimes/wire/frames.ts'
import { limits } from '../../runtimes/wire/server/limits.ts'
import { frame, headerBlock, number, setting, settings, types } from '../runtimes/wire/server/raw-client.ts'
import { startDaemon } from '../support/daemon.ts'
import { residentMiB } from '../support/memory.ts'
import { soak } from '../support/soak.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { crowd, eventually, sleep } from '../support/wait.ts'

/** Connections of an attack: without bounds 60 of them took up to 1.8 GB. */
const connections = soak ? 300 : 60
/** Streams of a connection that are open at once. */
const streams = 100
/**
 * Maximum resident MiB of a server during one attack: some 100 at the start, 64 of what is received, which takes a multiple of that as buffers and
 * texts until it is collected, and sockets. Without bounds it was 1,800. The same attack again and again stays below it, too.
 */
const maxMemory = 512

const KiB = 1024
const frameSize = 16 * KiB
const path = '/api/v1/namespaces/default/configmaps'
const token = ['authorization', 'Bearer unknown'] as const

/** What a connection sends, as fast as it is taken. */
type Attack = () => Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
/** Permitted to everybody, with an answer of some 2 KiB. */
const checks = '/readyz?verbose'

// ── HTTP/2 ────────────────────────────────────────────────────────────────────────────────────────

type Field = readonly [name: string, value: string]

const greeting = Buffer.concat([preface, settings])
const closedWindows = Buffer.concat([preface, frame(types.settings, 0, 0, setting(4, 0))])
const block = (method: string, ...fields: readonly Field[]) =>
  headerBlock(method, path, ...fields.map(([name, value]): [string, string] => [name, value]))

/** DATA, the last frame with these flags. */
const data = (stream: number, length: number, flags = 0) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / frameSize) }, (_, i) => {
      const isLast = (i + 1) * frameSize >= length
      return frame(types.data, isLast ? flags : 0, stream, Buffer.alloc(isLast ? length - i * frameSize : frameSize, 0x20))
    }),
  )

/** HEADERS with these flags, and as many CONTINUATION frames as the list needs; with `ends` it is complete. */
function head(stream: number, list: Buffer, flags: number, ends = true): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < list.length; at += frameSize) parts.push(list.subarray(at, at + frameSize))
  const frames = parts.map((part, i) => {
    const end = ends && i === parts.length - 1 ? 4 : 0
    return i === 0 ? frame(types.headers, flags | end, stream, part) : frame(types.continuation, end, stream, part)
  })
  return Buffer.concat(frames)
}

/** Some 0.9 MiB. */
const longFields = Array.from({ length: 58 }, (_, i): Field => [`x-${i}`, `${i}`.padEnd(16_000, '~')])

/** The same on each stream. */
const onStreams = (bytes: (stream: number) => Buffer, first = greeting): Attack =>
  function* () {
    yield first
    for (let i = 0; i < streams; i++) yield bytes(1 + 2 * i)
  }

const partial = 255 * KiB
const length = ['content-length', String(256 * KiB)] as const
const upload =
  (...fields: readonly Field[]) =>
  (id: number) =>
    Buffer.concat([head(id, block('POST', ...fields), 0), data(id, partial)])

const http2: { readonly [state: string]: Attack } = {
  'nothing but the preface': () => [greeting],
  'an incomplete header list': () => [greeting, head(1, block('GET', ...longFields), 1, false)],
  'a long head, answered': () => [greeting, head(1, block('GET', ...longFields), 1)],
  'heads alone': onStreams((id) => head(id, block('POST', length), 0)),
  'heads with a token': onStreams((id) => head(id, block('GET', token), 1)),
  'long heads': onStreams((id) => head(id, block('POST', length, ...longFields), 0)),
  'long heads with a token': onStreams((id) => head(id, block('GET', token, ...longFields), 1)),
  'bodies to the last KiB': onStreams(upload(length)),
  'bodies to the last KiB, with a token': onStreams(upload(token, length)),
  'bodies of unknown length': onStreams(upload()),
  'bodies of unknown length, with a token': onStreams(upload(token)),
  'small bodies to the last byte': onStreams((id) =>
    Buffer.concat([head(id, block('POST', ['content-length', '5000']), 0), data(id, 4_999)]),
  ),
  'whole bodies, with a token': onStreams((id) => Buffer.concat([head(id, block('POST', token, length), 0), data(id, 256 * KiB, 1)])),
  'bodies that wait for a 100': onStreams(upload(token, length, ['expect', '100-continue'])),
  'tunnels, with a token': onStreams((id) =>
    Buffer.concat([
      head(id, headerBlock('CONNECT', '/api/v1/namespaces/default/pods/x/exec', [':protocol', 'websocket'], [...token]), 0),
      data(id, partial),
    ]),
  ),
  'bodies of streams that are reset': onStreams((id) => Buffer.concat([upload(length)(id), frame(types.resetStream, 0, id, number(8))])),
  'bodies and a closed window': onStreams(upload(token, length), closedWindows),
}

/** Requests without a body, so many at a time that none is refused; the ping that follows GOAWAY is not acknowledged, so that more may follow. */
const requests = (list: () => Buffer, first = greeting): Attack =>
  async function* () {
    yield first
    for (let i = 0; i < 60; i++) {
      yield Buffer.concat(Array.from({ length: streams / 2 }, (_, j) => head(i * streams + 2 * j + 1, list(), 5)))
      await sleep(20)
    }
  }

/** Nothing is read. */
const unreadHttp2: { readonly [state: string]: Attack } = {
  refusals: requests(() => block('GET')),
  'answers of a health check': requests(() => headerBlock('GET', checks)),
  'answers behind a closed window': requests(() => headerBlock('GET', checks), closedWindows),
  'refused tokens in long heads': requests(() => block('GET', ['authorization', `Bearer ${'~'.repeat(8_000)}`])),
  acknowledgements: () => [greeting, ...Array<Buffer>(90).fill(Buffer.concat(Array(100).fill(frame(types.ping, 0, 0, Buffer.alloc(8)))))],
}

// ── HTTP/1.1 ──────────────────────────────────────────────────────────────────────────────────────

const lines = (method: string, ...fields: readonly string[]) => [`${method} ${path} HTTP/1.1`, 'Host: x', ...fields, ''].join('\r\n')
const bearer = `${token[0]}: ${token[1]}`
const long = Array.from({ length: 60 }, (_, i) => `X-${i}: ${'~'.repeat(16_000)}`)
const space = ' '.repeat(partial)

const http1: { readonly [state: string]: Attack } = {
  'nothing at all': () => [],
  'an incomplete header list': () => [lines('GET', ...long)],
  'a long head, with a token': () => [`${lines('GET', bearer, ...long)}\r\n`],
  'a body to the last KiB': () => [`${lines('POST', `Content-Length: ${256 * KiB}`)}\r\n`, space],
  'a body to the last KiB, with a token': () => [`${lines('POST', bearer, `Content-Length: ${256 * KiB}`)}\r\n`, space],
  'a large body, with a token': () => [`${lines('POST', bearer, 'Content-Length: 3000000')}\r\n`, ...Array(12).fill(space)],
  'a chunked body, with a token': () => [
    `${lines('POST', bearer, 'Transfer-Encoding: chunked')}\r\n`,
    ...Array(12).fill(`${partial.toString(16)}\r\n${space}\r\n`),
  ],
  'a body in chunks of one byte, with a token': () => [
    `${lines('POST', bearer, 'Transfer-Encoding: chunked')}\r\n`,
    ...Array(10).fill('1\r\nx\r\n'.repeat(10_000)),
  ],
  'requests one behind the other, with a token': () => Array(20).fill(`${lines('GET', bearer)}\r\n`.repeat(500)),
  'requests behind a body, with a token': () => [
    `${lines('POST', bearer, 'Content-Length: 1')}\r\nx`,
    ...Array(20).fill(`${lines('POST', bearer, 'Content-Length: 100')}\r\n${' '.repeat(100)}`.repeat(500)),
  ],
  'an upgrade with a token, and more': () => [
    `${lines('GET', bearer, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==')}\r\n`,
    ...Array(12).fill(space),
  ],
}

/** Nothing is read. */
const unreadHttp1: { readonly [state: string]: Attack } = {
  'answers of a health check, one behind the other': () => Array(60).fill(`GET ${checks} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(500)),
  'refusals, one behind the other': () => Array(60).fill(`${lines('GET')}\r\n`.repeat(500)),
}

// ── TLS ───────────────────────────────────────────────────────────────────────────────────────────

const record = (type: number, content: Buffer) => Buffer.concat([Buffer.of(type, 3, 1, content.length >> 8, content.length & 255), content])
const tls: { readonly [state: string]: Attack } = {
  'no handshake': () => [],
  'half a ClientHello': () => [record(22, Buffer.concat([Buffer.of(1, 0, 255, 255), Buffer.alloc(16_000)]))],
}

/** Writes as fast as the socket takes it, and keeps the connection. */
async function send(socket: Socket, attack: Attack, reads: boolean): Promise<void> {
  socket.on('error', () => {})
  if (reads) socket.on('data', () => {})
  let wake = () => {}
  for (const event of ['drain', 'close']) socket.on(event, () => wake())
  for await (const bytes of attack()) {
    if (socket.destroyed) return
    if (socket.write(bytes)) continue
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

const protocols = [
  ['TLS', tls, undefined, true],
  ['HTTP/1.1', http1, 'http/1.1', true],
  ['HTTP/1.1, unread', unreadHttp1, 'http/1.1', false],
  ['HTTP/2', http2, 'h2', true],
  ['HTTP/2, unread', unreadHttp2, 'h2', false],
] as const

/** Attacks at once, each on a server of its own. Most of the time they wait for the server to take more. */
const atOnce = 3

describe('clients of unknown users', { concurrency: atOnce }, () => {
  const directory = temporaryDirectory()
  /** A token webhook that accepts connections, and never answers. */
  const silent = createServer((socket) => socket.on('error', () => {}))
  const file = join(directory.path, 'webhook.yaml')
  before(async () => {
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const named = { cluster: 'hook', user: 'apiserver' }
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'hook',
        contexts: [{ name: 'hook', context: named }],
        clusters: [{ name: 'hook', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'apiserver', user: {} }],
      }),
    )
  })
  after(() => {
    silent.close()
    directory.remove()
  })

  /** A server for each attack: resident memory does not fall soon. */
  const start = () =>
    startDaemon({
      flags: ['--data-dir=:memory:', `--authentication-token-webhook-config-file=${file}`, '--authentication-token-webhook-version=v1'],
    })
  const open = (port: number, protocol: string | undefined): Socket =>
    protocol === undefined
      ? connectTcp(port, '127.0.0.1')
      : connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: [protocol] })

  test('thousands of connections that say nothing: the oldest are closed, others are served', async (t) => {
    const daemon = await start()
    t.after(() => daemon.stop())
    const sockets: Socket[] = []
    let closed = 0
    for (let batch = 0; batch < 51; batch++)
      await Promise.all(
        Array.from(
          { length: limits.unknownConnections / 50 },
          () =>
            new Promise<void>((resolve) => {
              const socket = open(daemon.port, undefined)
              sockets.push(socket.on('error', () => {}).once('connect', resolve))
              socket.once('close', () => closed++).resume()
            }),
        ),
      )
    await eventually('the oldest are closed', async () => closed >= limits.unknownConnections / 8)
    assert.ok(sockets.at(-1)?.destroyed === false)
    assert.equal((await daemon.fetch('/api/v1/namespaces/default')).status, 200)
    t.diagnostic(`${sockets.length} connections, ${closed} closed: ${Math.round(residentMiB(daemon.pid))} MiB`)
    for (const socket of sockets) socket.destroy()
  })

  for (const [name, states, protocol, reads] of protocols)
    for (const [state, attack] of Object.entries(states))
      test(`${name}: ${state}`, async (t) => {
        const daemon = await start()
        t.after(() => daemon.stop())
        const beforehand = residentMiB(daemon.pid)
        let most = beforehand
        const sampling = setInterval(() => {
          most = Math.max(most, residentMiB(daemon.pid))
        }, 20)
        const sockets = Array.from({ length: connections }, () => open(daemon.port, protocol))
        const sending = sockets.map((socket) => send(socket, attack, reads))
        await Promise.race([Promise.all(sending), sleep(3_000 * crowd())])
        await eventually('another client', async () => (await daemon.fetch('/api/v1/namespaces/default')).status === 200)
        await sleep(200)
        clearInterval(sampling)
        const left = sockets.filter(({ destroyed }) => !destroyed).length
        for (const socket of sockets) socket.destroy()
        t.diagnostic(`${connections} connections, ${left} kept: ${Math.round(beforehand)} to ${Math.round(most)} MiB`)
        assert.ok(most < maxMemory, `took ${Math.round(most)} MiB`)
      })
})
