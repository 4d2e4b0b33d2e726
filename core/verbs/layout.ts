/** Where a resource is served. */
import type { ResourceDefinition } from '../resources/definition.ts'
import { positionIndex, positions, type Route, routesOf } from '../resources/routes.ts'
import { type SubresourceView, viewsOf } from './views.ts'

/** The routes to a resource itself, a subresource or an action. */
export interface Place {
  /** Verbs of all routes. */
  readonly allowed: ReadonlySet<string>
  /** By route index. */
  readonly routes: readonly (Route | undefined)[]
  /** Whether a backend answers. */
  readonly connects: boolean
}

/** What follows from a definition alone, whichever server serves it. */
export interface Layout {
  readonly views: ReadonlyMap<string, SubresourceView>
  /** By subresource; empty: the resource itself. */
  readonly places: ReadonlyMap<string, Place>
}

export function layoutOf(definition: ResourceDefinition): Layout {
  const routes = routesOf(definition)
  const placeOf = (name: string): Place => {
    const found: (Route | undefined)[] = Array.from({ length: positions })
    for (const route of routes) if (route.subresource === name) found[positionIndex(route)] = route
    return {
      allowed: new Set(found.flatMap((route) => Object.values(route?.methods ?? {}).flat())),
      routes: found,
      connects: found.some((route) => route?.connects),
    }
  }
  const names = new Set(routes.map(({ subresource }) => subresource))
  return { views: viewsOf(definition), places: new Map(Array.from(names, (name) => [name, placeOf(name)])) }
}
