import type { Platform } from '../platform.ts'
import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import { bind } from '../resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'
import type { ClusterSettings } from '../schema/model.ts'
import { createLeases, type Leases } from '../storage/leases.ts'
import { createObjectStore } from '../storage/object-store.ts'
import type { Stores } from '../storage/stores.ts'
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
  readonly settings: ClusterSettings
  readonly stores: Stores
  readonly clock: Clock
  readonly logger: Logger
  /** Prefix of all keys, such as `/registry`. */
  readonly prefix: string
  /** Of stored objects. */
  readonly storageMediaType: string
  readonly watchCache: boolean
  /** Resources that have no watch cache in any case. */
  readonly uncached: readonly GroupResource[]
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

/** Leases are of one store; those of each are made when it first needs them. */
function leasesByStore(clock: Clock, reuse: number): (store: KeyValueStore) => Leases {
  const made = new Map<KeyValueStore, Leases>()
  return (store) => {
    const leases = made.get(store) ?? createLeases(store, clock, reuse)
    made.set(store, leases)
    return leases
  }
}

/** The built-in resources that are served; versions of one resource share one store. */
export function builtInResources(options: BuiltInOptions): ServedResource[] {
  const { platform, clock, logger } = options
  const bound = options.definitions.map((row) => bind(row, platform))
  // Where the version to store is not known here, the one that is stands in for it.
  const known = new Set(bound.map((row) => `${row.storageKey} ${apiVersionOf(row)}`))
  const rows = bound.map((row) => (known.has(`${row.storageKey} ${row.storageVersion}`) ? relabelled(row) : row))
  const leases = leasesByStore(clock, options.leaseReuse)
  const onOf = (row: ResourceDefinition): GroupResource => ({ group: row.group, resource: row.names.plural })
  const cached = ({ group, resource }: GroupResource) =>
    options.watchCache && !options.uncached.some((each) => each.group === group && each.resource === resource)
  const namesUnreadable = options.settings.enabled('AllowUnsafeMalformedObjectDeletion')
  const stores = new Map<string, WatchableStore>()
  for (const row of rows) {
    if (row.storage) continue
    const versions = rows.filter(({ storageKey, storage }) => storage && storageKey === row.storageKey)
    const on = onOf(row)
    const store = options.stores.of(on)
    const objects = createObjectStore(store, row, options.prefix, { mediaType: options.storageMediaType, versions, namesUnreadable })
    stores.set(
      row.storageKey,
      cached(on) && row.storageKey !== '' ? createWatchCache({ objects, store, clock, logger }) : directFeed(objects, store),
    )
  }
  const complete = (definition: ResourceDefinition, objects: WatchableStore): ServedResource => ({
    definition,
    on: onOf(definition),
    store: objects,
    ...(definition.ttl && { lease: () => leases(options.stores.of(onOf(definition))).grant(options.eventTtl) }),
    ...(definition.reservations && { reservations: reservations(definition.reservations) }),
  })
  const reservations = builtInReservations({
    ...options,
    store: options.stores.main,
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
