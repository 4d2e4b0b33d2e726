import { Reply } from '../../answers/reply.ts'
import type { Exchange } from '../../request/exchange.ts'
import { HandshakeError, opening } from '../websocket/handshake.ts'
import { WebSocketEnd } from '../websocket/socket.ts'
import type { ForwardingServices } from './forward.ts'
import { switchProtocols } from './switch-protocols.ts'

/**
 * Opens a WebSocket with the subprotocol that `select` returns (empty: none). If the handshake fails, answers with the error as plain text.
 * `use` serves the client, with the signal of `switchProtocols`. Here alone a stream of bytes becomes a WebSocket: a runtime that has WebSockets but
 * no such streams would give its own here.
 */
export async function webSocketAnswer(
  exchange: Exchange,
  { clock, pauses }: Pick<ForwardingServices, 'clock' | 'pauses'>,
  select: () => string,
  use: (client: WebSocketEnd, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
  try {
    return switchProtocols(exchange, await opening(exchange, select), (stream, signal) => {
      const slices = pauses.slices(() => signal)
      return use(new WebSocketEnd(stream, clock, slices), signal)
    })
  } catch (error) {
    if (!(error instanceof HandshakeError)) throw error
    return new Reply(error.message, error)
  }
}
