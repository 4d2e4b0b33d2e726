import type { Filter } from './filter.ts'

const recycle = (response: Response): Response => {
  response.headers.set('connection', 'close')
  return response
}

/**
 * Tells HTTP/2 clients with the given probability to open a new connection, which a load balancer may send to another server
 * (`--goaway-chance`). Runtimes send `Connection: close` as GOAWAY over HTTP/2.
 */
export function goaway(chance: number): Filter {
  return (exchange, next) => {
    const answer = next(exchange)
    if (exchange.connection.protocol !== 'h2' || Math.random() >= chance) return answer
    return answer instanceof Promise ? answer.then(recycle) : recycle(answer)
  }
}

/**
 * Gives clients without an identity one request for each HTTP/2 connection (CVE-2023-44487, CVE-2023-39325): those that authentication
 * refuses, and anonymous ones. `exchange.unidentified` says so; the mark is set before impersonation replaces the user.
 */
export const endUnidentified: Filter = (exchange, next) => {
  const answer = next(exchange)
  // Most callers are known before anything is awaited: no promise is made for their answers.
  if (exchange.connection.protocol !== 'h2' || exchange.unidentified === false) return answer
  const end = (response: Response) => (exchange.unidentified ? recycle(response) : response)
  return answer instanceof Promise ? answer.then(end) : end(answer)
}
