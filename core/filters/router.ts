import type { RequestInfo } from '../request/exchange.ts'
import type { Handler } from './filter.ts'

export interface Destinations {
  /** Group versions that somebody else answers for, `GROUP/VERSION` each. Looked up per request: they come and go. */
  readonly delegates: ReadonlyMap<string, Handler>
  /** Paths below a group version. */
  readonly resources: Handler
  /** All others: discovery, health and the like. */
  readonly fixed: Handler
}

/** The group version whose discovery document or resources a path is about; the legacy group is never delegated. */
function groupVersionOf({ isResource, group, version, path }: RequestInfo): string {
  if (isResource) return `${group}/${version}`
  const [prefix, ...elements] = path.split('/').filter((element) => element !== '')
  return prefix === 'apis' && elements.length === 2 ? elements.join('/') : ''
}

/** Where paths end, behind all filters: the one place that decides who answers. */
export function createRouter({ delegates, resources, fixed }: Destinations): Handler {
  return (exchange) => {
    const { info } = exchange
    const delegate = delegates.size > 0 ? delegates.get(groupVersionOf(info)) : undefined
    return (delegate ?? (info.isResource ? resources : fixed))(exchange)
  }
}
