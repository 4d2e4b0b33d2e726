import type { Logger } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Negotiated, Negotiator } from '../request/negotiate.ts'
import { apiErrorOf, errorResponse } from '../respond/error.ts'
import { ApiError } from '../respond/status.ts'
import type { Filter } from './filter.ts'

const json = { format: 'json', mediaType: 'application/json' } as const

/** The encoding of an error: the client's choice, or JSON if that is not acceptable. */
function acceptable({ request }: Exchange, negotiator: Negotiator): Pick<Negotiated, 'format' | 'mediaType'> {
  try {
    return negotiator.negotiate(request.headers.get('accept'), { protobuf: true, table: true })
  } catch {
    return json
  }
}

/**
 * Converts everything thrown to a Status, so that the filters outside always see a response. An internal error is logged with its stack; the
 * client gets no stack.
 */
export function recover(logger: Logger, negotiator: Negotiator): Filter {
  const respond = (exchange: Exchange, error: ApiError): Response => {
    const { format, mediaType } = acceptable(exchange, negotiator)
    return errorResponse(exchange, error, format, mediaType)
  }
  const answer = (exchange: Exchange, error: unknown): Response => {
    const known = apiErrorOf(error)
    if (known) return respond(exchange, known)
    const { path, verb } = exchange.info
    const stack = error instanceof Error ? error.stack : String(error)
    logger.error({ path, verb, auditId: exchange.auditId, stack }, 'request handler failed')
    return respond(exchange, new ApiError('InternalError', 'This request caused apiserver to panic. Look in the logs for details.'))
  }
  return (exchange, next) => {
    try {
      const result = next(exchange)
      return result instanceof Promise ? result.catch((error: unknown) => answer(exchange, error)) : result
    } catch (error) {
      return answer(exchange, error)
    }
  }
}
