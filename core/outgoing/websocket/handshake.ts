/** The server's part of the opening handshake (RFC 6455 4.2, RFC 8441 5). */
import { requestUrl } from '../../cel/library/request-url.ts'
import { drained } from '../../cel/steps.ts'
import type { Platform } from '../../platform.ts'
import { isUpgrade } from '../../request/connection-options.ts'
import type { Exchange } from '../../request/exchange.ts'

const version = '13'

/** Appended to the client's key (RFC 6455 1.3). */
const suffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A request is refused, with this HTTP status and these headers. */
export class HandshakeError extends Error {
  override readonly name = 'HandshakeError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Whether a request asks for a WebSocket. */
export const isWebSocket = (request: Request) => request.headers.get('upgrade')?.toLowerCase() === 'websocket' && isUpgrade(request)

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

/**
 * The subprotocol of a client that may offer one at most, which is accepted whatever it says, as golang.org/x/net/websocket does for handlers that
 * select none; empty: none. One that carries a token is left out only if the client is known by it. Throws a HandshakeError when it offers several, and when it has no Origin that is a URL.
 */
export function onlyProtocol({ request, bySubprotocol }: Exchange, platform: Platform): string {
  const { headers } = request
  if (typeof drained(requestUrl(headers.get('origin') ?? '')) === 'string') throw new HandshakeError(403, '')
  const header = headers.get('sec-websocket-protocol') ?? ''
  const [first = '', second] = bySubprotocol ? withoutToken(header, platform) : protocolsOf(header)
  if (second !== undefined) throw new HandshakeError(400, '')
  return first
}

/** Start of the subprotocol that carries a bearer token: browsers can't set Authorization on a WebSocket. */
export const tokenPrefix = (platform: Platform) => platform.name('base64url.bearer.authorization.<domain>.')

const protocolsOf = (header: string) => header.split(',').map((each) => each.trim())

/** The subprotocols of a header without those that carry a token. */
export function withoutToken(header: string, platform: Platform): readonly string[] {
  const prefix = tokenPrefix(platform)
  return protocolsOf(header).filter((each) => !each.startsWith(prefix))
}

/**
 * Headers of the answer that opens the connection, with the subprotocol that `select` returns (empty: none). Throws a HandshakeError for a malformed
 * request.
 */
export async function opening(
  { request, connection }: Pick<Exchange, 'request' | 'connection'>,
  select: () => string,
): Promise<Record<string, string>> {
  const { headers, method } = request
  const key = headers.get('sec-websocket-key') ?? ''
  if (method !== 'GET') throw new HandshakeError(405, 'bad method')
  // An extended CONNECT has none (RFC 8441 5).
  if (key === '' && connection.protocol === 'http/1.1') throw new HandshakeError(400, 'mismatch challenge/response')
  if (headers.get('sec-websocket-version') !== version)
    throw new HandshakeError(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': version })
  const protocol = select()
  return {
    upgrade: 'websocket',
    ...(protocol !== '' && { 'sec-websocket-protocol': protocol }),
    ...(key !== '' && { 'sec-websocket-accept': await accept(key) }),
  }
}
