import type { ResourceDefinition } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'
import type { Leases } from '../storage/leases.ts'
import type { WatchableStore } from '../watch/feed.ts'
import type { Reservations } from './reservations.ts'

/** A resource that this server answers for: its definition in the version asked for, and its objects. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly on: GroupResource
  readonly store: WatchableStore
  /** Lease under which new objects are stored, for resources with a time-to-live. */
  readonly lease?: () => ReturnType<Leases['grant']>
  /** What its objects take from a shared stock. */
  readonly reservations?: Reservations
}

/** All served resources, looked up by group, version and plural. Grows and shrinks with custom resources. */
export interface ResourceTable {
  lookup(group: string, version: string, plural: string): ServedResource | undefined
  all(): readonly ServedResource[]
  /** Where the objects of a resource are, whichever of its versions are served. */
  storeOf(group: string, plural: string): WatchableStore | undefined
  /** Raised with every change, so that discovery can be memoized. */
  readonly revision: number
}

export function createResourceTable(resources: readonly ServedResource[]): ResourceTable {
  const byPlural = new Map<string, ServedResource[]>()
  for (const each of resources) {
    const { plural } = each.definition.names
    byPlural.set(plural, [...(byPlural.get(plural) ?? []), each])
  }
  const stores = new Map(resources.map(({ on, store }) => [`${on.resource}.${on.group}`, store]))
  return {
    lookup: (group, version, plural) =>
      byPlural.get(plural)?.find(({ definition }) => definition.group === group && definition.version === version),
    all: () => resources,
    storeOf: (group, plural) => stores.get(`${plural}.${group}`),
    revision: 1,
  }
}
