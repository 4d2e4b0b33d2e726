/** The server's part of the opening handshake (RFC 6455 4.2, RFC 8441 5). */
import type { Exchange } from '../request/exchange.ts'

/** Appended to the client's key (RFC 6455 1.3). */
const suffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A request is refused, with this HTTP status. */
export class HandshakeError extends Error {
  override readonly name = 'HandshakeError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Whether a request asks for a WebSocket. */
export const isWebSocket = ({ headers }: Request) =>
  headers.get('upgrade')?.toLowerCase() === 'websocket' && (headers.get('connection') ?? '').toLowerCase().includes('upgrade')

/** The subprotocols that a client offers, in its order. */
export const offered = ({ headers }: Request): readonly string[] =>
  (headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '')

/**
 * The first subprotocol of the client that is in the list; empty: it offers none, and the list has the empty one. Throws a HandshakeError when
 * there is none.
 */
export function negotiate(request: Request, supported: readonly string[]): string {
  const wanted = offered(request)
  const found = (wanted.length === 0 ? [''] : wanted).find((protocol) => supported.includes(protocol))
  if (found !== undefined) return found
  throw new HandshakeError(403, `requested protocol(s) are not supported: [${wanted.join(' ')}]; supports [${supported.join(' ')}]`)
}

async function accept(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(key + suffix))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

/** Headers of the answer that opens the connection; `protocol`: empty for none. Throws a HandshakeError for a malformed request. */
export async function opening(
  { request, connection }: Pick<Exchange, 'request' | 'connection'>,
  protocol: string,
): Promise<Record<string, string>> {
  const { headers, method } = request
  const key = headers.get('sec-websocket-key')
  if (method !== 'GET') throw new HandshakeError(405, 'bad method')
  if (headers.get('sec-websocket-version') !== '13') throw new HandshakeError(400, 'missing or bad WebSocket Version')
  if (key === null && connection.protocol === 'http/1.1') throw new HandshakeError(400, 'mismatch challenge/response')
  return {
    upgrade: 'websocket',
    ...(protocol !== '' && { 'sec-websocket-protocol': protocol }),
    ...(key !== null && { 'sec-websocket-accept': await accept(key) }),
  }
}
