/**
 * Backends, node agents and clients that send as much work in as few bytes as they can: what one of them costs the server is bounded in memory
 * and in time without a pause, other requests are answered meanwhile, and nothing is left of it.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { slowness } from '../support/cost.ts'
import { bundle } from '../support/daemon.ts'
import { cannotForward, credentialsOf, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { residentMiB } from '../support/memory.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

/** Connections of an attack. */
const parallel = 16
/** Milliseconds of an attack. */
const duration = 1_000
/** Most MiB that the server grows by in an attack: without bounds it was 37 for each connection. */
const mostMemory = 200
/** Most milliseconds of processor time without a pause, on an idle machine: without bounds it was 1,500 to 4,000 ms with 32 connections. */
const maxBlock = 400

/** Prints, at SIGUSR2, the most processor time between two turns of the event loop since it was last asked. */
const hook = `
let longest = 0
let before = process.cpuUsage()
setInterval(() => {
  const { user, system } = process.cpuUsage(before)
  longest = Math.max(longest, (user + system) / 1000)
  before = process.cpuUsage()
}, 5).unref()
process.on('SIGUSR2', () => {
  process.stderr.write('LONGEST ' + Math.round(longest) + '\\n')
  longest = 0
})`

type Attack = (socket: Socket) => void

const bytesOf = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text, 'latin1') : text)

/** Writes the head, and then the block again and again, as fast as it is taken. */
function flood(head: string | Buffer, block: string | Buffer): Attack {
  const bytes = bytesOf(block)
  return (socket) => {
    socket.write(bytesOf(head))
    const more = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    socket.on('drain', more)
    more()
  }
}

const repeated = (bytes: Buffer, times: number) => Buffer.concat(Array.from({ length: times }, () => bytes))

const chunks = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n'
const html = chunks.replace('plain', 'html')
const tags = '<a href=/x>'.repeat(5_957)

/** Answers without an end. */
const answers: { readonly [name: string]: Attack } = {
  'interim responses': flood('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000)),
  'chunks of one byte': flood(chunks, '1\r\nx\r\n'.repeat(10_000)),
  'chunk extensions': flood(chunks, `1;${'a'.repeat(500)}\r\nx\r\n`.repeat(200)),
  'a chunk extension': flood(`${chunks}1;`, 'a'.repeat(65_536)),
  'zeros before the size of a chunk': flood(chunks, '0'.repeat(65_536)),
  trailers: flood(`${chunks}1\r\nx\r\n0\r\n`, 'X-A: a\r\n'.repeat(5_000)),
  'a head': flood('HTTP/1.1 200 OK\r\n', 'X-A: a\r\n'.repeat(5_000)),
  'links in HTML': flood(html, `${tags.length.toString(16)}\r\n${tags}\r\n`),
  'HTML in chunks of one byte': flood(html, '1\r\n<\r\n1\r\na\r\n1\r\n \r\n'.repeat(3_000)),
}

const word = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
const spdyControl = (type: number, payload: Buffer) => Buffer.concat([word((0x8003_0000 | type) >>> 0, payload.length), payload])
const spdyData = (stream: number, payload: Buffer) => Buffer.concat([word(stream, payload.length), payload])
const replies = Buffer.concat([1, 3, 5, 7, 9].map((stream) => spdyControl(2, word(stream))))
const switched = (protocol: string) =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`

/** Accepts the streams that the server opens for a command, one after the other. */
function accept(socket: Socket): void {
  socket.write(switched('v4.channel.k8s.io'))
  let left = 10
  socket.on('data', () => {
    if (left-- > 0) socket.write(replies)
  })
  socket.on('end', () => socket.destroy())
}

/** Frames of a node agent. */
const agentFrames: { readonly [name: string]: Buffer } = {
  'output of one byte': spdyData(3, Buffer.of(120)),
  'reports of one byte': spdyData(1, Buffer.of(120)),
  'data of no stream': spdyData(999, Buffer.of(120)),
  pings: spdyControl(6, word(2)),
  'new streams': spdyControl(1, word(2, 0, 0)),
  resets: spdyControl(3, word(999, 5)),
  settings: spdyControl(4, word(1, 4, 100)),
  'window updates': spdyControl(9, word(3, 0x7fff_ffff)),
  replies: spdyControl(2, word(3)),
  'frames of no type': spdyControl(99, Buffer.alloc(0)),
  'header blocks that expand': spdyControl(1, Buffer.concat([word(2, 0), Buffer.alloc(2), Buffer.alloc(65_536, 0x78)])),
}

const clientFrame = (first: number, ...payload: readonly number[]) => Buffer.of(first, 0x80 | payload.length, 0, 0, 0, 0, ...payload)

/** Frames of a client's WebSocket, after the first one. */
const clientFrames: { readonly [name: string]: readonly [first: Buffer, next: Buffer] } = {
  pings: [Buffer.alloc(0), clientFrame(0x89)],
  pongs: [Buffer.alloc(0), clientFrame(0x8a)],
  'empty messages': [Buffer.alloc(0), clientFrame(0x82)],
  'input of one byte': [Buffer.alloc(0), clientFrame(0x82, 0, 120)],
  resizes: [Buffer.alloc(0), clientFrame(0x82, 4, ...Buffer.from('{"Width":1,"Height":1}'))],
  'a message in fragments of nothing': [clientFrame(0x02, 0), clientFrame(0x00)],
  'messages for no channel': [Buffer.alloc(0), clientFrame(0x82, 77, 1)],
}

const webSocket = (path: string, protocol: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: front',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  ].join('\r\n')

describe('those who send much work in few bytes', {
  skip: cannotForward,
  timeout: 3_600_000,
}, () => {
  const { path: home, remove } = temporaryDirectory('hostile')
  let forwarding: Forwarding
  before(async () => {
    const file = join(home, 'hook.cjs')
    writeFileSync(file, hook)
    forwarding = await startForwarding(undefined, { command: [process.execPath, '--require', file, bundle] })
  })
  after(async () => {
    await forwarding?.close()
    remove()
  })

  const routeOf = (name: string) => forwarding.routes.find((route) => route.name === name) as Route

  /** Milliseconds for which the server's event loop has not run, at most, since the last call. */
  async function longest(): Promise<number> {
    const { daemon } = forwarding
    const told = () => [...daemon.log().matchAll(/LONGEST (\d+)\n/g)]
    const had = told().length
    process.kill(daemon.pid, 'SIGUSR2')
    return eventually('the answer of the hook', async () => told().length > had && Number(told().at(-1)?.[1]))
  }

  /** A client that sends a request, attacks when it is answered, and reads all or nothing. */
  function client(request: string, attack: Attack, reads: boolean, waits: boolean): Socket {
    const { daemon } = forwarding
    const { ca, cert = '', key = '' } = credentialsOf(daemon)
    const socket = connect({ port: daemon.port, host: daemon.host, ca, cert, key, ALPNProtocols: ['http/1.1'] })
    socket.on('error', () => undefined)
    socket.once('secureConnect', () => {
      socket.write(request)
      if (!waits) attack(socket)
    })
    socket.once('data', () => {
      if (waits) attack(socket)
      if (reads) socket.resume()
      else socket.pause()
    })
    return socket
  }

  interface Course {
    readonly request: string
    readonly answer?: Attack
    readonly attack?: Attack
    readonly reads?: boolean
    /** The attack begins after the answer; default: true. */
    readonly waits?: boolean
  }

  async function run(
    what: string,
    route: Route,
    { request, answer = accept, attack = () => undefined, reads = true, waits = true }: Course,
  ) {
    const { daemon } = forwarding
    const { backend } = route
    await longest()
    const started = residentMiB(daemon.pid)
    const peers: Socket[] = []
    const usual = backend.answer
    backend.answer = (_request, socket) => {
      peers.push(socket)
      answer(socket)
      return true
    }
    const clients = Array.from({ length: parallel }, () => client(request, attack, reads, waits))
    let most = 0
    let answered = 0
    try {
      for (const end = performance.now() + duration; performance.now() < end; answered++) {
        assert.equal((await daemon.fetch('/version')).status, 200)
        most = Math.max(most, residentMiB(daemon.pid) - started)
      }
      const blocked = await longest()
      assert.ok(blocked < maxBlock * (await slowness()), `${what}: no pause for ${blocked} ms`)
      assert.ok(most < mostMemory, `${what}: ${Math.round(most)} MiB`)
      assert.ok(answered > 0, `${what}: ${answered} other requests`)
    } finally {
      backend.answer = usual
      for (const socket of clients) socket.destroy()
      // What has arrived of them may take a while, but not of those that the server writes to.
      for (const socket of peers) socket.on('end', () => socket.destroy()).resume()
    }
    return peers
  }

  const gone = (what: string, peers: readonly Socket[]) =>
    eventually(`${what}: the end of the connections to the backend`, async () => peers.every(({ destroyed }) => destroyed))

  for (const [name, answer] of Object.entries(answers))
    test(`answers: ${name}`, async () => {
      for (const [at, reads] of [
        ['pods/proxy', true],
        ['pods/proxy', false],
        ['an aggregated API', true],
        ['pods/log, followed', true],
      ] as const) {
        const route = routeOf(at)
        const target = `${route.target('x')}${route.aggregated ? '?watch=true' : ''}`
        const what = `${at}, ${reads ? 'read' : 'not read'}`
        await gone(what, await run(what, route, { request: `GET ${target} HTTP/1.1\r\nHost: front\r\n\r\n`, answer, reads }))
      }
    })

  test('node agents: frames of SPDY', async () => {
    const route = routeOf('pods/exec')
    const request = webSocket(route.target(''), 'v5.channel.k8s.io')
    for (const [name, frame] of Object.entries(agentFrames)) {
      const attack = flood(replies, repeated(frame, Math.ceil(65_536 / frame.length)))
      const answer: Attack = (socket) => {
        accept(socket)
        attack(socket)
      }
      await gone(name, await run(name, route, { request, answer }))
    }
  })

  for (const [at, protocol] of [
    ['pods/exec', 'v5.channel.k8s.io'],
    ['pods/portforward', 'SPDY/3.1+portforward.k8s.io'],
  ] as const)
    test(`clients: frames of WebSockets, ${at}`, async () => {
      const route = routeOf(at)
      const request = webSocket(route.target('').replace('stdout=true', 'stdin=true&stdout=true&tty=true'), protocol)
      const answer: Attack = (socket) => {
        if (at === 'pods/exec') return accept(socket)
        socket.write(switched('portforward.k8s.io'))
        socket.on('end', () => socket.destroy()).resume()
      }
      for (const [name, [first, frame]] of Object.entries(clientFrames))
        for (const reads of [true, false]) {
          const attack = flood(first, repeated(frame, 5_000))
          await run(`${name}, ${reads ? 'read' : 'not read'}`, route, { request, answer, attack, reads })
        }
    })

  test('clients: bodies in chunks of one byte, also when nobody wants them', async () => {
    const route = routeOf('pods/proxy')
    const attack = flood('', '1\r\nx\r\n'.repeat(10_000))
    for (const target of [route.target('x'), '/api/v1/namespaces/default/configmaps', '/nothing']) {
      const request = `POST ${target} HTTP/1.1\r\nHost: front\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
      await run(target, route, { request, attack, waits: false })
    }
  })
})
