import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from '../../../core/ports.ts'
import { Holdings } from '../../wire/holdings.ts'
import { OutputScheduler } from '../../wire/output-scheduler.ts'
import { Intake } from '../../wire/server/intake.ts'
import { limits } from '../../wire/server/limits.ts'
import { normalAddress } from '../http/connection.ts'
import { serveHttp1 } from '../http/http1.ts'
import { Http1Peer } from '../http/http1-peer.ts'
import { whenSent } from '../http/sent.ts'
import { createService, type Handler } from '../http/service.ts'

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
  const intake = new Intake()
  const turns = new OutputScheduler()
  const peers = new WeakMap<Socket, Http1Peer>()
  const server = createServer({ requestTimeout: 0 })
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, continues: boolean) => {
    const { socket } = incoming
    let peer = peers.get(socket)
    if (peer === undefined) {
      const connection = connectionOf(socket)
      const late = () => socket.destroy()
      const opened = new Http1Peer(socket, { connection, holdings, intake, turns, now: () => performance.now(), late })
      peers.set(socket, opened)
      socket.once('close', () => opened.disconnected())
      peer = opened
    }
    serveHttp1(service, peer, incoming, outgoing, continues)
  }
  server.on('request', (incoming, outgoing) => answer(incoming, outgoing, false))
  server.on('checkContinue', (incoming, outgoing) => answer(incoming, outgoing, true))
  return server
}
