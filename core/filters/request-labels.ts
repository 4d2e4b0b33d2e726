/** Labels of requests in metrics. Their values are bounded as long as only requests to what this server serves are counted. */
import type { Exchange } from '../request/exchange.ts'
import type { RequestLabels, ResourceLabels } from './metrics.ts'

/** Label `verb` by the method. The reference gives HEAD the label of what it would read. */
const methods: { readonly [method: string]: string } = {
  GET: 'GET',
  HEAD: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  PATCH: 'PATCH',
  DELETE: 'DELETE',
}
const connects = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])
const applies = /^application\/apply-patch\+/
const component = 'apiserver'

/** The fixed paths that the reference counts, with their labels `resource`, `subresource` and `component`. */
const fixed = new Map<string, readonly [resource: string, subresource: string, component: string]>([
  ...['/healthz', '/livez', '/readyz'].map((path) => [path, ['', path, '']] as const),
  ...['/openapi/v3', '/openapi/v3/'].map((path) => [path, ['', path.slice(1), '']] as const),
  ...['flagz', 'statusz'].map((name) => [`/${name}`, [name, '', component]] as const),
])

export function verbOf({ info, request }: Exchange): string {
  if (info.isResource && connects.has(info.subresource)) return 'CONNECT'
  if (info.verb === 'list') return 'LIST'
  if (info.verb === 'watch') return 'WATCH'
  if (info.verb === 'patch' && applies.test(request.headers.get('content-type') ?? '')) return 'APPLY'
  return methods[request.method] ?? 'other'
}

function scopeOf(verb: string, namespace: string, isNamed: boolean): string {
  if (isNamed || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

function dryRunOf({ query }: Exchange): string {
  const asked = query.size === 0 ? '' : (query.get('dryRun') ?? '')
  return asked === '' || asked === 'All' ? asked : 'invalid'
}

/** Labels of a request to a resource or fixed path; undefined for fixed paths that are not counted, as in the reference. */
export function requestLabelsOf(exchange: Exchange): RequestLabels | undefined {
  const { isResource, group, version, resource, subresource, path, parts, namespace } = exchange.info
  const verb = verbOf(exchange)
  if (isResource) {
    // By the path: a list that selects a name is none of a single object.
    const scope = scopeOf(exchange.info.verb, namespace, parts.length > 1)
    return [verb, dryRunOf(exchange), group, version, resource, subresource, scope, component]
  }
  const place = fixed.get(path)
  return place && [verb, dryRunOf(exchange), '', '', place[0], place[1], '', place[2]]
}

/** Labels of a request to a resource, with the scope of its RequestInfo. */
export function resourceLabelsOf(exchange: Exchange): ResourceLabels {
  const { group, version, resource, subresource, verb, namespace, name } = exchange.info
  return [verbOf(exchange), group, version, resource, subresource, scopeOf(verb, namespace, name !== ''), component]
}

/** Labels of a request to what is not served, or to a fixed path: only those that are counted are named. */
export function unknownLabels(exchange: Exchange): ResourceLabels {
  const { isResource, path } = exchange.info
  const other = isResource ? 'other' : ''
  return [verbOf(exchange), other, other, other, isResource ? other : (fixed.get(path)?.[1] ?? ''), '', component]
}

const validations = new Set(['', 'Ignore', 'Warn', 'Strict'])

/** Label `field_validation`. */
export function fieldValidationOf({ query }: Exchange): string {
  if (query.size === 0) return ''
  const all = query.getAll('fieldValidation')
  if (all.length === 0) return ''
  return all.length === 1 && validations.has(all[0]!) ? all[0]! : 'invalid'
}
