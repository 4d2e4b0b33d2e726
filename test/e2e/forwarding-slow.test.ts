/** Clients and backends that do not read: on every route the sender is held back, the server's memory is bounded, and nothing is lost. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import type { Readable, Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { cannotForward, credentialsOf, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { residentMiB } from '../support/memory.ts'
import { eventually, within } from '../support/wait.ts'

const megabyte = 1024 * 1024
/** Bytes that are offered on each route. */
const offered = 200 * megabyte
/** Most bytes that leave the sender while nobody reads: what two connections' buffers in the kernel hold, and more. */
const mostSent = 48 * megabyte
/** Most MiB that the server grows by, with all routes at once. */
const mostMemory = 160

/** Most bytes of this server's own requests on a connection. */
const maxOwn = 8 * 1024

const piece = Buffer.alloc(megabyte, 'x')
const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n'

/** Writes what is offered, as fast as it is taken. */
class Sender {
  sent = 0
  readonly ended: Promise<void>
  constructor(to: Writable) {
    this.ended = this.#run(to).catch(() => undefined)
  }

  async #run(to: Writable): Promise<void> {
    // One listener for all waits.
    const closed = once(to, 'close').then(() => Promise.reject(new Error('closed')))
    closed.catch(() => undefined)
    while (this.sent < offered) {
      const taken = to.write(piece)
      this.sent += piece.length
      if (!taken) await Promise.race([once(to, 'drain'), closed])
    }
  }
}

async function countOf(from: Readable, stop: (bytes: number) => boolean): Promise<number> {
  let bytes = 0
  for await (const chunk of from as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (stop(bytes)) break
  }
  return bytes
}

describe('slow readers', {
  skip: cannotForward,
  timeout: 600_000,
}, () => {
  let forwarding: Forwarding
  before(async () => {
    forwarding = await startForwarding()
  })
  after(() => forwarding?.close())

  /** Resolves when no sender moves any more: other requests are answered meanwhile. */
  async function held(senders: readonly Sender[]): Promise<void> {
    let before = -1
    await eventually('the senders are held back', async () => {
      for (let i = 0; i < 20; i++) assert.equal((await forwarding.daemon.fetch('/version')).status, 200)
      const sum = senders.reduce((total, { sent }) => total + sent, 0)
      const same = sum === before
      before = sum
      return same
    })
  }

  const connection = () => {
    const { ca, cert = '', key = '' } = credentialsOf(forwarding.daemon)
    return { port: forwarding.daemon.port, host: '127.0.0.1', ca, cert, key, servername: '' }
  }

  /** The response of a GET, of which nothing is read yet. */
  async function opened(path: string, upgrades: boolean): Promise<Readable> {
    const headers = upgrades ? { connection: 'Upgrade', upgrade: 'SPDY/3.1' } : {}
    const outgoing = request({ ...connection(), path, headers, agent: false }).on('error', () => undefined)
    outgoing.end()
    if (!upgrades) return (await within(path, once(outgoing, 'response')))[0]
    const [, socket, head] = await within(path, once(outgoing, 'upgrade'))
    socket.pause()
    if (head.length > 0) socket.unshift(head)
    return socket
  }

  /** The next requests on a route are answered by a sender of all that is offered. */
  function offerOn({ backend, upgrades }: Route, senders: Sender[]): void {
    backend.answer = (_request, socket) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ${offered}\r\nConnection: close\r\n\r\n`
      socket.write(upgrades ? switched : head)
      senders.push(new Sender(socket))
      return true
    }
  }

  /** All senders are held back, and the server has not grown by what has left them. `before`: MiB. */
  async function assertHeld(senders: readonly Sender[], paths: readonly string[], before: number): Promise<void> {
    await held(senders)
    const grown = residentMiB(forwarding.daemon.pid) - before
    for (const [at, path] of paths.entries())
      assert.ok((senders[at]?.sent ?? offered) < mostSent, `${path}: ${(senders[at]?.sent ?? 0) / megabyte} MiB have left`)
    assert.ok(grown < mostMemory, `${Math.round(grown)} MiB for ${paths.length} routes`)
  }

  /** Whoever reads at last gets all of it. One of each kind is enough: it takes a while. */
  async function assertRest(clients: readonly { readonly path: string; readonly body: Readable }[]): Promise<void> {
    const readers = clients.filter(({ path }) => /nodes\/node\/proxy|echo\.example.*watch|followed|exec/.test(path))
    assert.equal(readers.length, 4)
    for (const { path, body } of readers) {
      const count = countOf(body, (bytes) => bytes >= offered)
      assert.equal(await within(path, count), offered, path)
    }
  }

  const pathsOf = (route: Route) => (route.aggregated ? [route.target('x'), `${route.target('x')}?watch=true`] : [route.target('x')])

  test('a client that does not read', async () => {
    const senders: Sender[] = []
    const before = residentMiB(forwarding.daemon.pid)
    const clients: { readonly path: string; readonly body: Readable }[] = []
    for (const route of forwarding.routes)
      for (const path of pathsOf(route)) {
        offerOn(route, senders)
        clients.push({ path, body: await opened(path, route.upgrades) })
      }
    await assertHeld(
      senders,
      clients.map(({ path }) => path),
      before,
    )
    await assertRest(clients)
    for (const { body } of clients) body.destroy()
  })

  test('a client that does not read over HTTP/2, whose other requests go on', async () => {
    const { ca, cert = '', key = '' } = credentialsOf(forwarding.daemon)
    const before = residentMiB(forwarding.daemon.pid)
    // As Go's client, whose window for the connection is large enough for all streams.
    const session = connectHttp2(forwarding.daemon.url, { ca, cert, key, settings: { initialWindowSize: 4 * megabyte } })
    await within('the connection', once(session, 'remoteSettings'))
    session.setLocalWindowSize(1024 * megabyte)
    const senders: Sender[] = []
    const clients: { readonly path: string; readonly body: ClientHttp2Stream }[] = []
    for (const route of forwarding.routes)
      for (const path of pathsOf(route)) {
        offerOn(route, senders)
        const connects = route.upgrades ? { ':method': 'CONNECT', ':protocol': 'SPDY/3.1' } : {}
        const body = session.request({ ':path': path, ...connects }, { endStream: !route.upgrades })
        body.on('error', () => undefined)
        const [headers] = (await within(path, once(body, 'response'))) as [{ readonly ':status'?: number }]
        assert.equal(headers[':status'], 200, path)
        clients.push({ path, body })
      }
    await assertHeld(
      senders,
      clients.map(({ path }) => path),
      before,
    )
    for (let i = 0; i < 20; i++) {
      const other = session.request({ ':path': '/version' })
      assert.equal((await within('another request of the connection', once(other, 'response'), 2_000))[0][':status'], 200)
      other.resume()
    }
    await assertRest(clients)
    session.destroy()
    await eventually('the end at all backends', async () => {
      for (const { name, backend } of forwarding.routes)
        for (const socket of backend.sockets) assert.ok(socket.resume().readableEnded || socket.destroyed, name)
      return true
    })
  })

  test('a backend that does not read', async () => {
    const before = residentMiB(forwarding.daemon.pid)
    const clients: { readonly route: Route; readonly sender: Sender; close(): void }[] = []
    for (const route of forwarding.routes.filter(({ relays }) => relays)) {
      const { backend } = route
      backend.stalled = !route.upgrades
      backend.answer = (_request, socket) => {
        socket.write(switched)
        socket.pause()
        return true
      }
      const socket = connectTls({ ...connection(), ALPNProtocols: ['http/1.1'] }).on('error', () => undefined)
      await within('the connection', once(socket, 'secureConnect'))
      const fields = route.upgrades ? 'Connection: Upgrade\r\nUpgrade: SPDY/3.1' : `Content-Length: ${offered}`
      socket.write(`POST ${route.target('x')} HTTP/1.1\r\nHost: front\r\n${fields}\r\n\r\n`)
      if (route.upgrades) await within(route.name, once(socket, 'data'))
      clients.push({ route, sender: new Sender(socket), close: () => socket.destroy() })
    }
    await held(clients.map(({ sender }) => sender))
    const grown = residentMiB(forwarding.daemon.pid) - before
    for (const { route, sender } of clients) assert.ok(sender.sent < mostSent, `${route.name}: ${sender.sent / megabyte} MiB have left`)
    assert.ok(grown < mostMemory, `${Math.round(grown)} MiB for ${clients.length} routes`)
    for (const { route, close } of clients) {
      // Not the connections of this server's own requests, which stay open for the next ones.
      const carriers = [...route.backend.sockets].filter(({ bytesRead }) => bytesRead > maxOwn)
      assert.equal(carriers.length, 1, route.name)
      close()
      await eventually(`${route.name}: the end at the backend`, async () => {
        // A paused socket does not see its end.
        for (const socket of carriers) socket.removeAllListeners('data').resume()
        return carriers.every((socket) => socket.readableEnded || socket.destroyed)
      })
    }
  })
})
