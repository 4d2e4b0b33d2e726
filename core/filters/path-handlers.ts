/** Paths that are not the server's own: another handler answers them for the user who was authenticated. */
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Answer, Filter } from './filter.ts'

export interface PathHandler {
  /** Such as `/branches`: this path and all below it. Compared with the percent-decoded path. */
  readonly prefix: string
  /** Whether requests of this path below the prefix are long-running: they have no deadline but the handler's. Default: none. */
  lasts?(path: string): boolean
  /** Throws, or rejects with, an error that becomes a Status. The request is not authorized yet: `authorizer` decides as the server does. */
  answer(exchange: Exchange, authorizer: Authorizer): Answer
}

const has = (path: string, prefix: string) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')

/** Which paths of the handlers are long-running; undefined: none. */
export function lastingPaths(handlers: readonly PathHandler[]): ((path: string) => boolean) | undefined {
  const lasting = handlers.filter(({ lasts }) => lasts !== undefined)
  return lasting.length > 0 ? (path) => lasting.some((handler) => has(path, handler.prefix) && handler.lasts?.(path)) : undefined
}

export function pathHandlers(handlers: readonly PathHandler[], authorizer: Authorizer): Filter {
  return (exchange, next) => {
    const { isResource, path } = exchange.info
    const handler = isResource ? undefined : handlers.find(({ prefix }) => has(path, prefix))
    return handler === undefined ? next(exchange) : handler.answer(exchange, authorizer)
  }
}
