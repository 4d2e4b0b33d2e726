import { Reply } from '../answers/reply.ts'
import type { Filter } from './filter.ts'

/** Adds headers to a response. */
function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

function adding(headers: Readonly<Record<string, string>>): Filter {
  return (exchange, next) => {
    const answer = next(exchange)
    return answer instanceof Promise ? answer.then((response) => withHeaders(response, headers)) : withHeaders(answer, headers)
  }
}

/** Adds `Strict-Transport-Security` (RFC 6797) with these directives. */
export const hsts = (directives: readonly string[]): Filter => adding({ 'strict-transport-security': directives.join('; ') })

const crossOrigin = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

/** Handles CORS requests from origins that `accepts` allows (`--cors-allowed-origins`), and answers their preflight requests. */
export function cors(accepts: (origin: string) => boolean): Filter {
  return (exchange, next) => {
    const { method, headers } = exchange.request
    const origin = headers.get('origin')
    if (origin === null || !accepts(origin)) return next(exchange)
    const allowed = { ...crossOrigin, 'access-control-allow-origin': origin }
    return method === 'OPTIONS' ? new Reply(null, { status: 204, headers: allowed }) : adding(allowed)(exchange, next)
  }
}
