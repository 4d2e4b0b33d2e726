import { encode } from '../answers/encode.ts'
import { apiErrorOf, type ErrorEncoding, errorResponse } from '../answers/error.ts'
import { PlainError } from '../answers/plain-error.ts'
import { ApiError, serviceUnavailable } from '../answers/status.ts'
import type { Logger } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { type Endpoint, isPretty, type Negotiator } from '../request/negotiate.ts'
import { Status } from '../resources/meta/status.ts'
import { type Filter, outcome } from './filter.ts'

const errors: Endpoint = { protobuf: true, table: false, transforms: false, gated: false }
/** Errors of requests that a resource handles. */
const resourceErrors: Endpoint = { ...errors, gated: true }
const indentedJson: ErrorEncoding = { format: 'json', mediaType: 'application/json', pretty: true }

/** The encoding of an error that the client has asked for; undefined: it accepts none that there is. */
function errorEncodingOf(exchange: Exchange, negotiator: Negotiator): ErrorEncoding | undefined {
  const { request, query } = exchange
  const { headers } = request
  try {
    const { format, mediaType, pretty } = negotiator.negotiate(headers.get('accept'), exchange.isHandled ? resourceErrors : errors)
    return { format, mediaType, pretty: pretty || isPretty(query, headers) }
  } catch {
    return undefined
  }
}

const unchanged = (_exchange: Exchange, response: Response) => response

/**
 * Converts everything thrown to a response, nearly always a Status, so that the filters outside always see a response. An internal error is logged with its stack; the
 * client gets no stack.
 */
export function recover(logger: Logger, negotiator: Negotiator): Filter {
  const respond = (exchange: Exchange, error: ApiError): Response => {
    const encoding = errorEncodingOf(exchange, negotiator)
    // As in the reference, which writes it past its encoders then, and does not record it.
    if (encoding === undefined) return errorResponse(exchange, error, indentedJson)
    exchange.observer?.responding(() => encode({ value: error.status, schema: Status }, 'json', false), error.status)
    return errorResponse(exchange, error, encoding)
  }
  const answer = (exchange: Exchange, error: unknown): Response => {
    if (error instanceof PlainError) return error.response
    const known = apiErrorOf(error)
    if (known) return respond(exchange, known)
    // The client left: there is no defect, and no reader.
    if (exchange.signal.aborted && error === exchange.signal.reason)
      return respond(exchange, serviceUnavailable('the request was given up'))
    const { path, verb } = exchange.info
    const stack = error instanceof Error ? error.stack : String(error)
    exchange.observer?.panicked(error)
    logger.error({ path, verb, auditId: exchange.auditId, stack }, 'request handler failed')
    return respond(exchange, new ApiError('InternalError', 'This request caused apiserver to panic. Look in the logs for details.'))
  }
  return (exchange, next) => outcome(next, exchange, exchange, unchanged, answer)
}
