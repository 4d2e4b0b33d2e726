import { pageNotFound } from '../answers/plain-error.ts'
import { negotiate } from '../answers/rendering/respond.ts'
import { badRequest, noSuchResource, notAllowed, notFound, unsupportedVerb } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { Exchange } from '../request/exchange.ts'
import { checkPatchType } from '../request/media-type.ts'
import type { Negotiated } from '../request/negotiate.ts'
import { deprecationWarning } from '../resources/deprecation.ts'
import type { Method, Route } from '../resources/routes.ts'
import { createActions } from './actions/index.ts'
import { create } from './create.ts'
import { deleteVerb } from './delete.ts'
import { deleteCollection } from './deletecollection.ts'
import { get } from './get.ts'
import type { Place } from './layout.ts'
import { list } from './list.ts'
import { checkName } from './name.ts'
import { patch } from './patch.ts'
import type { Services, Verb } from './services.ts'
import { update } from './update.ts'
import { inVerbSpan } from './verb-span.ts'
import type { SubresourceView } from './views.ts'
import { watch } from './watch.ts'

/** The verbs on stored objects. */
const verbsOf = (services: Services): { readonly [verb: string]: Verb } => ({
  get: get(services),
  list: list(services),
  watch: watch(services),
  create: create(services),
  update: update(services),
  patch: patch(services),
  delete: deleteVerb(services),
  deletecollection: deleteCollection(services),
})

/** Verbs on namespaced resources that need no namespace. */
const everywhere = new Set(['list', 'watch'])
const noNamespace = () => badRequest('Namespace parameter required.')
/** Verbs that look at the name in the path after they have read the body. */
const nameLater = new Set(['update', 'patch', 'delete'])

/** What is served under a resource's path: the main resource, a subresource or an action. */
interface Endpoint extends Place {
  readonly view: SubresourceView
  /** Handlers by the verb of RequestInfo. */
  readonly verbs: { readonly [verb: string]: Verb }
  /** Warning for every client of the version. */
  readonly warning: string | undefined
}

/** The handler of a request. */
interface Found {
  readonly endpoint: Endpoint
  readonly verb: Verb
  readonly namespace: string
  readonly name: string
}

const actionView = (name: string, body: SubresourceView['body']): SubresourceView => ({
  name,
  body,
  partial: true,
  write: (existing) => existing,
})

/** Finds the resource, its subresource and the verb of a request, and handles it. Undefined for resources that this server does not serve. */
export function createDispatch(services: Services): (exchange: Exchange) => MaybePromise<Response> | undefined {
  const { platform, table, cbor, metrics, release, layoutOf, checkAccept } = services.dispatch
  const verbs = verbsOf(services)
  const actionOf = createActions(services)
  const known = new WeakMap<ServedResource, ReadonlyMap<string, Endpoint>>()

  function endpointOf({ definition }: ServedResource, subresource: string): Endpoint | undefined {
    const { views, places } = layoutOf(definition)
    const place = places.get(subresource)
    if (place === undefined) return undefined
    const answers = actionOf(definition, subresource)
    const view = answers ? undefined : views.get(subresource)
    const body = { ...(answers?.body ?? definition), group: platform.name(answers?.body?.group ?? definition.group) }
    return {
      ...place,
      view: view ?? { ...actionView(subresource, body), ...(answers?.tables === false && { tables: false }) },
      verbs: answers?.verbs ?? verbs,
      warning: subresource === '' || view?.body === definition ? deprecationWarning(definition, release) : undefined,
    }
  }

  function find(resource: ServedResource, subresource: string): Endpoint | undefined {
    const found = known.get(resource)?.get(subresource)
    if (found !== undefined) return found
    const made = endpointOf(resource, subresource)
    // Only names that exist, of which there are few.
    if (made !== undefined) known.set(resource, new Map(known.get(resource)).set(subresource, made))
    return made
  }

  const [deprecatedKey, removedKey] = [platform.name('<domain>/deprecated'), platform.name('<domain>/removed-release')]

  function warn({ warning }: Endpoint, { definition, groupResource }: ServedResource, exchange: Exchange): void {
    if (warning === undefined) return
    const { group, resource } = groupResource
    const { info, warnings, observer, annotations } = exchange
    const { removed = '' } = definition.lifecycle
    metrics.deprecated.set([group, info.version, resource, info.subresource, removed], 1)
    warnings.push(warning)
    if (observer === undefined) return
    annotations.set(deprecatedKey, 'true')
    if (removed !== '') annotations.set(removedKey, removed)
  }

  /** Throws 415 or 406. */
  function checkMedia({ request: { headers, method } }: Exchange, { produces }: Route): void {
    if (method === 'PATCH' && produces !== 'anything') checkPatchType(headers.get('content-type'), cbor)
    checkAccept(headers.get('accept'), method === 'GET' || produces === 'anything' ? produces : 'objects')
  }

  function byPath(resource: ServedResource, exchange: Exchange): Found {
    const { info, request } = exchange
    const endpoint = find(resource, info.subresource)
    const route = endpoint?.routes[info.position]
    if (endpoint === undefined || route === undefined) throw noSuchResource()
    const verb = route.methods[request.method as Method]?.includes(info.verb) ? endpoint.verbs[info.verb] : undefined
    if (verb === undefined) throw notAllowed()
    checkMedia(exchange, route)
    // Validation refuses new objects without a namespace.
    if (route.scoped && info.namespace === '' && info.verb !== 'create' && !everywhere.has(info.verb)) throw noNamespace()
    warn(endpoint, resource, exchange)
    return { endpoint, verb, namespace: route.scoped ? info.namespace : '', name: info.parts[1] ?? '' }
  }

  function byVerb(resource: ServedResource, exchange: Exchange): Found {
    const { info } = exchange
    const { definition, groupResource } = resource
    const isEverywhere = info.namespace === ''
    const isMisplaced = definition.namespaced ? isEverywhere && !everywhere.has(info.verb) : !isEverywhere
    if (isMisplaced) throw pageNotFound()
    const endpoint = find(resource, info.subresource)
    warn(endpoint ?? (find(resource, '') as Endpoint), resource, exchange)
    if (endpoint === undefined) throw notFound(groupResource, info.name)
    const verb = endpoint.allowed.has(info.verb) ? endpoint.verbs[info.verb] : undefined
    if (verb === undefined) throw unsupportedVerb(groupResource, info.verb)
    // A create ignores the name in the path.
    return { endpoint, verb, namespace: info.namespace, name: info.verb === 'create' ? '' : (info.parts[1] ?? '') }
  }

  const finders = { path: byPath, verb: byVerb }

  return (exchange) => {
    const { info } = exchange
    const resource = table.lookup(info.group, info.version, info.resource)
    if (resource === undefined) return undefined
    const { endpoint, verb, namespace, name } = finders[resource.definition.origin.routing](resource, exchange)
    const target = { exchange, resource, view: endpoint.view, namespace, name, negotiated: undefined as Negotiated | undefined }
    if (cbor) exchange.isHandled = true
    if (!endpoint.connects) target.negotiated = negotiate(services.answers, target)
    else if (exchange.query.has('dryRun')) throw badRequest('dryRun is not supported')
    if (endpoint.connects || !nameLater.has(info.verb)) checkName(target)
    return exchange.span?.isRecorded && !endpoint.connects ? inVerbSpan(exchange, exchange.span, () => verb(target)) : verb(target)
  }
}
