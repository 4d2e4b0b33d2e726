import type { RequestInfo } from './exchange.ts'
import { targetOf } from './target.ts'

/** Query parameters of the API, which contain no secrets. Values of others are not logged: they may be passwords or tokens. */
const known = new Set([
  ...['watch', 'allowWatchBookmarks', 'sendInitialEvents', 'resourceVersion', 'resourceVersionMatch', 'limit', 'continue'],
  ...['labelSelector', 'fieldSelector', 'shardSelector', 'timeout', 'timeoutSeconds', 'pretty', 'includeObject'],
  ...['dryRun', 'fieldManager', 'fieldValidation', 'force', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents'],
  ...['ignoreStoreReadErrorWithClusterBreakingPotential', 'container', 'follow', 'previous', 'sinceSeconds', 'sinceTime', 'tailLines'],
  ...['limitBytes', 'timestamps', 'insecureSkipTLSVerifyBackend', 'stream', 'stdin', 'stdout', 'stderr', 'tty', 'ports'],
  ...['verbose', 'exclude', 'profile', 'includeRequestDetails'],
])

const unclear = /[;?]/

const hidden = (parameter: string): string => {
  const end = parameter.indexOf('=')
  const name = end === -1 ? parameter : parameter.slice(0, end)
  // A semicolon or a second question mark begins something that is no parameter here, but may be one of the client's.
  if (known.has(name)) return unclear.test(parameter) ? 'REDACTED' : parameter
  return end === -1 ? 'REDACTED' : `${name}=REDACTED`
}

/** Path and query of a request as they may be logged. Queries of proxied requests belong to other programs: none of their values is shown. */
export function loggedTarget(request: Request, { subresource, verb }: Pick<RequestInfo, 'subresource' | 'verb'>): string {
  const target = targetOf(request)
  const mark = target.indexOf('?')
  if (mark === -1) return target
  const path = target.slice(0, mark)
  if (subresource === 'proxy' || verb === 'proxy') return `${path}?REDACTED`
  // A parameter without a name, such as `?token`, may be a secret, too.
  const parameters = target.slice(mark + 1).split('&')
  return `${path}?${parameters.map(hidden).join('&')}`
}
