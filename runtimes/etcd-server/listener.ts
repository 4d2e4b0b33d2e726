/** A port of the server: HTTP/2 for calls, HTTP/1.1 and HTTP/2 for pages, with TLS or without. */
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { SecureContextOptions, SecureVersion, TLSSocket, Server as TlsServer } from 'node:tls'
import { createServer as createTlsServer } from 'node:tls'
import type { Clock } from '../../core/ports.ts'
import { addressOf } from '../wire/attached/ticket.ts'
import { Buffers } from '../wire/buffers.ts'
import { Holdings } from '../wire/holdings.ts'
import { OutputScheduler } from '../wire/output-scheduler.ts'
import { ServerConnection } from '../wire/server/connection.ts'
import type { RequestHead } from '../wire/server/head.ts'
import { Intake } from '../wire/server/intake.ts'
import { limits } from '../wire/server/limits.ts'
import type { ServerStream } from '../wire/server/stream.ts'
import type { Service } from './calls.ts'
import { createGateway } from './gateway.ts'
import { serveCall } from './grpc.ts'
import type { Page } from './pages.ts'

export interface TlsOptions {
  readonly cert: string
  readonly key: string
  /** PEM bundle that verifies client certificates, which are then required; absent: none is asked for. */
  readonly clientCa?: string | undefined
  readonly minVersion?: SecureVersion | undefined
  readonly maxVersion?: SecureVersion | undefined
  /** As OpenSSL names them; absent: the runtime's. */
  readonly ciphers?: string | undefined
}

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  readonly tls?: TlsOptions | undefined
  /** Absent: pages only. */
  readonly service?: Service | undefined
  readonly page: (target: string) => Page
  readonly clock: Clock
  readonly maxConcurrentStreams: number
}

export interface Listener {
  readonly port: number
  /** Replaces the certificates for new connections. Throws, and changes nothing, when they are unusable. Without TLS it does nothing. */
  reload(tls: TlsOptions): void
  /** Takes no more connections and calls; resolves when there are none left, or after so many milliseconds. */
  close(graceMilliseconds: number): Promise<void>
}

const sweepInterval = 1_000
/** How a client of HTTP/2 begins without TLS (RFC 9113, section 3.3). */
const preface = Buffer.from('PRI')

/** Opens a port. Rejects when the address can't be bound or a certificate is unusable. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { service, page, clock, maxConcurrentStreams } = options
  const shared = { holdings: new Holdings(limits.heldInAll), intake: new Intake(), buffers: new Buffers(), turns: new OutputScheduler() }
  const connections = new Set<ServerConnection>()
  const sockets = new Set<Socket>()
  let now = clock.monotonic()

  const gateway = service && createGateway(service)
  const http1 = createHttpServer({ maxHeaderSize: limits.headerBytes }, (request, response) => {
    if (gateway?.(request, response)) return
    const { status, type, body } = page(request.url ?? '/')
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
  })

  const request = (stream: ServerStream, head: RequestHead, peer: string | undefined) => {
    if (service !== undefined && head.method === 'POST') serveCall(service, stream, head, peer)
    else {
      stream.handled()
      const { status, type, body } = page(head.path ?? '/')
      stream.respond([':status', String(status), 'content-type', type], Buffer.from(body), true)
    }
  }
  const openHttp2 = (socket: Socket) => {
    const peer = addressOf(socket.remoteAddress, socket.remotePort)
    const connection: ServerConnection = new ServerConnection(socket, {
      ...shared,
      maxConcurrentStreams,
      request: (stream, head) => request(stream, head, peer),
      tooLarge: (stream) => {
        stream.handled()
        stream.respond([':status', '431'], undefined, true)
      },
      failed: (error) => service?.logger.debug({ err: error }, 'connection failed'),
      now: () => now,
    })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  }
  const openHttp1 = (socket: Socket) => void http1.emit('connection', socket)

  const accept = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  /** Without TLS the first bytes tell the protocol. */
  const sniff = (socket: Socket) => {
    accept(socket)
    const timer = setTimeout(() => socket.destroy(), limits.headers).unref()
    socket.once('close', () => clearTimeout(timer))
    socket.once('data', (first: Buffer) => {
      clearTimeout(timer)
      socket.pause()
      socket.unshift(first)
      if (first.subarray(0, preface.length).equals(preface)) openHttp2(socket)
      else openHttp1(socket)
      socket.resume()
    })
  }
  const secure = options.tls && secureServer(options.tls, accept, openHttp1, openHttp2)
  const server = secure ?? createServer({ noDelay: true }, sniff)
  await listening(server, options)

  const sweep = () => {
    now = clock.monotonic()
    for (const connection of connections) connection.sweep()
    stopSweeping = clock.after(sweepInterval, sweep)
  }
  let stopSweeping = clock.after(sweepInterval, sweep)
  const address = server.address()

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    reload: (tls) => secure?.setSecureContext(contextOf(tls)),
    async close(graceMilliseconds) {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const connection of connections) connection.drain()
      http1.close()
      http1.closeIdleConnections()
      const cancel = clock.after(graceMilliseconds, () => {
        for (const socket of sockets) socket.destroy()
      })
      await closed
      cancel()
      stopSweeping()
    },
  }
}

const contextOf = ({ clientCa, minVersion = 'TLSv1.2', ...rest }: TlsOptions): SecureContextOptions => ({
  ...rest,
  minVersion,
  ...(clientCa !== undefined && { ca: clientCa }),
})

type Take = (socket: Socket) => void

function secureServer(tls: TlsOptions, accept: Take, openHttp1: Take, openHttp2: Take): TlsServer {
  const client = tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  const options = { ...contextOf(tls), ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: limits.headers, noDelay: true, ...client }
  return createTlsServer(options, (socket: TLSSocket) => {
    accept(socket)
    if (socket.alpnProtocol === 'h2') openHttp2(socket)
    else openHttp1(socket)
  })
}

function listening(server: Server, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
