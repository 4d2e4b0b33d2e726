/**
 * All paths of a resource with their methods: the single source for routing and OpenAPI
 * (the reference's installer.go).
 */
import type { ResourceDefinition, Subresource } from './definition.ts'

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Verbs of RequestInfo per method; GET on a collection is either a list or a watch. */
export type MethodVerbs = { readonly [method in Method]?: readonly string[] }

/** Form of a path, independent of the resource. */
export interface Position {
  /** Below `watch/`. */
  readonly watch: boolean
  /** Below `namespaces/NAMESPACE/`. */
  readonly scoped: boolean
  readonly named: boolean
  /** Has further segments after the subresource. */
  readonly tail: boolean
}

/** The representations of a path: an object, a list or watch, text as well, or what a backend sends. */
export type Produces = 'objects' | 'lists' | 'text' | 'anything'

export interface Route extends Position {
  /** Relative to the group version: `namespaces/{namespace}/pods/{name}/status`. */
  readonly path: string
  readonly subresource: string
  /** Connects to a backend (proxy or stream). */
  readonly connects: boolean
  readonly methods: MethodVerbs
  /** Of its GET; other methods produce objects, unless it is `anything`. */
  readonly produces: Produces
}

/** Number of positions, which index the routes. */
export const positions = 16
/** A position without route. */
export const nowhere = positions

/** Index of a position. */
export function positionIndex({ watch, scoped, named, tail }: Position): number {
  return (watch ? 1 : 0) + (scoped ? 2 : 0) + (named ? 4 : 0) + (tail ? 8 : 0)
}

const collectionMethods: MethodVerbs = { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] }
const everywhereMethods: MethodVerbs = { GET: ['list', 'watch'] }
const itemMethods: MethodVerbs = { GET: ['get'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] }
const subresourceMethods: MethodVerbs = { POST: ['create'], ...itemMethods }
const watchMethods: MethodVerbs = { GET: ['watch'] }
const streamMethods: MethodVerbs = { GET: ['get'], POST: ['create'] }
/** OPTIONS has no authorization verb. */
const proxyMethods: MethodVerbs = { ...itemMethods, HEAD: ['get'], OPTIONS: [''], POST: ['create'] }

/** Restricts methods to the resource's verbs. */
function limited(methods: MethodVerbs, verbs: readonly string[]): MethodVerbs {
  const rows = Object.entries(methods).map(([method, all]) => [method, all.filter((verb) => verbs.includes(verb))] as const)
  return Object.fromEntries(rows.filter(([, left]) => left.length > 0))
}

/** Subresources with their verbs; `status` and `scale` are derived from the definition. */
function subresourcesOf({
  status,
  scale,
  subresources,
}: ResourceDefinition): readonly Pick<Subresource, 'name' | 'verbs' | 'connects' | 'text'>[] {
  const verbs = ['get', 'update', 'patch']
  return [...(status ? [{ name: 'status', verbs }] : []), ...(scale ? [{ name: 'scale', verbs }] : []), ...subresources]
}

export function routesOf(definition: ResourceDefinition): readonly Route[] {
  const { names, namespaced, verbs } = definition
  const { plural } = names
  const route = (
    methods: MethodVerbs,
    position: Partial<Position>,
    { name = '', connects, text }: Partial<Pick<Subresource, 'name' | 'connects' | 'text'>> = {},
  ): Route => {
    const { watch = false, scoped = false, named = false, tail = false } = position
    const elements = [
      ...(watch ? ['watch'] : []),
      ...(scoped ? ['namespaces', '{namespace}'] : []),
      plural,
      ...(named ? ['{name}'] : []),
      ...(name === '' ? [] : [name]),
      ...(tail ? ['{path}'] : []),
    ]
    const produces = connects ? 'anything' : text ? 'text' : watch || !named ? 'lists' : 'objects'
    return { path: elements.join('/'), watch, scoped, named, tail, subresource: name, connects: connects !== undefined, methods, produces }
  }
  const scoped = namespaced
  const own = [
    route(limited(collectionMethods, verbs), { scoped }),
    route(limited(itemMethods, verbs), { scoped, named: true }),
    ...(namespaced ? [route(limited(everywhereMethods, verbs), {})] : []),
  ]
  const below = subresourcesOf(definition).flatMap((each) => {
    if (each.connects === undefined) return [route(limited(subresourceMethods, each.verbs), { scoped, named: true }, each)]
    if (each.connects === 'stream') return [route(streamMethods, { scoped, named: true }, each)]
    return [false, true].map((tail) => route(proxyMethods, { scoped, named: true, tail }, each))
  })
  const watches = verbs.includes('watch')
    ? [{ scoped }, { scoped, named: true }, ...(namespaced ? [{}] : [])].map((position) =>
        route(watchMethods, { watch: true, ...position }),
      )
    : []
  return [...own, ...below, ...watches].filter(({ methods }) => Object.keys(methods).length > 0)
}
