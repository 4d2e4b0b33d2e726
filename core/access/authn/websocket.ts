import { tokenPrefix } from '../../outgoing/websocket/handshake.ts'
import type { Platform } from '../../platform.ts'
import { type Accepted, AuthenticationError, type Authenticator, type TokenAuthenticator } from './authenticator.ts'
import { mustKnow } from './bearer.ts'

interface Protocols {
  readonly token?: string
  /** The requested subprotocols without the one that carries the token; the handshake must answer with one of these. */
  readonly others: readonly string[]
}

/**
 * Reads `Sec-WebSocket-Protocol: base64url.bearer.authorization.<domain>.TOKEN, other`: browsers can't set an Authorization
 * header on a websocket. The token is unpadded base64url of UTF-8. Throws an AuthenticationError when it is malformed, repeated,
 * or alone (the handshake must have another protocol to answer with).
 */
export function readWebsocketProtocols(header: string | null, platform: Platform): Protocols {
  const prefix = tokenPrefix(platform)
  const protocols = (header ?? '').split(',').map((protocol) => protocol.trim())
  const carriers = protocols.filter((protocol) => protocol.startsWith(prefix))
  const others = protocols.filter((protocol) => protocol !== '' && !protocol.startsWith(prefix))
  if (carriers.length > 1) throw new AuthenticationError('multiple base64.bearer.authorization tokens specified')
  const token = carriers[0] === undefined ? '' : decode(carriers[0].slice(prefix.length))
  if (token === '') return { others }
  if (others.length === 0) throw new AuthenticationError('missing additional subprotocol')
  return { token, others }
}

function decode(text: string): string {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) throw new AuthenticationError('invalid base64.bearer.authorization token encoding')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
  } catch {
    throw new AuthenticationError('invalid base64.bearer.authorization token')
  }
}

const bySubprotocol = (accepted: Accepted): Accepted => ({ ...accepted, bySubprotocol: true })

/** Authenticates by the token in the subprotocols of a websocket handshake. */
export function websocketAuthenticator(tokens: TokenAuthenticator, platform: Platform): Authenticator {
  return {
    name: tokens.name,
    authenticate: (request, _connection, context) => {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
      const { token } = readWebsocketProtocols(request.headers.get('sec-websocket-protocol'), platform)
      if (token === undefined) return undefined
      const found = mustKnow(tokens.authenticateToken(token, undefined, context))
      return found instanceof Promise ? found.then(bySubprotocol) : bySubprotocol(found)
    },
  }
}
