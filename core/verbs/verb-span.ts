import { auditIdOf, protocolOf } from '../answers/rendering/encoding-span.ts'
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

export function scopeOf({ name, verb, namespace }: Exchange['info']): string {
  if (name !== '' || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

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
