import { apiErrorOf } from '../answers/error.ts'
import { PlainError } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import type { Clock, Connection, Logger, SpanAttributes } from '../ports.ts'
import { whenEnded } from '../request/ended.ts'
import type { Exchange } from '../request/exchange.ts'
import { loggedTarget } from '../request/logged-target.ts'
import type { TraceLog } from '../tracing/log-trace.ts'
import { RecordedSpan, UnsampledSpan } from '../tracing/span.ts'
import { parseTraceparent } from '../tracing/traceparent.ts'
import type { RequestSpan, RequestTrace } from '../tracing/tracer.ts'
import type { Filter } from './filter.ts'

export type BeginSpan = (request: RequestTrace) => RequestSpan | UnsampledSpan

export interface TracingOptions {
  /** Absent: requests are not traced. */
  readonly begin: BeginSpan | undefined
  readonly clock: Clock
  readonly logger: Logger
  /** Connection of the server's own requests. */
  readonly own: Connection
}

/** Verbosity at which slow requests are logged, and the one at which all of their steps are. */
const [slowVerbosity, stepVerbosity] = [2, 4]

/** Groups of callers that may continue their traces, and decide which requests are sampled. */
const trusted = new Set(['system:masters', 'system:monitoring'])
const maxAuditIdLength = 64

/** `GET /api/v1/namespaces/{:namespace}/pods/{:name}`: without names, of which there is no bound. */
function nameOf({ info, request }: Exchange): string {
  if (!info.isResource) return request.method
  const group = info.group === '' ? '/api' : `/apis/${info.group}`
  const parts = [info.namespace && 'namespaces/{:namespace}', info.resource, info.name && '{:name}', info.subresource]
  return `${request.method} ${group}/${info.version}/${parts.filter((part) => part !== '').join('/')}`
}

/** Address and port of the header Host. */
function serverOf(host: string): SpanAttributes {
  const colon = host.lastIndexOf(':')
  const port = colon > host.lastIndexOf(']') ? Number(host.slice(colon + 1)) : Number.NaN
  if (!Number.isInteger(port)) return { 'server.address': host }
  return { 'server.address': host.slice(0, colon), 'server.port': port }
}

function attributesOf({ request, connection, info, auditId }: Exchange): SpanAttributes {
  const size = request.headers.get('content-length')
  return {
    ...serverOf(request.headers.get('host') ?? ''),
    'http.request.method': request.method,
    'url.scheme': connection.tls ? 'https' : 'http',
    'network.peer.address': connection.remoteAddress,
    'network.peer.port': connection.remotePort,
    'user_agent.original': request.headers.get('user-agent') ?? '',
    'client.address': connection.remoteAddress,
    'url.path': info.path,
    'network.protocol.version': connection.protocol === 'h2' ? '2.0' : '1.1',
    'http.target': loggedTarget(request, info),
    'audit-id': auditId.slice(0, maxAuditIdLength),
    ...(size !== null && { 'http.request.body.size': Number(size) }),
  }
}

const statusOf = (error: unknown) => (error instanceof PlainError ? error.code : (apiErrorOf(error)?.status.code ?? 500))

/**
 * Begins the span of each request, after authentication: who asks decides whether the caller's trace continues. Without a tracer, and when slow
 * requests are not logged, requests have no span.
 */
export function tracing({ begin, clock, logger, own }: TracingOptions): Filter {
  const log: TraceLog = {
    clock,
    write: (text) => logger.info({}, text),
    isVerbose: () => logger.v?.(stepVerbosity) ?? false,
  }

  function begun(exchange: Exchange, beginSpan: BeginSpan): RequestSpan | UnsampledSpan {
    const now = clock.now()
    const start = now - (clock.monotonic() - exchange.received)
    const parent = parseTraceparent(exchange.request.headers.get('traceparent'))
    const continues = exchange.connection === own || exchange.user.groups.some((group) => trusted.has(group))
    const span = beginSpan({ name: nameOf(exchange), attributes: () => attributesOf(exchange), start, parent, continues })
    if (!(span instanceof UnsampledSpan)) span.past('authentication', start, now)
    return span
  }

  return (exchange, next) => {
    const logs = logger.v?.(slowVerbosity) ? log : undefined
    if (begin === undefined && logs === undefined) return next(exchange)
    const made = begin && begun(exchange, begin)
    if (made instanceof UnsampledSpan && logs === undefined) {
      exchange.span = made
      return next(exchange)
    }
    const recorded = made instanceof UnsampledSpan ? undefined : made
    const span = new RecordedSpan(recorded, logs)
    exchange.span = span
    const end = (status: number) => {
      recorded?.set({ 'http.response.status_code': status })
      if (status >= 500) recorded?.fail()
      span.end()
    }
    const answered = (response: Response): Response => {
      if (recorded) Reply.measure(response, (bytes) => recorded.set({ 'http.response.body.size': bytes }))
      return whenEnded(exchange, response, () => end(response.status))
    }
    const failed = (error: unknown): never => {
      end(statusOf(error))
      throw error
    }
    try {
      const answer = next(exchange)
      return answer instanceof Promise ? answer.then(answered, failed) : answered(answer)
    } catch (error) {
      return failed(error)
    }
  }
}

/** The span of a filter lasts until it calls the next one, or has answered. */
export function spanned(name: string, filter: Filter): Filter {
  return (exchange, next) => {
    const span = exchange.span?.start(name)
    if (span === undefined) return filter(exchange, next)
    const end = () => span.end()
    const ended = (passed: Exchange) => {
      end()
      return next(passed)
    }
    try {
      const answer = filter(exchange, ended)
      if (answer instanceof Promise) answer.then(end, end)
      else end()
      return answer
    } catch (error) {
      end()
      throw error
    }
  }
}
