import { pageNotFound } from '../answers/plain-error.ts'
import { noSuchResource } from '../answers/status.ts'
import type { Exchange, RequestInfo } from '../request/exchange.ts'
import type { Answer, Handler } from './filter.ts'

/** Answers an exchange; undefined when it is about a resource or path that it does not have. */
export type OptionalHandler = (exchange: Exchange) => Answer | undefined

export interface Destinations {
  /** Handlers of delegated group versions (`GROUP/VERSION`), the first map first. Looked up per request, because they change while serving. */
  readonly delegates: () => readonly ReadonlyMap<string, Handler>[]
  /** Resource paths. */
  readonly resources: OptionalHandler
  /** All other paths: discovery, health and so on. */
  readonly fixed: OptionalHandler
  /** Whether the path is below a built-in group or fixed path, where unknown paths are answered with a Status. */
  readonly owns: (path: string) => boolean
  /** Asked in this order for what this server does not serve itself, such as other servers of the cluster. */
  readonly others: readonly OptionalHandler[]
}

/** The group version that a resource or discovery path belongs to; the core group is never delegated. */
function groupVersionOf({ isResource, group, version, path }: RequestInfo): string {
  if (isResource) return `${group}/${version}`
  const [prefix, ...elements] = path.split('/').filter((element) => element !== '')
  return prefix === 'apis' && elements.length === 2 ? elements.join('/') : ''
}

function delegateOf(delegates: Destinations['delegates'], info: RequestInfo): Handler | undefined {
  // The core group is never delegated.
  if (info.isResource && info.group === '') return undefined
  for (const handlers of delegates()) {
    const found = handlers.size > 0 ? handlers.get(groupVersionOf(info)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the first element of a path is empty, or its group. */
const lacksRoot = (path: string) => path.startsWith('//') || path.startsWith('/apis//')

/** The innermost handler: a delegate, the resources or the fixed paths, then the others. Throws a 404 when none of them answers. */
export function createRouter({ delegates, resources, fixed, owns, others }: Destinations): Handler {
  return (exchange) => {
    const { info } = exchange
    if (lacksRoot(info.path)) throw pageNotFound()
    const delegate = delegateOf(delegates, info)
    if (delegate !== undefined) {
      exchange.delegated = true
      return delegate(exchange)
    }
    const answer = (info.isResource ? resources : fixed)(exchange)
    if (answer !== undefined) return answer
    for (const other of others) {
      const found = other(exchange)
      if (found !== undefined) return found
    }
    throw owns(info.path) ? noSuchResource() : pageNotFound()
  }
}
