import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from '../../core/ports.ts'
import { Holdings } from '../wire/holdings.ts'
import { limits } from '../wire/server/limits.ts'
import { Turns } from '../wire/turns.ts'
import { normalAddress } from './http/connection.ts'
import { serveHttp1 } from './http/http1.ts'
import { Http1Peer } from './http/http1-peer.ts'
import { whenSent } from './http/sent.ts'
import { createService, type Handler } from './http/service.ts'

const connectionOf = (socket: Partial<Socket>): Connection => ({
  whenSent,
  remoteAddress: normalAddress(socket.remoteAddress ?? ''),
  remotePort: socket.remotePort ?? 0,
  protocol: 'http/1.1',
})

/** HTTP/1.1 without TLS. The caller makes it listen, or passes connections to it. */
export function plainServer(handler: Handler): Server {
  const service = createService(handler)
  const holdings = new Holdings(limits.heldInAll)
  const turns = new Turns()
  const peers = new WeakMap<Socket, Http1Peer>()
  const server = createServer({ requestTimeout: 0 })
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming
    let peer = peers.get(socket)
    if (peer === undefined) {
      const connection = connectionOf(socket)
      const opened = new Http1Peer(socket, { connection, holdings, turns, now: () => performance.now(), late: () => socket.destroy() })
      peers.set(socket, opened)
      socket.once('close', () => opened.disconnected())
      peer = opened
    }
    serveHttp1(service, peer, incoming, outgoing)
  })
  return server
}
