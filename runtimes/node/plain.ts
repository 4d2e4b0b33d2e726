import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection } from '../../core/ports.ts'
import { normalAddress } from './http/connection.ts'
import type { Handler, Service } from './http/exchange.ts'
import { disconnected, type Http1Peer, serveHttp1 } from './http/http1.ts'

const connectionOf = (socket: Partial<Socket>): Connection => ({
  remoteAddress: normalAddress(socket.remoteAddress ?? ''),
  remotePort: socket.remotePort ?? 0,
  protocol: 'http/1.1',
})

/** HTTP/1.1 without TLS over whatever connections the server gets. It listens nowhere until it is told to. */
export function plainServer(handler: Handler): Server {
  const service: Service = { handler, logger: undefined, closing: false }
  const peers = new WeakMap<Duplex, Http1Peer>()
  const server = createServer({ requestTimeout: 0 })
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming
    let peer = peers.get(socket)
    if (peer === undefined) {
      const opened: Http1Peer = { connection: connectionOf(socket), inFlight: new Set() }
      peers.set(socket, opened)
      socket.once('close', () => disconnected(opened))
      peer = opened
    }
    serveHttp1(service, peer, incoming, outgoing)
  })
  return server
}
