import { traceHeaders } from '../answers/headers.ts'
import type { Exchange } from '../request/exchange.ts'
import { type Filter, outcome, rethrow } from './filter.ts'

/**
 * Outermost filter: adds the audit ID, Cache-Control and warnings to every response. Responses of verbs have these headers already, which is
 * cheaper.
 */
export const trace: Filter = (exchange, next) => outcome(next, exchange, exchange, complete, rethrow)

function complete(exchange: Exchange, response: Response): Response {
  if (exchange.traced) return response
  for (const [name, value] of traceHeaders(exchange)) {
    if (name === 'warning') response.headers.append(name, value)
    else if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
