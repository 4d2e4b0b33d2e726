import type { Filter } from './filter.ts'

/**
 * Tells HTTP/2 clients with the given probability to open a new connection, which a load balancer may send to another server
 * (`--goaway-chance`). Runtimes send `Connection: close` as GOAWAY over HTTP/2.
 */
export function goaway(chance: number): Filter {
  const recycle = (response: Response): Response => {
    response.headers.set('connection', 'close')
    return response
  }
  return (exchange, next) => {
    const answer = next(exchange)
    if (exchange.connection.protocol !== 'h2' || Math.random() >= chance) return answer
    return answer instanceof Promise ? answer.then(recycle) : recycle(answer)
  }
}
