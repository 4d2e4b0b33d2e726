import { nowhere, positionIndex } from '../resources/routes.ts'
import type { RequestInfo } from './exchange.ts'
import { exactField, parseFieldSelector } from './field-selector.ts'
import { flag } from './query.ts'

const methodVerbs: { readonly [method: string]: string } = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}
/** Path segments before the resource that denote a verb; nothing is served below `proxy` any more. */
const specialVerbs = new Set(['watch', 'proxy'])
/** Subresources of namespaces: distinguishes them from resources in a namespace. */
const namespaceSubresources = new Set(['status', 'finalize'])
/** Verbs that honour selectors. The deprecated paths below `watch/` don't always. */
const verbsWithSelectors = new Set(['list', 'watch', 'deletecollection'])
const longRunningVerbs = new Set(['watch', 'proxy'])
const longRunningSubresources = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
/** Profiles take as long as they are asked for; the live page is a stream. */
const longRunningPaths = ['/debug/pprof/', '/debug/live/']

/** The segments between slashes, without empty ones at the ends. */
function elementsOf(path: string): string[] {
  const elements: string[] = []
  let end = path.length
  while (end > 0 && path.charCodeAt(end - 1) === slash) end--
  let start = 0
  while (start < end && path.charCodeAt(start) === slash) start++
  // Three times as fast as `split`; runs for every request.
  while (start < end) {
    const next = path.indexOf('/', start)
    const stop = next === -1 || next > end ? end : next
    elements.push(path.slice(start, stop))
    start = stop + 1
  }
  return elements
}
const slash = 0x2f

function nonResource(path: string, method: string, lasts?: (path: string) => boolean): RequestInfo {
  const none = { group: '', version: '', namespace: '', resource: '', subresource: '', name: '', parts: [] }
  const longRunning = longRunningPaths.some((prefix) => path.startsWith(prefix)) || lasts?.(path) === true
  return { isResource: false, path, verb: method.toLowerCase(), ...none, position: nowhere, longRunning }
}

const noSelectors: Pick<RequestInfo, 'labelSelector' | 'fieldSelector'> = {}

function selectorsOf(query: URLSearchParams): Pick<RequestInfo, 'labelSelector' | 'fieldSelector'> {
  if (query.size === 0) return noSelectors
  const labelSelector = query.get('labelSelector')
  const fieldSelector = query.get('fieldSelector')
  return { ...(labelSelector !== null && { labelSelector }), ...(fieldSelector !== null && { fieldSelector }) }
}

/** The name that a field selector requires: such lists are authorized for that name. */
function nameSelected(selector: string | undefined): string {
  if (selector === undefined || !selector.includes('metadata.name')) return ''
  try {
    const name = exactField(parseFieldSelector(selector), 'metadata.name') ?? ''
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
  } catch {
    return ''
  }
}

/** Verb of a request without a name. */
function verbOnCollection(verb: string, query: URLSearchParams): string {
  if (verb === 'get') return query.has('watch') && flag(query.getAll('watch')) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}

/**
 * Derives the RequestInfo from method, percent-decoded path and query. `lasts`: other paths outside of the API that are long-running.
 *
 *     GET    /api/v1/pods                                      list pods, of all namespaces
 *     GET    /api/v1/pods?watch=1                              watch pods
 *     GET    /api/v1/watch/pods                                watch pods (deprecated form, as are the next two)
 *     GET    /api/v1/watch/namespaces/default/pods             watch pods, namespace default
 *     GET    /api/v1/watch/namespaces/default/pods/a           watch pods, name a, namespace default
 *     GET    /api/v1/watch                                     malformed
 *     GET    /api/v1/nodes/a                                   get nodes, name a
 *     GET    /api/v1/namespaces/default/pods/a                 get pods, name a, namespace default
 *     GET    /api/v1/namespaces                                list namespaces
 *     GET    /api/v1/namespaces/default                        get namespaces, name default, namespace default
 *     PUT    /api/v1/namespaces/default/status                 update namespaces, name default, namespace default, subresource status
 *     GET    /api/v1/pods?fieldSelector=metadata.name=a        list pods, name a
 *     POST   /apis/apps/v1/namespaces/default/deployments      create deployments.apps, namespace default
 *     POST   /api/v1/namespaces/default/pods/a/binding         create pods, name a, namespace default, subresource binding
 *     PATCH  /apis/apps/v1/namespaces/default/deployments/a/scale   patch deployments.apps, name a, namespace default, subresource scale
 *     DELETE /api/v1/namespaces/default/pods                   deletecollection pods, namespace default
 *     DELETE /api/v1/namespaces/default/pods/a                 delete pods, name a, namespace default
 *     GET    /api/v1/namespaces/default/services/a/proxy/b/c   get services, name a, namespace default, subresource proxy, parts services/a/proxy/b/c
 *     GET    /api/v1/proxy/pods/a                              proxy pods, name a: nothing is served below it any more
 *     GET    /apis                                             get
 *     GET    /apis/apps/v1                                     get
 *     POST   /version                                          post
 */
export function requestInfo(method: string, path: string, query: URLSearchParams, lasts?: (path: string) => boolean): RequestInfo {
  const elements = elementsOf(path)
  const legacy = elements[0] === 'api'
  let at = legacy ? 2 : 3
  if ((!legacy && elements[0] !== 'apis') || elements.length <= at) return nonResource(path, method, lasts)
  const group = legacy ? '' : elements[1]!
  const version = elements[at - 1]!
  let verb = methodVerbs[method] ?? ''
  const first = elements[at]!
  const special = specialVerbs.has(first)
  if (special && elements.length === at + 1) return { ...nonResource(path, method), malformed: true }
  if (special) {
    verb = first
    at++
  }
  let namespace = ''
  let scoped = false
  if (elements[at] === 'namespaces' && elements.length > at + 1) {
    namespace = elements[at + 1]!
    if (elements.length > at + 2 && !namespaceSubresources.has(elements[at + 2]!)) {
      scoped = true
      at += 2
    }
  }
  const parts = elements.slice(at)
  const [resource = '', named = ''] = parts
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '')
  // Verbs of other methods have none.
  const selectors = method === 'GET' || method === 'DELETE' || method === 'HEAD' ? selectorsOf(query) : noSelectors
  let name = named
  if (name === '') {
    const asked = verb
    verb = verbOnCollection(verb, query)
    if (asked === 'get') name = nameSelected(selectors.fieldSelector)
  }
  const position =
    first === 'proxy' && special ? nowhere : positionIndex({ watch: special, scoped, named: named !== '', tail: parts.length > 3 })
  const longRunning = longRunningVerbs.has(verb) || longRunningSubresources.has(subresource)
  const info = { isResource: true, path, verb, group, version, namespace, resource, subresource, name, parts, position, longRunning }
  return selectors === noSelectors || special || !verbsWithSelectors.has(verb) ? info : { ...info, ...selectors }
}
