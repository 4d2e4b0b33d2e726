import type { ByteStream } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { Reply } from '../respond/reply.ts'
import { HandshakeError, opening } from '../websocket/handshake.ts'
import { switchProtocols } from './switch-protocols.ts'

/**
 * Opens a WebSocket with the subprotocol that `select` returns (empty: none). If the handshake fails, answers with the error as plain text.
 * `use` serves the stream, with the signal of `switchProtocols`.
 */
export async function webSocketAnswer(
  exchange: Exchange,
  select: () => string,
  use: (stream: ByteStream, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
  try {
    return switchProtocols(exchange, await opening(exchange, select()), use)
  } catch (error) {
    if (!(error instanceof HandshakeError)) throw error
    return new Reply(error.message, { status: error.status, headers: { 'sec-websocket-version': '13' } })
  }
}
