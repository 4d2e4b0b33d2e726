/** Connections through proxies that refuse, close, stay silent or are slow. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { type Server, ServerCredentials } from '@grpc/grpc-js'
import { uncounted } from '../../../../core/metrics.ts'
import type { OutboundOptions } from '../../../../core/ports.ts'
import { connectProxy } from '../../../../runtimes/node/egress/dial.ts'
import { tunnelThrough } from '../../../../runtimes/node/egress/http-connect.ts'
import { connectKonnectivity } from '../../../../runtimes/node/egress/konnectivity.ts'
import { egressRows } from '../../../../runtimes/node/egress/metrics.ts'
import { dialBy, wayOf } from '../../../../runtimes/node/egress/selector.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { nodeClock } from '../../../../runtimes/node/start/ports.ts'
import { httpProxy } from '../../../support/egress/http-proxy.ts'
import { konnectivityServer, type ProxyStream, proxyService, type WirePacket } from '../../../support/egress/konnectivity-server.ts'
import { routesOf } from '../../../support/egress/routes.ts'
import { noted } from '../../../support/noted.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually } from '../../../support/wait.ts'
import { authority, client, issued, open } from '../support.ts'

const { path: home, remove } = temporaryDirectory()
after(remove)
let sockets = 0
const socketPath = () => join(home, `${sockets++}.sock`)
/** Milliseconds; long enough for what comes at once. */
const short = 300

async function listening(server: NetServer): Promise<{ path: string } & AsyncDisposable> {
  const path = socketPath()
  server.listen(path)
  await once(server, 'listening')
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

async function serving(server: Server): Promise<{ path: string } & AsyncDisposable> {
  const path = socketPath()
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}

/** A server of bytes on 127.0.0.1. */
async function tcp(serve: (socket: Socket) => void) {
  const all = new Set<Socket>()
  const server = createServer((socket) => {
    all.add(socket)
    serve(socket.on('error', () => undefined).on('close', () => all.delete(socket)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    open: () => all.size,
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy()
      server.close()
    },
  }
}

const dialOf = (proxyProtocol: string, path: string, metrics = uncounted(egressRows)) => {
  const way = wayOf({ proxyProtocol, transport: { tcp: undefined, uds: { udsName: path } } }, undefined)
  assert.ok(way)
  return dialBy(way, metrics, nodeClock)
}

for (const protocol of ['HTTPConnect', 'GRPC']) {
  const started = (ports: { [authority: string]: number }, asked: (authority: string) => void = () => undefined) =>
    protocol === 'GRPC' ? serving(konnectivityServer(routesOf(ports, asked))) : listening(httpProxy(routesOf(ports, asked)))

  test(`${protocol}: HTTP, HTTPS and upgrades go through the proxy, which resolves the names`, async () => {
    await using target = await open((request) => new Response(`${request.method} ${new URL(request.url).host}`), issued('target.test'))
    await using plain = await tcp((socket) => {
      const answer = (head: Buffer) => {
        if (!String(head).includes('Upgrade')) return void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
        socket.off('data', answer).pipe(socket)
      }
      socket.on('data', answer)
    })
    const asked: string[] = []
    await using proxy = await started(
      { 'target.test:443': target.port, '192.0.2.1:80': plain.port, '[2001:db8::1]:80': plain.port },
      (each) => asked.push(each),
    )
    const { fetch, upgrade } = createOutbound({ cluster: dialOf(protocol, proxy.path) })
    const options: OutboundOptions = { egress: 'cluster', certificateAuthority: authority.certPem }
    assert.equal(await (await fetch(new Request('https://target.test/'), options)).text(), 'GET target.test')
    assert.equal((await fetch(new Request('http://192.0.2.1/'), options)).status, 204)
    assert.equal((await fetch(new Request('http://[2001:db8::1]/'), options)).status, 204)
    const headers = { connection: 'Upgrade', upgrade: 'echo' }
    const answer = await upgrade?.(new Request('http://192.0.2.1/echo', { headers }), options)
    assert.ok(answer?.stream)
    const [writer, reader] = [answer.stream.writable.getWriter(), answer.stream.readable.getReader()]
    await writer.write(new TextEncoder().encode('hello'))
    assert.equal(new TextDecoder().decode((await reader.read()).value), 'hello')
    await reader.cancel()
    assert.deepEqual(new Set(asked), new Set(['target.test:443', '192.0.2.1:80', '[2001:db8::1]:80']))
    // A call of another class connects directly.
    assert.equal((await fetch(new Request(`http://127.0.0.1:${plain.port}/`), { ...options, egress: 'controlplane' })).status, 204)
  })

  test(`${protocol}: a connection that is refused, and a proxy that is gone, are errors that say so and are counted`, async () => {
    const failures: string[] = []
    const metrics = noted(egressRows, (name, ...labels) => void (name === 'failures' && failures.push(labels.join())))
    const proxy = await started({})
    const dial = dialOf(protocol, proxy.path, metrics)
    const refused = {
      HTTPConnect: `proxy error from ${proxy.path} while dialing target.test:443, code 403: 403 Forbidden`,
      GRPC: 'dial tcp target.test:443: i/o timeout',
    }[protocol]
    await assert.rejects(dial('target.test', 443), { message: refused })
    await proxy[Symbol.asyncDispose]()
    await eventually('the end of the proxy', () =>
      connectProxy({ path: proxy.path }, undefined).then(
        () => false,
        () => true,
      ),
    )
    await assert.rejects(dial('target.test', 443), /dial unix .*\.sock: connect: (no such file or directory|connection refused)/)
    const name = protocol === 'GRPC' ? 'grpc' : 'http_connect'
    assert.deepEqual(failures, [`${name},proxy,uds`, `${name},connect,uds`])
  })

  test(`${protocol}: 32 MiB each way arrive unchanged, and a reader that stops holds the sender back`, async () => {
    const size = 32 * 1024 * 1024
    let sent = 0
    await using target = await tcp((socket) => {
      const block = Buffer.alloc(64 * 1024, 7)
      const more = () => {
        while (sent < size && !socket.destroyed) {
          sent += block.length
          if (!socket.write(block)) return void socket.once('drain', more)
        }
      }
      socket.once('data', more)
    })
    await using echo = await tcp((socket) => socket.pipe(socket))
    await using proxy = await started({ 'flood.test:1': target.port, 'echo.test:1': echo.port })
    const dial = dialOf(protocol, proxy.path)
    const flood = await dial('flood.test', 1)
    flood.write('go')
    let before = -1
    await eventually('the sender waits', async () => {
      const stands = sent === before && sent > 0
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    // Buffers of sockets, of the proxy and of the stream's window.
    assert.ok(sent < size / 2, `${sent} bytes were sent to a reader that does not read`)
    let received = 0
    flood.on('data', (bytes: Buffer) => {
      received += bytes.length
    })
    await eventually('all bytes', async () => received === size)
    flood.destroy()

    const connection = await dial('echo.test', 1)
    const [out, back] = [createHash('sha256'), createHash('sha256')]
    connection.on('data', (bytes: Buffer) => {
      back.update(bytes)
      received -= bytes.length
    })
    for (let left = size; left > 0; ) {
      const block = randomBytes(128 * 1024)
      out.update(block)
      left -= block.length
      if (!connection.write(block)) await once(connection, 'drain')
    }
    await eventually('all bytes back', async () => received === 0)
    assert.equal(back.digest('hex'), out.digest('hex'))
    connection.destroy()
    await eventually('both connections end at the server', async () => target.open() === 0 && echo.open() === 0)
  })

  test(`${protocol}: the end of a server's connection is read after its data`, async () => {
    await using target = await tcp((socket) => void socket.once('data', () => socket.end('bye')))
    await using proxy = await started({ 'bye.test:1': target.port })
    const connection = await dialOf(protocol, proxy.path)('bye.test', 1)
    connection.write('go')
    let text = ''
    for await (const bytes of connection) text += bytes
    assert.equal(text, 'bye')
  })
}

test('HTTPConnect: the request has the bytes of the reference, whose Host is not the target', async () => {
  let asked = ''
  await using proxy = await listening(
    createServer((socket) => {
      socket.on('data', (bytes) => {
        asked += bytes
        if (asked.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\n\r\n')
      })
    }),
  )
  ;(await dialOf('HTTPConnect', proxy.path)('2001:db8::1', 443)).destroy()
  assert.equal(asked, 'CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
})

test('HTTPConnect: a proxy with TLS verifies the client, and is verified by its server name', async () => {
  const proxy = httpProxy(routesOf({}), { ...issued('proxy.test'), ca: authority.certPem })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const at = { host: '127.0.0.1', port: (proxy.address() as { port: number }).port }
  const tls = { ca: authority.certPem, ...client('apiserver'), serverName: 'proxy.test' }
  const asked = async () => tunnelThrough(await connectProxy(at, tls), 'P', 'target.test:443')
  await assert.rejects(asked, { message: 'proxy error from P while dialing target.test:443, code 403: 403 Forbidden' })
  await assert.rejects(connectProxy(at, { ...tls, serverName: 'other.test' }), /other\.test/)
  await assert.rejects(connectProxy(at, { ...tls, ca: issued('x').cert }), /certificate/)
  const nameless = await connectProxy(at, { ca: tls.ca, serverName: tls.serverName })
  await assert.rejects(
    tunnelThrough(nameless, 'P', 'target.test:443'),
    /reading HTTP response from CONNECT to target.test:443 via proxy P failed: /,
  )
  proxy.closeAllConnections()
  proxy.close()
})

test('HTTPConnect: proxies that close, stay silent, or speak too early or too much', async () => {
  const answers: readonly (readonly [string, (socket: Socket) => void, RegExp])[] = [
    ['close', (socket) => void socket.end(), /via proxy P failed: unexpected EOF/],
    ['silent', () => undefined, /via proxy P failed: i\/o timeout/],
    ['half a head', (socket) => void socket.write('HTTP/1.1 200 OK\r\nA: '), /via proxy P failed: i\/o timeout/],
    ['early', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nearly'), /unexpected 5 bytes of buffered data from CONNECT proxy "P"/],
    ['endless', (socket) => void socket.write(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(1024 * 1024)}`), /Header overflow/i],
    ['no HTTP', (socket) => void socket.write('SSH-2.0-x\r\n'), /via proxy P failed: /],
  ]
  for (const [name, answer, expected] of answers) {
    let near: Socket | undefined
    await using proxy = await listening(
      createServer((socket) => {
        near = socket.on('error', () => undefined)
        socket.once('data', () => answer(socket))
      }),
    )
    const socket = await connectProxy({ path: proxy.path }, undefined)
    await assert.rejects(tunnelThrough(socket, 'P', 'target.test:1', {}, short), expected, name)
    await eventually(`${name}: the connection to the proxy is closed`, async () => near?.destroyed)
  }
})

/** Dials through a konnectivity server that answers packets in its own way; keeps what it received. */
async function misbehaving(answer: (packet: WirePacket, stream: ProxyStream) => void) {
  const received: WirePacket[] = []
  let ended = 0
  const server = await serving(
    proxyService((stream) => {
      stream.on('data', (packet: WirePacket) => {
        received.push(packet)
        answer(packet, stream)
      })
      stream.on('error', () => undefined)
      stream.on('end', () => {
        ended++
        stream.end()
      })
    }),
  )
  const dial = async (): Promise<Duplex> => (await connectKonnectivity({ path: server.path }, short))('target.test:1')
  const types = () => received.map(({ type }) => type)
  return { ...server, dial, types, ended: () => ended }
}

const randomOf = ({ dialRequest }: WirePacket) => dialRequest?.random ?? '0'
const connected = (packet: WirePacket, stream: ProxyStream) =>
  packet.type === 'DIAL_REQ' && stream.write({ type: 'DIAL_RSP', dialResponse: { connectID: '7', random: randomOf(packet) } })

test('GRPC: dials that are closed, lost or never answered', async () => {
  const answers: readonly (readonly [string, (packet: WirePacket, stream: ProxyStream) => void, string])[] = [
    ['closed', (packet, stream) => void stream.write({ type: 'DIAL_CLS', closeDial: { random: randomOf(packet) } }), 'dial closed'],
    ['ended', (_packet, stream) => void stream.end(), 'tunnel closed'],
    ['silent', () => undefined, 'dial timeout, backstop'],
    [
      'for another dial',
      (packet, stream) =>
        void stream.write({ type: 'DIAL_RSP', dialResponse: { connectID: '7', random: String(BigInt(randomOf(packet)) ^ 1n) } }),
      'dial timeout, backstop',
    ],
  ]
  for (const [name, answer, message] of answers) {
    await using server = await misbehaving((packet, stream) => (packet.type === 'DIAL_REQ' ? answer(packet, stream) : undefined))
    await assert.rejects(server.dial(), { message }, name)
    if (message.includes('timeout')) {
      await eventually(`${name}: the server is told`, async () => server.types().includes('DIAL_CLS') && server.ended() === 1)
    }
  }
})

test('GRPC: a server that accepts connections and does not speak is given up', async () => {
  await using server = await listening(createServer((socket) => void socket.on('error', () => undefined)))
  await assert.rejects(connectKonnectivity({ path: server.path }, short), /deadline exceeded/)
})

test('GRPC: data of other connections is dropped, and a lost server is an error for the reader', async () => {
  await using server = await misbehaving((packet, stream) => {
    connected(packet, stream)
    if (packet.type !== 'DATA') return
    stream.write({ type: 'DATA', data: { connectID: '8', data: Buffer.from('not mine') } })
    stream.write({ type: 'DATA', data: { connectID: '7', data: Buffer.from('mine') } })
    stream.end()
  })
  const connection = await server.dial()
  connection.write('x')
  let text = ''
  await assert.rejects(
    async () => {
      for await (const bytes of connection) text += bytes
    },
    { message: 'tunnel closed', code: 'ECONNRESET' },
  )
  assert.ok(text === '' || text === 'mine')
})

test('GRPC: a packet of more than 4 MiB ends the connection', async () => {
  await using server = await misbehaving((packet, stream) => {
    connected(packet, stream)
    if (packet.type === 'DATA') stream.write({ type: 'DATA', data: { connectID: '7', data: Buffer.alloc(5 * 1024 * 1024) } })
  })
  const connection = await server.dial()
  connection.write('x')
  connection.resume()
  const [error] = (await once(connection, 'error')) as [Error]
  assert.match(error.message, /the response has \d+ bytes/)
})

test('GRPC: closing a connection tells the server', async () => {
  await using server = await misbehaving(connected)
  const connection = await server.dial()
  connection.destroy()
  await eventually('CLOSE_REQ, then the end of the stream', async () => server.types().at(-1) === 'CLOSE_REQ' && server.ended() === 1)
})

test('a call gives up on a proxy that does not answer after its own time to connect', async () => {
  await using proxy = await listening(createServer((socket) => void socket.on('error', () => undefined)))
  const { fetch } = createOutbound({ cluster: dialOf('HTTPConnect', proxy.path) })
  await assert.rejects(fetch(new Request('https://target.test/'), { egress: 'cluster', connectTimeout: 100 }), { code: 'ETIMEDOUT' })
  await assert.rejects(fetch(new Request('https://target.test/', { signal: AbortSignal.timeout(100) }), { egress: 'cluster' }), {
    name: 'TimeoutError',
  })
})

test('a proxy URL of a connection file is itself reached through the egress proxy', async () => {
  await using target = await open(() => new Response('through both'), issued('target.test'))
  const asked: string[] = []
  const inner = createHttp()
  inner.on('connect', (request, socket: Socket) => {
    asked.push(`inner ${request.url}`)
    const far = connect(target.port, '127.0.0.1').on('error', () => undefined)
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.pipe(far).pipe(socket)
  })
  inner.listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const { port } = inner.address() as { port: number }
  await using outer = await listening(httpProxy(routesOf({ 'proxy.test:3128': port }, (each) => asked.push(`outer ${each}`))))
  const { fetch } = createOutbound({ controlplane: dialOf('HTTPConnect', outer.path) })
  const options: OutboundOptions = { egress: 'controlplane', proxy: 'http://proxy.test:3128', certificateAuthority: authority.certPem }
  assert.equal(await (await fetch(new Request('https://target.test/'), options)).text(), 'through both')
  assert.deepEqual(asked, ['outer proxy.test:3128', 'inner target.test:443'])
  inner.close()
  inner.closeAllConnections()
})
