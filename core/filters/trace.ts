import { traceHeaders } from '../respond/headers.ts'
import type { Filter } from './filter.ts'

/**
 * Outermost: every answer says which request it is about, that it may not be kept, and what the client is warned of. What a verb answers has
 * these headers from the start, which costs less.
 */
export const trace: Filter = (exchange, next) => {
  const complete = (response: Response): Response => {
    if (exchange.traced) return response
    for (const [name, value] of traceHeaders(exchange)) {
      if (name === 'warning') response.headers.append(name, value)
      else if (!response.headers.has(name)) response.headers.set(name, value)
    }
    return response
  }
  const answer = next(exchange)
  return answer instanceof Promise ? answer.then(complete) : complete(answer)
}
