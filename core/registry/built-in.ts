import type { Platform } from '../platform.ts'
import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import { bind } from '../resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import { createLeases } from '../storage/leases.ts'
import { createObjectStore } from '../storage/object-store.ts'
import { createWatchCache } from '../watch/cache.ts'
import { directFeed } from '../watch/direct.ts'
import type { WatchableStore } from '../watch/feed.ts'
import type { PortRange } from './allocators/port-set.ts'
import { builtInReservations } from './reservations-built-in.ts'
import type { ServedResource } from './served.ts'

export interface BuiltInOptions {
  readonly definitions: readonly ResourceDefinition[]
  readonly serves: (definition: ResourceDefinition) => boolean
  readonly platform: Platform
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
  /** Prefix of all keys, such as `/registry`. */
  readonly prefix: string
  /** Of stored objects. */
  readonly storageMediaType: string
  readonly watchCache: boolean
  /** Seconds. */
  readonly eventTtl: number
  readonly leaseReuse: number
  readonly serviceClusterIpRanges: readonly string[]
  readonly serviceNodePortRange: PortRange
}

/** Versions with the same fields differ in nothing but their name. */
function relabelled(definition: ResourceDefinition): ResourceDefinition {
  if (definition.storageVersion === undefined || definition.storage) return definition
  const as = (apiVersion: string) => (object: ApiObject) => ({ ...object, apiVersion })
  return {
    ...definition,
    storage: { version: definition.storageVersion, toStored: as(definition.storageVersion), fromStored: as(apiVersionOf(definition)) },
  }
}

/** The built-in resources that are served; versions of one resource share one store. */
export function builtInResources(options: BuiltInOptions): ServedResource[] {
  const { platform, store, clock, logger } = options
  const bound = options.definitions.map((row) => bind(row, platform))
  // Where the version to store is not known here, the one that is stands in for it.
  const known = new Set(bound.map((row) => `${row.storageKey} ${apiVersionOf(row)}`))
  const rows = bound.map((row) => (known.has(`${row.storageKey} ${row.storageVersion}`) ? relabelled(row) : row))
  const leases = createLeases(store, clock, options.leaseReuse)
  const stores = new Map<string, WatchableStore>()
  for (const row of rows) {
    if (row.storage) continue
    const versions = rows.filter(({ storageKey, storage }) => storage && storageKey === row.storageKey)
    const objects = createObjectStore(store, row, options.prefix, { mediaType: options.storageMediaType, versions })
    stores.set(
      row.storageKey,
      options.watchCache && row.storageKey !== '' ? createWatchCache({ objects, store, clock, logger }) : directFeed(objects, store),
    )
  }
  const complete = (definition: ResourceDefinition, objects: WatchableStore): ServedResource => ({
    definition,
    on: { group: definition.group, resource: definition.names.plural },
    store: objects,
    ...(definition.ttl && { lease: () => leases.grant(options.eventTtl) }),
    ...(definition.reservations && { reservations: reservations(definition.reservations) }),
  })
  const reservations = builtInReservations({
    ...options,
    resource(group, plural) {
      const row = rows.find((each) => each.group === group && each.names.plural === plural && !each.storage)
      const objects = row && stores.get(row.storageKey)
      if (row === undefined || objects === undefined) throw new Error(`reservations need ${plural}`)
      const { reservations: _own, ...definition } = row
      return complete(definition, objects)
    },
  })
  return rows.filter(options.serves).flatMap((definition) => {
    const objects = stores.get(definition.storageKey)
    return objects ? [complete(definition, objects)] : []
  })
}
