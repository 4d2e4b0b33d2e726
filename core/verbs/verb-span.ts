import type { Span, SpanAttributes } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { slowOperation } from '../tracing/span.ts'

/** Names of the spans of verbs. Watches have none: they last. */
const names: { readonly [verb: string]: string } = {
  get: 'Get',
  list: 'List',
  create: 'Create',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
}

/** Characters of a header that a client chooses. */
const maxHeader = 1024
const maxAuditId = 64

const protocols: { readonly [protocol: string]: string } = { h2: 'HTTP/2.0', 'http/1.1': 'HTTP/1.1' }

export function scopeOf({ name, verb, namespace }: Exchange['info']): string {
  if (name !== '' || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

const auditIdOf = ({ auditId }: Exchange) => auditId.slice(0, maxAuditId)
const protocolOf = ({ connection }: Exchange) => protocols[connection.protocol] ?? ''

/** Attributes of the span of a verb, with the names of the reference. */
function attributesOf(exchange: Exchange): SpanAttributes {
  const { request, info, connection } = exchange
  const header = (name: string) => (request.headers.get(name) ?? '').slice(0, maxHeader)
  return {
    accept: header('accept'),
    'audit-id': auditIdOf(exchange),
    client: connection.remoteAddress,
    'api-group': info.group,
    'api-version': info.version,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    protocol: protocolOf(exchange),
    resource: info.resource,
    scope: scopeOf(info),
    url: info.path,
    'user-agent': header('user-agent'),
    verb: info.verb === 'list' ? 'LIST' : request.method,
  }
}

/** Runs a verb in a span, which the exchange has meanwhile. */
export function inVerbSpan(exchange: Exchange, whole: Span, run: () => Response | Promise<Response>): Response | Promise<Response> {
  const name = names[exchange.info.verb]
  if (name === undefined) return run()
  const span = whole.start(name, attributesOf(exchange))
  exchange.span = span
  const end = () => {
    exchange.span = whole
    span.end(slowOperation)
  }
  try {
    const answer = run()
    if (answer instanceof Promise) return answer.finally(end)
    end()
    return answer
  } catch (error) {
    end()
    throw error
  }
}

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
