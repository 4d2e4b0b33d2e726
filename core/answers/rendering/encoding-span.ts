import type { Span } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'

/** Characters of a header that a client chooses. */
const maxAuditId = 64
const protocols: { readonly [protocol: string]: string } = { h2: 'HTTP/2.0', 'http/1.1': 'HTTP/1.1' }

export const auditIdOf = ({ auditId }: Exchange) => auditId.slice(0, maxAuditId)
export const protocolOf = ({ connection }: Exchange) => protocols[connection.protocol] ?? ''

/** Milliseconds after which encoding a response counts as slow. */
export const slowEncoding = 5_000

/** Begins the span of encoding a response; undefined: the request has none. */
export function startEncoding(exchange: Exchange, mediaType: string): Span | undefined {
  const { span, request, info } = exchange
  if (span === undefined) return undefined
  span.event('About to write a response')
  const about = { 'audit-id': auditIdOf(exchange), method: request.method, url: info.path, protocol: protocolOf(exchange), mediaType }
  return span.start('SerializeObject', about)
}
