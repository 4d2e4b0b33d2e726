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

const hidden = (parameter: string): string => {
  const end = parameter.indexOf('=')
  return end === -1 || known.has(parameter.slice(0, end)) ? parameter : `${parameter.slice(0, end)}=REDACTED`
}

/** Parameters without a name, such as `?token`, may be secrets too. */
const isNamed = (parameter: string) => parameter.includes('=') || known.has(parameter)

/** Path and query of a request as they may be logged. Queries of proxied requests belong to other programs: none of their values is shown. */
export function loggedTarget(request: Request, { subresource, verb }: Pick<RequestInfo, 'subresource' | 'verb'>): string {
  const target = targetOf(request)
  const mark = target.indexOf('?')
  if (mark === -1) return target
  const path = target.slice(0, mark)
  if (subresource === 'proxy' || verb === 'proxy') return `${path}?REDACTED`
  const parameters = target.slice(mark + 1).split('&')
  return `${path}?${parameters.map((parameter) => (isNamed(parameter) ? hidden(parameter) : 'REDACTED')).join('&')}`
}
