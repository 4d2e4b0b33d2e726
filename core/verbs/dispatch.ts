import type { ServedResource } from '../registry/served.ts'
import type { Exchange, RequestInfo } from '../request/exchange.ts'
import { deprecationWarning } from '../resources/deprecation.ts'
import { noSuchResource, notAllowed } from '../respond/status.ts'
import type { Handlers } from './actions/action.ts'
import { actionOf, handlersOf } from './actions/index.ts'
import { create } from './create.ts'
import { deleteVerb } from './delete.ts'
import { deleteCollection } from './deletecollection.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { perform } from './perform.ts'
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
const subresourceVerbs = ['get', 'update', 'patch']

/** What is served under one path element of a resource: a side of the object, or an action. */
interface Served {
  readonly view: SubresourceView
  readonly action?: Verb
  readonly handlers?: Handlers
  /** What may be asked of it. */
  readonly verbs: readonly string[]
  /** What every client of it is told. */
  readonly warning?: string | undefined
}

const actionView = (name: string, body: SubresourceView['body']): SubresourceView => ({
  name,
  body,
  partial: true,
  write: (existing) => existing,
})

/** Finds the resource, its side and the verb that a request is about, and answers it. */
export function createDispatch(services: Services): (exchange: Exchange) => Promise<Response> {
  const { platform } = services
  const known = new WeakMap<ServedResource, ReadonlyMap<string, Served>>()

  function servedBy({ definition }: ServedResource): ReadonlyMap<string, Served> {
    const served = new Map<string, Served>()
    const own = deprecationWarning(definition, services.version)
    const rows = new Map(definition.subresources.map(({ name, verbs }) => [name, verbs]))
    for (const view of viewsOf(definition).values()) {
      const allowed = view.name === '' ? definition.verbs : (rows.get(view.name) ?? subresourceVerbs)
      served.set(view.name, { view, verbs: allowed, warning: view.body === definition ? own : undefined })
    }
    for (const [name, allowed] of [['', definition.verbs] as const, ...rows]) {
      const action = actionOf(definition, name, platform.name)
      const handlers = handlersOf(definition, name, platform.name)
      if (action === undefined && handlers === undefined) continue
      const body = { ...(action?.body ?? definition), group: platform.name(action?.body?.group ?? definition.group) }
      const warning = name === '' ? own : undefined
      const answer = { ...(action && { action: perform(action) }), ...(handlers && { handlers }) }
      served.set(name, { view: actionView(name, body), verbs: allowed, warning, ...answer })
    }
    return served
  }

  function find(resource: ServedResource, subresource: string): Served | undefined {
    let all = known.get(resource)
    if (all === undefined) {
      all = servedBy(resource)
      known.set(resource, all)
    }
    return all.get(subresource)
  }

  return (exchange) => {
    const { info } = exchange
    const resource = services.table.lookup(info.group, info.version, info.resource)
    if (resource === undefined) throw noSuchResource()
    const served = find(resource, info.subresource)
    if (served === undefined || (info.parts.length > 3 && !served.handlers?.tail)) throw noSuchResource(resource.on)
    const { definition } = resource
    if (definition.namespaced && info.namespace === '' && info.parts.length > 1) throw noSuchResource(resource.on)
    if (!definition.namespaced && info.namespace !== '' && info.resource !== 'namespaces') throw noSuchResource(resource.on)
    const verb = verbOf(resource, served, info)
    if (served.warning !== undefined) {
      const { group, resource: plural } = resource.on
      services.deprecated.set([group, info.version, plural, info.subresource, definition.lifecycle.removed ?? ''], 1)
      exchange.warnings.push(served.warning)
    }
    const namespace = definition.namespaced ? info.namespace : ''
    return verb({ exchange, services, resource, view: served.view, namespace, name: info.parts[1] ?? '' })
  }
}

const onCollections = new Set(['create', 'list', 'deletecollection'])

/** The verb, where it is allowed: on a collection or on one object, in a namespace or in all. Throws 405. */
function verbOf({ definition, on }: ServedResource, served: Served, { verb, parts, namespace }: RequestInfo): Verb {
  if (served.handlers) return served.handlers.verbs[verb] ?? refuse(on)
  const creates = verb === 'create'
  const collection = parts.length < 2
  const onCollection = served.action ? served.view.name === '' : onCollections.has(verb)
  const fits = onCollection ? collection : verb === 'watch' || !collection
  const nowhere = creates && definition.namespaced && namespace === ''
  const found = served.action ? creates && served.action : verbs[verb]
  return found && fits && !nowhere && served.verbs.includes(verb) ? found : refuse(on)
}

function refuse(on: ServedResource['on']): never {
  throw notAllowed(on)
}
