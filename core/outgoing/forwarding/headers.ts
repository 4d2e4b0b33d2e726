/** Headers of requests and responses that are passed on. */

import { LightHeaders } from '../../answers/light-headers.ts'
import type { Platform } from '../../platform.ts'
import { tokensOf } from '../../request/connection-options.ts'
import type { Exchange } from '../../request/exchange.ts'
import { withoutToken } from '../websocket/handshake.ts'

/** Hop-by-hop header fields (RFC 9110 7.6.1), as net/http/httputil removes them. */
const connectionFields = [
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]

/** The listener has handled these. */
const answeredFields = ['expect']

/** A copy without hop-by-hop fields, including those that `Connection` lists. */
export function endToEnd(headers: Headers): LightHeaders {
  const unwanted = new Set([...connectionFields, ...tokensOf(headers.get('connection'))])
  return new LightHeaders([...headers.entries()].filter(([name]) => !unwanted.has(name)))
}

/**
 * Headers to send to a backend: the client's headers without credentials, and with the client's address in X-Forwarded-For. Authentication
 * has already removed the headers that it reads; impersonation headers and bearer tokens in WebSocket subprotocols are removed here.
 */
export function forwardedHeaders({ request, connection }: Exchange, platform: Platform): LightHeaders {
  const headers = endToEnd(request.headers)
  headers.deleteAll((name) => name.startsWith('impersonate-'))
  for (const name of [...answeredFields, 'host']) headers.delete(name)
  const protocols = headers.get('sec-websocket-protocol')
  if (protocols !== null) headers.set('sec-websocket-protocol', withoutToken(protocols, platform).join(', '))
  if (tokensOf(request.headers.get('te')).includes('trailers')) headers.set('te', 'trailers')
  const { remoteAddress } = connection
  const before = headers.get('x-forwarded-for')
  if (remoteAddress !== '') headers.set('x-forwarded-for', before === null ? remoteAddress : `${before}, ${remoteAddress}`)
  return headers
}
