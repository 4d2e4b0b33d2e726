/** Paths that are not the server's own: another handler answers them for the user who was authenticated. */
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Answer, Filter } from './filter.ts'

export interface PathHandler {
  /** Such as `/branches`: this path and all below it. Compared with the percent-decoded path. */
  readonly prefix: string
  /** Throws, or rejects with, an error that becomes a Status. The request is not authorized yet: `authorizer` decides as the server does. */
  answer(exchange: Exchange, authorizer: Authorizer): Answer
}

const has = (path: string, prefix: string) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')

export function pathHandlers(handlers: readonly PathHandler[], authorizer: Authorizer): Filter {
  return (exchange, next) => {
    const { isResource, path } = exchange.info
    const handler = isResource ? undefined : handlers.find(({ prefix }) => has(path, prefix))
    return handler === undefined ? next(exchange) : handler.answer(exchange, authorizer)
  }
}
