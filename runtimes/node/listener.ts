import { constants } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls'
import type { Logger } from '../../core/ports.ts'
import { connectionOf, normalAddress } from './http/connection.ts'
import { type Handler, maxFields, type Service } from './http/exchange.ts'
import { disconnected, type Http1Peer, serveHttp1 } from './http/http1.ts'
import { serveHttp2 } from './http/http2.ts'
import { installLightClasses } from './http/install.ts'
import { refuse, refuseHandshake } from './http/refusal.ts'
import { type CipherSuite, cipherText, type KeyPair, type NamedKeyPair, nameTable, tlsVersions } from './http/tls.ts'

export type { Handler } from './http/exchange.ts'
export type { CipherSuite, KeyPair, NamedKeyPair } from './http/tls.ts'

/** What can be changed while the listener is open. */
export interface Certificates extends KeyPair {
  /** Certificates for certain server names, or for clients that send none, local addresses. */
  readonly sni?: readonly NamedKeyPair[]
  /** PEM bundles whose names are announced to clients. A client certificate is asked for in any case, and never verified here. */
  readonly clientAuthorities?: readonly string[]
}

export interface ListenOptions extends Certificates {
  /** Default: all interfaces and address families, as for `0.0.0.0` and `::`. */
  readonly address?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** Several processes may listen on one port (SO_REUSEPORT; Node 23.1 and later, ignored before). */
  readonly sharePort?: boolean
  /** Default true. */
  readonly http2?: boolean
  /** HTTP/2 streams that a client may have open at once. Default 100. */
  readonly maxConcurrentStreams?: number
  /** Default VersionTLS12. */
  readonly minVersion?: keyof typeof tlsVersions
  /** For TLS 1.2 and before. Default: the runtime's. */
  readonly cipherSuites?: readonly CipherSuite[]
  /** Hears of failed handshakes (debug) and failed handlers (error). */
  readonly logger?: Logger
}

export interface Listener {
  readonly address: string
  readonly port: number
  /** Certificates for new connections. Throws, and changes nothing, when they are unusable. */
  reload(certificates: Partial<Certificates>): void
  /** Accepts nothing more, lets requests in flight end for so many milliseconds (default 10 seconds), then cuts. Resolves when all sockets are gone. */
  close(graceMilliseconds?: number): Promise<void>
}

const maxHeaderBytes = 1024 * 1024
const idleMilliseconds = 90_000
const headerMilliseconds = 32_000
const uploadWindow = 256 * 1024

/**
 * Opens a port that speaks TLS with HTTP/2 and HTTP/1.1, and hands every request to `handler`.
 * Rejects when the address can't be bound or a certificate is unusable. From then on `Response` and `Request` are light classes (http/install.ts).
 */
export async function listen(options: ListenOptions, handler: Handler): Promise<Listener> {
  installLightClasses()
  const { http2 = true, maxConcurrentStreams = 100, logger } = options
  const service: Service = { handler, logger, closing: false }
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const peers = new WeakMap<Socket, Http1Peer>()

  const http1 = createHttpServer({
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: 0,
    headersTimeout: headerMilliseconds,
    keepAliveTimeout: idleMilliseconds,
  })
  // What comes beyond is left out: one more than may come, so that it is seen.
  http1.maxHeadersCount = maxFields + 1
  // Its connections come from another server. Deno does not keep those of a server alive that listens nowhere.
  Object.defineProperty(http1, 'listening', { get: () => !service.closing })
  http1.on('request', (incoming, outgoing) => {
    const peer = peers.get(incoming.socket) as Http1Peer
    serveHttp1(service, peer, incoming, outgoing)
    if (service.closing) outgoing.once('finish', () => setImmediate(() => http1.closeIdleConnections()))
  })

  http1.on('clientError', (error, socket: Socket) => {
    const { inFlight } = peers.get(socket) as Http1Peer
    refuse(socket, error, inFlight.size > 0)
  })

  const openHttp1 = (socket: TLSSocket) => {
    const peer: Http1Peer = { connection: connectionOf(socket), inFlight: new Set() }
    peers.set(socket, peer)
    socket.once('close', () => disconnected(peer))
    http1.emit('connection', socket)
  }

  const openHttp2 = (socket: TLSSocket) => {
    const connection = connectionOf(socket)
    const session = performServerHandshake(socket, {
      maxSessionMemory: 1024,
      maxHeaderListPairs: maxFields,
      settings: { maxConcurrentStreams, initialWindowSize: uploadWindow, maxHeaderListSize: maxHeaderBytes },
    })
    let streams = 0
    session.on('error', (error) => logger?.debug({ err: error }, 'connection failed'))
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]) => {
      streams++
      stream.once('close', () => streams--)
      serveHttp2(service, connection, stream, headers, flags, raw)
    })
    session.setTimeout(idleMilliseconds, () => {
      if (streams === 0) session.close()
    })
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  }

  const accept = (socket: TLSSocket) => {
    socket.on('error', (error) => logger?.debug({ err: error }, 'connection failed'))
    if (service.closing) socket.destroy()
    else if (socket.alpnProtocol === 'h2') openHttp2(socket)
    else openHttp1(socket)
  }

  const contextOptions = ({ cert, key }: KeyPair, authorities: readonly string[] = []): SecureContextOptions => ({
    cert,
    key,
    ca: [...authorities],
    minVersion: tlsVersions[options.minVersion ?? 'VersionTLS12'],
    ...(options.cipherSuites?.length && { ciphers: cipherText(options.cipherSuites) }),
    // A resumed session lacks the client's intermediate certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
  })

  interface Contexts {
    readonly byName: (name: string) => SecureContext | undefined
    readonly byAddress: (address: string) => TlsServer | undefined
  }
  let contexts: Contexts = { byName: () => undefined, byAddress: () => undefined }
  const secureServer = (secure: SecureContextOptions) => {
    const server = createTlsServer(
      {
        ...secure,
        ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: 10_000,
        SNICallback: (name, done) => done(null, contexts.byName(name)),
      },
      accept,
    )
    server.on('tlsClientError', (error, socket) => {
      logger?.debug({ err: error, remoteAddress: socket.remoteAddress }, 'TLS handshake failed')
      refuseHandshake(socket, error)
    })
    return server
  }
  const namedContexts = ({ sni = [], clientAuthorities }: Certificates): Contexts => {
    const secure = sni.map((pair) => [pair, contextOptions(pair, clientAuthorities)] as const)
    return {
      byName: nameTable(secure.map(([pair, each]) => [pair, createSecureContext(each)])),
      byAddress: nameTable(secure.map(([pair, each]) => [pair, secureServer(each)])),
    }
  }

  let certificates: Certificates = options
  contexts = namedContexts(certificates)
  const main = secureServer(contextOptions(certificates, certificates.clientAuthorities))

  const front = createNetServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const server = (socket.localAddress !== undefined && contexts.byAddress(normalAddress(socket.localAddress))) || main
    server.emit('connection', socket)
  })
  await bind(front, options)
  const bound = front.address()
  if (bound === null || typeof bound === 'string') throw new Error('listen: no address')

  return {
    address: bound.address,
    port: bound.port,
    reload(changes) {
      const next = { ...certificates, ...changes }
      const named = namedContexts(next)
      main.setSecureContext(contextOptions(next, next.clientAuthorities))
      contexts = named
      certificates = next
    },
    async close(graceMilliseconds = 10_000) {
      service.closing = true
      const gone = new Promise<void>((resolve) => front.close(() => resolve()))
      http1.closeIdleConnections()
      for (const session of sessions) session.close()
      const timer = setTimeout(() => {
        for (const session of sessions) session.destroy()
        for (const socket of sockets) socket.destroy()
      }, graceMilliseconds)
      await gone
      clearTimeout(timer)
      http1.close()
    },
  }
}

/** All interfaces means both address families, where the host has them. */
async function bind(server: Server, { address = '', port = 0, sharePort = false }: ListenOptions): Promise<void> {
  const attempt = (host: string) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: 1024, reusePort: sharePort }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  if (!['', '0.0.0.0', '::'].includes(address)) return attempt(address)
  try {
    await attempt('::')
  } catch (error) {
    if (!['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await attempt('0.0.0.0')
  }
}
