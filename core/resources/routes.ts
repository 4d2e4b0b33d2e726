/**
 * Every path of a resource, with the methods that it has. Requests are looked up in it and OpenAPI is written from it: nothing else answers
 * (the reference's installer.go).
 */
import type { ResourceDefinition, Subresource } from './definition.ts'

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The verbs of RequestInfo that a method may stand for on a path; a collection is listed or watched with the same method. */
export type MethodVerbs = { readonly [method in Method]?: readonly string[] }

/** Where a path stands, whichever resource it is about. */
export interface Position {
  /** Below `watch/`. */
  readonly watch: boolean
  /** Below `namespaces/NAMESPACE/`. */
  readonly scoped: boolean
  readonly named: boolean
  /** Goes on after the subresource. */
  readonly tail: boolean
}

export interface Route extends Position {
  /** Below the group version: `namespaces/{namespace}/pods/{name}/status`. */
  readonly path: string
  readonly subresource: string
  /** Hands the connection on to somebody else. */
  readonly connects: boolean
  readonly methods: MethodVerbs
}

/** Positions as numbers, to find routes by. */
export const positions = 16
/** A position that no route has. */
export const nowhere = positions

/** The number of a position. */
export function positionIndex({ watch, scoped, named, tail }: Position): number {
  return (watch ? 1 : 0) + (scoped ? 2 : 0) + (named ? 4 : 0) + (tail ? 8 : 0)
}

const collectionMethods: MethodVerbs = { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] }
const everywhereMethods: MethodVerbs = { GET: ['list', 'watch'] }
const itemMethods: MethodVerbs = { GET: ['get'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] }
const subresourceMethods: MethodVerbs = { POST: ['create'], ...itemMethods }
const watchMethods: MethodVerbs = { GET: ['watch'] }
const streamMethods: MethodVerbs = { GET: ['get'], POST: ['create'] }
/** Authorization knows no verb for OPTIONS. */
const proxyMethods: MethodVerbs = { ...itemMethods, HEAD: ['get'], OPTIONS: [''], POST: ['create'] }

/** Those whose verbs the resource has. */
function limited(methods: MethodVerbs, verbs: readonly string[]): MethodVerbs {
  const rows = Object.entries(methods).map(([method, all]) => [method, all.filter((verb) => verbs.includes(verb))] as const)
  return Object.fromEntries(rows.filter(([, left]) => left.length > 0))
}

/** Subresources with the verbs that they have; `status` and `scale` follow from the definition. */
function subresourcesOf({ status, scale, subresources }: ResourceDefinition): readonly Pick<Subresource, 'name' | 'verbs' | 'connects'>[] {
  const verbs = ['get', 'update', 'patch']
  return [...(status ? [{ name: 'status', verbs }] : []), ...(scale ? [{ name: 'scale', verbs }] : []), ...subresources]
}

export function routesOf(definition: ResourceDefinition): readonly Route[] {
  const { names, namespaced, verbs } = definition
  const { plural } = names
  const route = (
    methods: MethodVerbs,
    position: Partial<Position>,
    { name = '', connects }: Partial<Pick<Subresource, 'name' | 'connects'>> = {},
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
    return { path: elements.join('/'), watch, scoped, named, tail, subresource: name, connects: connects !== undefined, methods }
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
