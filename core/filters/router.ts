import type { RequestInfo } from '../request/exchange.ts'
import { noSuchResource } from '../respond/status.ts'
import type { Handler } from './filter.ts'

export interface Destinations {
  /** Handlers of delegated group versions (`GROUP/VERSION`). Looked up per request, because they change while serving. */
  readonly delegates: ReadonlyMap<string, Handler>
  /** Resource paths. */
  readonly resources: Handler
  /** All other paths: discovery, health and so on. */
  readonly fixed: Handler
}

/** The group version that a resource or discovery path belongs to; the core group is never delegated. */
function groupVersionOf({ isResource, group, version, path }: RequestInfo): string {
  if (isResource) return `${group}/${version}`
  const [prefix, ...elements] = path.split('/').filter((element) => element !== '')
  return prefix === 'apis' && elements.length === 2 ? elements.join('/') : ''
}

/** The innermost handler: chooses a delegate, the resources or the fixed paths. */
export function createRouter({ delegates, resources, fixed }: Destinations): Handler {
  return (exchange) => {
    const { info } = exchange
    if (info.path.startsWith('//')) throw noSuchResource()
    const delegate = delegates.size > 0 ? delegates.get(groupVersionOf(info)) : undefined
    return (delegate ?? (info.isResource ? resources : fixed))(exchange)
  }
}
