import { formatDuration } from '../config/duration.ts'
import type { Clock, Logger } from '../ports.ts'
import { whenSent } from '../request/ended.ts'
import { loggedTarget } from '../request/logged-target.ts'
import type { Filter } from './filter.ts'
import { verbOf } from './request-labels.ts'

/** Verbosity at which each request is logged. */
const requestVerbosity = 3
/** Audit IDs are the client's: longer ones are not logged whole. */
const maxAuditIdLength = 64

/** Logs each request when it has been answered, as the reference does (httplog), without secrets. Streams are logged when they end. */
export function requestLog(logger: Logger, clock: Clock): Filter {
  return (exchange, next) => {
    if (!logger.v?.(requestVerbosity)) return next(exchange)
    const { request, connection, info, auditId } = exchange
    // Read now: authentication changes the headers.
    const head = { verb: verbOf(exchange), URI: loggedTarget(request, info) }
    const userAgent = request.headers.get('user-agent') ?? ''
    exchange.remarks = {}
    const log = (response: Response) =>
      logger.info(
        {
          ...head,
          latency: formatDuration(clock.monotonic() - exchange.received),
          userAgent,
          'audit-ID': auditId.slice(0, maxAuditIdLength),
          srcIP: connection.remoteAddress === '' ? '' : addressOf(connection.remoteAddress, connection.remotePort),
          ...exchange.remarks,
          ...(response.status === 101 ? { hijacked: true } : { resp: response.status }),
        },
        'HTTP',
      )
    const answered = (response: Response): Response => whenSent(exchange, response, () => log(response))
    const answer = next(exchange)
    return answer instanceof Promise ? answer.then(answered) : answered(answer)
  }
}

const addressOf = (address: string, port: number) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)
