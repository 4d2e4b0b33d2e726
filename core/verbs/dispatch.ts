import type { ServedResource } from '../registry/served.ts'
import type { Exchange } from '../request/exchange.ts'
import { deprecationWarning } from '../resources/deprecation.ts'
import { type Method, positionIndex, positions, type Route, routesOf } from '../resources/routes.ts'
import { type ApiError, noSuchResource, notAllowed, notFound } from '../respond/status.ts'
import { actionOf } from './actions/index.ts'
import { create } from './create.ts'
import { deleteVerb } from './delete.ts'
import { deleteCollection } from './deletecollection.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { checkAcceptable } from './respond.ts'
import type { Services, Verb } from './services.ts'
import { update } from './update.ts'
import { type SubresourceView, viewsOf } from './views.ts'
import { watch } from './watch.ts'

const verbs: { readonly [verb: string]: Verb } = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteVerb,
  deletecollection: deleteCollection,
}

const reads = new Set(['get', 'list', 'watch'])

/** What is served under a resource's path: the main resource, a subresource or an action. */
interface Endpoint {
  readonly view: SubresourceView
  /** Handlers by the verb of RequestInfo. */
  readonly verbs: { readonly [verb: string]: Verb }
  /** By route index. */
  readonly routes: readonly (Route | undefined)[]
  /** Warning for every client of the version. */
  readonly warning: string | undefined
}

const actionView = (name: string, body: SubresourceView['body']): SubresourceView => ({
  name,
  body,
  partial: true,
  write: (existing) => existing,
})

/** Finds the resource, its subresource and the verb of a request, and handles it. */
export function createDispatch(services: Services): (exchange: Exchange) => Response | Promise<Response> {
  const { platform } = services
  const known = new WeakMap<ServedResource, ReadonlyMap<string, Endpoint>>()

  function endpointsOf({ definition }: ServedResource): ReadonlyMap<string, Endpoint> {
    const views = viewsOf(definition)
    const routes = routesOf(definition)
    const own = deprecationWarning(definition, services.version)
    const endpoint = (name: string): Endpoint => {
      const answers = actionOf(definition, name)
      const view = answers ? undefined : views.get(name)
      const body = { ...(answers?.body ?? definition), group: platform.name(answers?.body?.group ?? definition.group) }
      const found: (Route | undefined)[] = Array.from({ length: positions })
      for (const route of routes) if (route.subresource === name) found[positionIndex(route)] = route
      return {
        view: view ?? { ...actionView(name, body), ...(answers?.tables === false && { tables: false }) },
        verbs: answers?.verbs ?? verbs,
        routes: found,
        warning: name === '' || view?.body === definition ? own : undefined,
      }
    }
    return new Map([...new Set(routes.map(({ subresource }) => subresource))].map((name) => [name, endpoint(name)]))
  }

  function find(resource: ServedResource, subresource: string): Endpoint | undefined {
    let all = known.get(resource)
    if (all === undefined) {
      all = endpointsOf(resource)
      known.set(resource, all)
    }
    return all.get(subresource)
  }

  /** 404 for a subresource that this version of a custom resource does not have; deprecation warnings still apply. */
  function unserved(resource: ServedResource, { info, warnings }: Exchange): ApiError {
    const { definition, groupResource } = resource
    const name = info.parts[1]
    if (definition.schema.dialect !== 'openapi' || info.subresource === '' || name === undefined) return noSuchResource(groupResource)
    const { warning } = find(resource, '') ?? {}
    if (warning !== undefined) warnings.push(warning)
    return notFound(groupResource, name)
  }

  return (exchange) => {
    const { info, request } = exchange
    const resource = services.table.lookup(info.group, info.version, info.resource)
    if (resource === undefined) throw noSuchResource()
    const { definition, groupResource } = resource
    const endpoint = find(resource, info.subresource)
    const route = endpoint?.routes[info.position]
    if (endpoint === undefined || route === undefined) throw unserved(resource, exchange)
    const verb = route.methods[request.method as Method]?.includes(info.verb) ? endpoint.verbs[info.verb] : undefined
    if (verb === undefined) {
      // Without a namespace in the path, custom resources can only be read.
      const isMisplaced = definition.schema.dialect === 'openapi' && definition.namespaced && info.namespace === ''
      throw isMisplaced ? noSuchResource() : notAllowed(groupResource)
    }
    if (endpoint.warning !== undefined) {
      services.deprecated.set(
        [groupResource.group, info.version, groupResource.resource, info.subresource, definition.lifecycle.removed ?? ''],
        1,
      )
      exchange.warnings.push(endpoint.warning)
    }
    const namespace = route.scoped ? info.namespace : ''
    const target = { exchange, services, resource, view: endpoint.view, namespace, name: info.parts[1] ?? '' }
    // Negotiated before a write: a response that the client does not accept must not follow a completed write.
    if (!reads.has(info.verb)) checkAcceptable(target)
    return verb(target)
  }
}
