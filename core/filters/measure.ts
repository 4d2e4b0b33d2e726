import type { LabelValues } from '../meta/metrics/metric-row.ts'
import type { requestRows } from '../meta/metrics/rows/requests.ts'
import type { ServerMetrics } from '../meta/metrics/server.ts'
import type { Clock } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { apiErrorOf } from '../respond/error.ts'
import { PlainError } from '../respond/plain-error.ts'
import { whenEnded } from './ended.ts'
import type { Filter } from './filter.ts'

/** Metrics label `verb` for verbs of RequestInfo: distinguishes list from get, and otherwise names the HTTP method. */
const verbs: { readonly [verb: string]: string } = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}
/** Methods that the label may have; clients can send any token. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT'])
const connects = new Set(['attach', 'exec', 'portforward', 'proxy'])
const applies = /^application\/apply-patch\+/

function verbOf({ info, request }: Exchange): string {
  if (connects.has(info.subresource)) return 'CONNECT'
  if (info.verb === 'patch' && applies.test(request.headers.get('content-type') ?? '')) return 'APPLY'
  return verbs[info.verb] ?? (methods.has(request.method) ? request.method : 'OTHER')
}

function scopeOf({ isResource, name, verb, namespace }: Exchange['info']): string {
  if (!isResource) return ''
  if (name !== '' || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

function labelsOf(exchange: Exchange): LabelValues<typeof requestRows.durations.labels> {
  const { info, query } = exchange
  const asked = query.size === 0 ? '' : (query.get('dryRun') ?? '')
  const dryRun = asked === '' || asked === 'All' ? asked : 'invalid'
  const { isResource, group, version, resource, subresource, path } = info
  if (!isResource) return [verbOf(exchange), dryRun, '', '', '', path, scopeOf(info), 'apiserver']
  return [verbOf(exchange), dryRun, group, version, resource, subresource, scopeOf(info), 'apiserver']
}

/**
 * Counts and times requests. Innermost, as in the reference server: requests that other filters refuse are not counted. Unknown paths and
 * resources are not counted, because there is no bound on their number. A watch is counted when it begins.
 */
export function measure(
  { requests, durations, longRunning }: Pick<ServerMetrics, 'requests' | 'durations' | 'longRunning'>,
  clock: Clock,
): Filter {
  /** Counts a watch or stream as running until it ends. */
  function lasting(exchange: Exchange, response: Response): Response {
    const { group, version, resource, subresource } = exchange.info
    const labels = [verbOf(exchange), group, version, resource, subresource, scopeOf(exchange.info), 'apiserver'] as const
    longRunning.add(labels, 1)
    return whenEnded(exchange, response, () => longRunning.add(labels, -1))
  }

  return (exchange, next) => {
    const { info } = exchange
    const began = clock.monotonic()
    const record = (code: number) => {
      const labels = labelsOf(exchange)
      durations.observe(labels, (clock.monotonic() - began) / 1000)
      requests.add([...labels, String(code)])
    }
    const answered = (response: Response) => {
      if (response.status !== 404) record(response.status)
      return info.longRunning ? lasting(exchange, response) : response
    }
    const failed = (error: unknown): never => {
      const { code = 500, details } = error instanceof PlainError ? { code: error.code } : (apiErrorOf(error)?.status ?? {})
      if (code !== 404 || details?.name !== undefined) record(code)
      throw error
    }
    try {
      const answer = next(exchange)
      return answer instanceof Promise ? answer.then(answered, failed) : answered(answer)
    } catch (error) {
      return failed(error)
    }
  }
}
