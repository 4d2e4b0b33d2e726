/** Port-forwards for clients with WebSockets: SPDY in binary messages, unpacked towards the node agent (streamtunnel.go). */

import { LightHeaders } from '../../answers/light-headers.ts'
import { Reply } from '../../answers/reply.ts'
import { ApiError, badRequest, unreasoned } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { ByteStream } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import { opcodes, WebSocketError } from '../websocket/frames.ts'
import { negotiate, offered } from '../websocket/handshake.ts'
import type { WebSocketEnd } from '../websocket/socket.ts'
import type { Destination } from './destination.ts'
import { endToEnd, forwardedHeaders } from './headers.ts'
import type { AgentServices } from './metrics.ts'
import { rateLimited } from './rate-limit.ts'
import { noUpgrades } from './switch-protocols.ts'
import { dialUpgrade } from './upgrade.ts'
import { webSocketAnswer } from './websocket-answer.ts'

/** Prefix of subprotocols that tunnel SPDY; the rest is the protocol of the SPDY streams. */
const prefix = 'SPDY/3.1+'

const tunnelled = (request: Request, platform: Platform) =>
  offered(request).filter((each) => each.startsWith(prefix) && each.endsWith(platform.name('.<domain>')))

/** Whether the client offers a subprotocol that is a tunnel. */
export const wantsTunnel = (request: Request, platform: Platform) => tunnelled(request, platform).length > 0

/** Copies both directions until one ends, which ends the other. */
async function pump(client: WebSocketEnd, agent: ByteStream): Promise<void> {
  const writer = agent.writable.getWriter()
  writer.closed.catch(() => undefined)
  const reader = agent.readable.getReader()
  const toAgent = client.receive(async ({ opcode, bytes }) => {
    if (opcode !== opcodes.binary) throw new WebSocketError('invalid message type received')
    if (bytes.length === 0) return
    await writer.ready
    // No copy: nothing changes the bytes of a received message.
    writer.write(bytes).catch(() => undefined)
  })
  const toClient = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await client.send(opcodes.binary, value)
    }
  }
  await Promise.race([toAgent, toClient()]).catch(() => undefined)
  toAgent.catch(() => undefined)
  await client.close()
  await writer.close().catch(() => undefined)
  await reader.cancel().catch(() => undefined)
}

/** Answers a request for a tunnel after the agent has accepted the protocol in it. If the agent refuses, its response is the answer. */
export function relayTunnel(exchange: Exchange, destination: Destination, services: AgentServices): Promise<Response> {
  return openTunnel(exchange, destination, services).then(
    (response) => {
      services.forwarding.tunnelled.add([String(response.status)])
      return response
    },
    (error: unknown) => {
      services.forwarding.tunnelled.add([String(error instanceof ApiError ? (error.status.code ?? 500) : 500)])
      throw error
    },
  )
}

async function openTunnel(exchange: Exchange, destination: Destination, services: AgentServices): Promise<Response> {
  const { connection, request, signal } = exchange
  if (connection.upgrade === undefined) throw badRequest(noUpgrades)
  const headers = forwardedHeaders(exchange, services.platform)
  headers.deleteAll((name) => name.startsWith('sec-websocket-'))
  headers.set('connection', 'Upgrade')
  headers.set('upgrade', 'SPDY/3.1')
  headers.set(
    'x-stream-protocol-version',
    tunnelled(request, services.platform)
      .map((each) => each.slice(prefix.length))
      .join(', '),
  )
  const ending = new AbortController()
  const init = { method: 'POST', headers, host: request.headers.get('host'), signal: AbortSignal.any([signal, ending.signal]) }
  const { status, headers: given, body, stream } = await dialUpgrade(exchange, destination, init, services)
  if (stream === undefined) return new Reply(body, { status, headers: new LightHeaders([...endToEnd(given).entries()]) })
  const abandon = (error: unknown): never => {
    ending.abort(error)
    throw error
  }
  if (given.get('upgrade')?.toLowerCase() !== 'spdy/3.1') abandon(unreasoned('unable to upgrade: missing upgrade headers in response'))
  const chosen = given.get('x-stream-protocol-version')?.trim() ?? ''
  const select = () => negotiate(request, [`${prefix}${chosen}`])
  const use = async (client: WebSocketEnd, ends: AbortSignal) => {
    const end = () => ending.abort(ends.reason)
    ends.addEventListener('abort', end, { once: true })
    const { clock, maxConnectionBytesPerSecond = 0 } = services
    const limited = rateLimited(stream, maxConnectionBytesPerSecond, clock)
    await pump(client, limited).finally(() => ending.abort(new Error('the tunnel has ended')))
  }
  const answer = await webSocketAnswer(exchange, services, select, use).catch(abandon)
  if (answer.status >= 400) ending.abort(new Error('the tunnel was refused'))
  return answer
}
