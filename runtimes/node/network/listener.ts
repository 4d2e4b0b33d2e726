import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { validateOptions } from '../../../core/options/validate.ts'
import type { Clock, Logger } from '../../../core/ports.ts'
import { Buffers } from '../../wire/buffers.ts'
import { Holdings } from '../../wire/holdings.ts'
import { OutputScheduler } from '../../wire/output-scheduler.ts'
import { ServerConnection } from '../../wire/server/connection.ts'
import { type BoundConnection, ConnectionBound } from '../../wire/server/connection-bound.ts'
import { Intake } from '../../wire/server/intake.ts'
import { limits } from '../../wire/server/limits.ts'
import { nodeClock } from '../clock.ts'
import { connectionOf } from '../http/connection.ts'
import { serveHttp1 } from '../http/http1.ts'
import { Http1Peer } from '../http/http1-peer.ts'
import { refuseFields, serveHttp2 } from '../http/http2.ts'
import { canSharePorts, inQuietTurn } from '../http/port-sharing.ts'
import { badRequest, endWith, refuse, refuseHandshake, requestTimeout, unsupportedVersion } from '../http/refusal.ts'
import { type Certificates, secureServers } from '../http/secure.ts'
import { createService, type Handler } from '../http/service.ts'
import type { CipherSuite, tlsVersions } from '../http/tls.ts'
import { hasUpgrades, ignoresUpgrade, inTurn, serveUpgrade, withoutUpgrade } from '../http/upgrade.ts'
import { listenRows } from '../start/listen-rows.ts'

export type { Certificates } from '../http/secure.ts'
export type { Handler } from '../http/service.ts'
export type { CipherSuite, KeyPair, NamedKeyPair } from '../http/tls.ts'

export interface ListenOptions extends Certificates {
  /** Default: all interfaces and address families, as for `0.0.0.0` and `::`. */
  readonly address?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Share the port with other processes (SO_REUSEPORT; ignored on Node before 22.12). Closing then loses no connection that has arrived. */
  readonly sharePort?: boolean
  /** Serve HTTP/2; default true. */
  readonly http2?: boolean
  /** Maximum concurrent HTTP/2 streams per connection; default 100. */
  readonly maxConcurrentStreams?: number
  /** Minimum TLS version; default VersionTLS12. */
  readonly minVersion?: keyof typeof tlsVersions
  /** Cipher suites for TLS 1.2 and earlier; default: those of the runtime. */
  readonly cipherSuites?: readonly CipherSuite[]
  /** Logs failed handshakes (debug) and failed handlers (error). */
  readonly logger?: Logger
  /** Clock for timeouts; default: the host's. */
  readonly clock?: Clock
}

/** A socket that is bound to an address, as `listen` of node:net takes it. */
export interface BoundSocket {
  readonly fd: number
}

export interface Listener {
  /** TLS handshakes that failed since the start. */
  readonly handshakeErrors: number
  /** Open connections. */
  readonly connections: number
  readonly address: string
  readonly port: number
  /** Replaces the certificates for new connections. Throws, and changes nothing, when they are unusable. */
  reload(certificates: Partial<Certificates>): void
  /** Stops accepting, waits for requests in flight up to `graceMilliseconds` (default 10,000), then closes all sockets. Resolves when they are closed. */
  close(graceMilliseconds?: number): Promise<void>
}

/** Milliseconds that a connection without a request stays open while the listener closes, when a request may be on its way. */
const idleGrace = 2_000
/** Acts after these milliseconds, and after what has arrived by then is read. */
const later = (act: () => void, milliseconds = idleGrace) => void setTimeout(() => setImmediate(act), milliseconds)

/** Connections that wait to be accepted. */
const backlog = 1024

/** Milliseconds between checks of timeouts. */
const sweepInterval = 1_000
const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }

/**
 * Opens a port that speaks TLS with HTTP/2 and HTTP/1.1, and hands every request to `handler`.
 * Rejects when the address can't be bound or a certificate is unusable, and with an OptionError when an option is invalid or unknown.
 * `over`: listens on this socket instead of the options' address and port.
 */
export async function listen(options: ListenOptions, handler: Handler, over?: BoundSocket): Promise<Listener> {
  validateOptions('listen', listenRows, options, { required: ['cert', 'key'] })
  const { http2 = true, maxConcurrentStreams = 100, logger, clock = nodeClock } = options
  const service = createService(handler, logger)
  const holdings = new Holdings(limits.heldInAll)
  const intake = new Intake()
  const bound = new ConnectionBound()
  const buffers = new Buffers()
  const turns = new OutputScheduler()
  const sockets = new Set<Socket>()
  /** Sockets during the handshake, by remote address and port: the TLS socket is another object. */
  const shaking = new Map<string, { readonly socket: Socket; readonly place: BoundConnection; readonly since: number }>()
  const connections = new Set<ServerConnection>()
  const peers = new Map<Socket, Http1Peer>()
  // Coarse on purpose: reading the clock per request would cost more.
  let now = clock.monotonic()

  // ── HTTP/1.1, read and written by node:http ───────────────────────────────────────────────────
  const http1 = createHttpServer({
    maxHeaderSize: limits.headerBytes,
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 0,
    requireHostHeader: false,
  })
  // node:http drops headers beyond this; one more than the limit, so that excess is noticed.
  http1.maxHeadersCount = limits.headerFields + 1
  // Connections come from the TLS server. Deno closes kept-alive connections of a server that does not listen.
  Object.defineProperty(http1, 'listening', { get: () => !service.closing })
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, continues: boolean) => {
    // HTTP/0.9 has no headers.
    if (incoming.httpVersionMajor < 1) return refuse(incoming.socket, badRequest, false)
    if (incoming.httpVersionMajor > 1) return refuse(incoming.socket, unsupportedVersion, false)
    return serveHttp1(service, peers.get(incoming.socket) as Http1Peer, incoming, outgoing, continues)
  }
  http1.on('request', (incoming, outgoing) => answer(incoming, outgoing, false))
  http1.on('checkContinue', (incoming, outgoing) => answer(incoming, outgoing, true))
  const openUpgrade = (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const peer = peers.get(socket) as Http1Peer
    inTurn(peer, socket, head, (received) => {
      if (ignoresUpgrade(incoming)) {
        withoutUpgrade(incoming, socket, received)
        read(socket, peer)
        return void socket.resume()
      }
      // The limits of requests do not apply to what follows.
      peers.delete(socket)
      serveUpgrade(service, peer, incoming, socket, received)
    })
  }
  if (hasUpgrades) http1.on('upgrade', openUpgrade).on('connect', openUpgrade)
  http1.on('clientError', (error, socket: Socket) => {
    const peer = peers.get(socket)
    if (peer) peer.malformed((answering) => refuse(socket, error, answering))
    else refuse(socket, error, true)
  })

  /** Has `node:http` read a socket. */
  function read(socket: Socket, peer: Http1Peer): void {
    http1.emit('connection', socket)
    // With a 'data' listener node:http reads the stream and not its handle. A paused TLS handle still delivers what it has decrypted:
    // a pipelined request with a large body, during a response that is still being written, would fail as 'Parse Error: Paused'.
    socket.on('data', (bytes: Buffer) => peer.arrived(bytes.length))
  }

  const openHttp1 = (socket: TLSSocket, place: BoundConnection | undefined) => {
    const late = (answering: boolean, silent: boolean) => (silent ? endWith(socket) : refuse(socket, requestTimeout, answering))
    // An upgraded connection is busy until it ends.
    const isBusy = () => !peer.idle || peers.get(socket) !== peer
    const known = () => place?.identified(isBusy, () => socket.destroySoon())
    const peer: Http1Peer = new Http1Peer(socket, {
      connection: connectionOf(socket),
      holdings,
      intake,
      turns,
      now: () => now,
      known,
      late,
    })
    peers.set(socket, peer)
    socket.once('close', () => {
      peers.delete(socket)
      peer.disconnected()
    })
    read(socket, peer)
    if (service.closing) later(() => peer.leave())
  }

  const openHttp2 = (socket: TLSSocket, place: BoundConnection | undefined) => {
    const peer = connectionOf(socket)
    const known = () =>
      place?.identified(
        () => !connection.idle,
        () => connection.drain(),
      )
    const connection: ServerConnection = new ServerConnection(socket, {
      maxConcurrentStreams,
      holdings,
      intake,
      buffers,
      turns,
      request: (stream, head) => {
        serveHttp2(service, peer, stream, head)
        if (service.closing) connection.drain()
      },
      tooLarge: (stream) => refuseFields(service, stream),
      known,
      failed: (error) => logger?.debug({ err: error }, 'connection failed'),
      now: () => now,
    })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
    if (service.closing) later(() => connection.drain())
  }

  let handshakeErrors = 0
  const secure = secureServers(options, {
    http2,
    minVersion: options.minVersion ?? 'VersionTLS12',
    cipherSuites: options.cipherSuites ?? [],
    handshakeTimeout: limits.headers,
    accepted(socket) {
      socket.on('error', (error) => logger?.debug({ err: error }, 'connection failed'))
      const place = shaking.get(peerOf(socket))?.place
      shaking.delete(peerOf(socket))
      if (socket.alpnProtocol === 'h2') openHttp2(socket, place)
      else openHttp1(socket, place)
    },
    failed(socket, error) {
      handshakeErrors++
      logger?.debug({ err: error, remoteAddress: socket.remoteAddress }, 'TLS handshake failed')
      refuseHandshake(socket, error)
    },
  })

  let accepted = 0
  const front = createNetServer(socketOptions, (socket) => {
    accepted++
    sockets.add(socket)
    const peer = peerOf(socket)
    const place = bound.open(() => socket.destroy())
    shaking.set(peer, { socket, place, since: now })
    socket.once('close', () => {
      sockets.delete(socket)
      place.close()
      if (shaking.get(peer)?.socket === socket) shaking.delete(peer)
    })
    secure.take(socket)
  })
  await bind(front, options, over)
  const own = front.address()
  if (own === null || typeof own === 'string') throw new Error('listen: no address')

  const sweep = () => {
    now = clock.monotonic()
    for (const { socket, since } of shaking.values()) if (now - since >= limits.headers) socket.destroy()
    for (const connection of connections) connection.sweep()
    for (const peer of peers.values()) peer.sweep()
    stopSweeping = clock.after(sweepInterval, sweep)
  }
  let stopSweeping = clock.after(sweepInterval, sweep)
  let certificates: Certificates = options

  return {
    address: own.address,
    port: own.port,
    get handshakeErrors() {
      return handshakeErrors
    },
    get connections() {
      return sockets.size
    },
    reload(changes) {
      const next = { ...certificates, ...changes }
      secure.reload(next)
      certificates = next
    },
    async close(graceMilliseconds = 10_000) {
      let gone = Promise.resolve()
      const stop = () => {
        service.closing = true
        gone = new Promise((resolve) => front.close(() => resolve()))
      }
      if (options.sharePort && canSharePorts()) await inQuietTurn(() => accepted, stop)
      else stop()
      // Another server of the port lets clients go on without an error, such as that of a request on a connection that closes.
      for (const peer of peers.values()) later(() => peer.leave(), options.sharePort ? idleGrace : 0)
      for (const connection of connections) connection.drain()
      // Not a timer of the host, which ends at once when it is longer than 24.8 days.
      const cancel = nodeClock.after(graceMilliseconds, () => {
        for (const socket of sockets) socket.destroy()
      })
      await gone
      stopSweeping()
      cancel()
      http1.close()
    },
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** All interfaces means both address families, where the host has them. */
async function bind(server: Server, { address = '', port = 0, sharePort = false }: ListenOptions, bound?: BoundSocket): Promise<void> {
  const started = (begin: (listening: () => void) => void) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      begin(() => {
        server.off('error', reject)
        resolve()
      })
    })
  if (bound) return started((listening) => server.listen(bound, backlog, listening))
  const attempt = (host: string) => started((listening) => server.listen({ host, port, backlog, reusePort: sharePort }, listening))
  if (!['', '0.0.0.0', '::'].includes(address)) return attempt(address)
  try {
    await attempt('::')
  } catch (error) {
    if (!['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await attempt('0.0.0.0')
  }
}
