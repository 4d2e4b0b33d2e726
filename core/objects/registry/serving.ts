/** Turns resource definitions (rows) into served resources, both built-in definitions and those added at run time. */

import type { GroupResource } from '../../answers/status.ts'
import { once } from '../../common/once.ts'
import type { Pauses } from '../../common/slices.ts'
import type { Clock, KeyValueStore, ListResult, Logger } from '../../ports.ts'
import { apiVersionOf, type ReservationName, type ResourceDefinition } from '../../resources/definition.ts'
import { DerivedBudget } from '../storage/derived-budget.ts'
import { createKeys, type Keys } from '../storage/keys.ts'
import type { Leases } from '../storage/leases.ts'
import { createLeases } from '../storage/leases.ts'
import type { StoreMetrics } from '../storage/metrics.ts'
import { createObjectStore } from '../storage/object-store.ts'
import { ObservedStore } from '../storage/observed-store.ts'
import type { Stores } from '../storage/stores.ts'
import { createWatchCache } from '../watch/cache.ts'
import { directFeed } from '../watch/direct.ts'
import type { WatchableStore } from '../watch/feed.ts'
import { createVersionedStore } from '../watch/versioned.ts'
import { type Catalogue, createFixedSet, type FixedSet } from './fixed-set.ts'
import type { Reservations } from './reservations.ts'
import { builtInReservations, type ReservationOptions } from './reservations-built-in.ts'
import type { ServedResource } from './served.ts'
import { isStored, storedRows } from './stored-rows.ts'

/** Dependencies of served resources. */
export interface ServingOptions extends Omit<ReservationOptions, 'store' | 'resource'> {
  readonly stores: Stores
  readonly clock: Clock
  readonly logger: Logger
  readonly pauses: Pauses
  /** Prefix of all keys, such as `/registry`. */
  readonly prefix: string
  /** Media type of stored objects. */
  readonly storageMediaType: string
  readonly watchCache: boolean
  /** Number of lookups of objects that start a watch cache; default 1. */
  readonly startingLookups?: number
  /** Resources without a watch cache. */
  readonly uncached: readonly GroupResource[]
  /** Lifetime of events in seconds; 0: unlimited. */
  readonly eventTtl: number
  readonly leaseReuse: number
  /** Counts what is done with the objects of a resource. */
  observe(resource: GroupResource): StoreMetrics
}

/** The opened store of a resource. */
interface OpenedRows {
  /** Returns objects in the version in which they are stored. */
  readonly store: WatchableStore
  viewOf(row: ResourceDefinition): WatchableStore
}

/** The stored objects of all versions of a resource. */
export interface StoredRows {
  readonly rows: readonly ResourceDefinition[]
  /** The store for requests to a row. It returns objects in the row's version if the resource holds them in the requested version. */
  viewOf(row: ResourceDefinition): WatchableStore
  close(): void
}

/** Stored objects whose store is opened at its first use: most servers never use most resources. */
class UnopenedRows implements StoredRows {
  readonly rows: readonly ResourceDefinition[]
  readonly #open: (rows: readonly ResourceDefinition[]) => OpenedRows
  #opened: OpenedRows | undefined
  #closed = false

  constructor(rows: readonly ResourceDefinition[], open: (rows: readonly ResourceDefinition[]) => OpenedRows) {
    this.rows = rows
    this.#open = open
  }

  viewOf(row: ResourceDefinition): WatchableStore {
    if (this.#opened === undefined) {
      this.#opened = this.#open(this.rows)
      if (this.#closed) this.#opened.store.close()
    }
    return this.#opened.viewOf(row)
  }

  close(): void {
    this.#closed = true
    this.#opened?.store.close()
  }
}

/** What served resources of one server have in common. */
interface Common {
  /** Prefix of all keys. */
  readonly prefix: string
  readonly stores: Stores
  /** The lease for objects of a resource with a time-to-live; undefined: its objects live on. */
  leaseOf(definition: ResourceDefinition): ServedResource['lease']
}

/** A resource and its stored objects. There are a few hundred of them in each server, so that each part is made at its first use. */
class StoredResource implements ServedResource {
  readonly definition: ResourceDefinition
  readonly groupResource: GroupResource
  readonly lease?: NonNullable<ServedResource['lease']>
  readonly #stored: StoredRows
  readonly #reserves: ((name: ReservationName) => Reservations) | undefined
  readonly #common: Common
  #keys: Keys | undefined
  #store: WatchableStore | undefined

  /** `reserves` is absent for what reservations use themselves. */
  constructor(definition: ResourceDefinition, stored: StoredRows, common: Common, reserves?: (name: ReservationName) => Reservations) {
    this.definition = definition
    this.groupResource = groupResourceOf(definition)
    this.#stored = stored
    this.#common = common
    const lease = common.leaseOf(definition)
    if (lease) this.lease = lease
    this.#reserves = reserves
  }

  get keys(): Keys {
    this.#keys ??= createKeys(this.#common.prefix, this.definition.storageKey, this.definition.namespaced)
    return this.#keys
  }

  get store(): WatchableStore {
    this.#store ??= this.#stored.viewOf(this.definition)
    return this.#store
  }

  sample(limit: number): Promise<ListResult> {
    // Resources of several groups may have the same objects, which are in the store of the first.
    const [stored] = this.#stored.rows as readonly [ResourceDefinition]
    return this.#common.stores.of(groupResourceOf(stored)).list({ prefix: this.keys.prefix(''), limit })
  }

  get reservations(): Reservations | undefined {
    const { reservations } = this.definition
    return reservations && this.#reserves?.(reservations)
  }
}

/** Resources that are added and removed together. */
export interface ServedSet {
  /** All resources, including versions that are not served. */
  readonly all: readonly ServedResource[]
  readonly resources: readonly ServedResource[]
  /** By storage key, including versions that are not served. */
  readonly stores: ReadonlyMap<string, StoredRows>
}

/** Creates a set from rows that are bound to the platform; reuses unchanged parts of `before`. */
export type ServeRows = (rows: readonly ResourceDefinition[], serves: (row: ResourceDefinition) => boolean, before?: ServedSet) => ServedSet

/** Returns the leases of a store, created on first use. */
function leasesByStore(clock: Clock, reuse: number): (store: KeyValueStore) => Leases {
  const made = new Map<KeyValueStore, Leases>()
  return (store) => {
    const leases = made.get(store) ?? createLeases(store, clock, reuse)
    made.set(store, leases)
    return leases
  }
}

const groupResourceOf = (row: ResourceDefinition): GroupResource => ({ group: row.group, resource: row.names.plural })

/**
 * Whether two rows are equal apart from `closing`. If so, the store is kept and its watches continue. Any other field may be used by the
 * store or by its requests.
 */
function isSame(a: ResourceDefinition, b: ResourceDefinition | undefined): boolean {
  if (a === b || b === undefined) return a === b
  const { closing: _before, ...one } = a
  const { closing: _now, ...other } = b
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof typeof one>
  return [...names].every((name) => one[name] === other[name])
}

const same = (a: readonly ResourceDefinition[], b: readonly ResourceDefinition[]) =>
  a.length === b.length && a.every((row, index) => isSame(row, b[index]))

export interface Serving {
  readonly serve: ServeRows
  /** The resources of a catalogue. */
  fixed(catalogue: Catalogue): FixedSet
}

/** Serves rows. Versions of a resource have equal storage keys and share one store. */
export function createServing(options: ServingOptions): Serving {
  const { clock, logger, pauses, prefix, platform, settings } = options
  const leases = leasesByStore(clock, options.leaseReuse)
  const budget = new DerivedBudget()
  const namesUnreadable = options.settings.enabled('AllowUnsafeMalformedObjectDeletion')
  const lookups = options.startingLookups !== undefined && { startingLookups: options.startingLookups }
  const checked = options.settings.enabled('DetectCacheInconsistency')
  const cached = ({ group, resource }: GroupResource) =>
    options.watchCache && !options.uncached.some((each) => each.group === group && each.resource === resource)
  const context = () => ({ platform, settings, now: clock.now() })

  /** Custom resources are stored as JSON, or as CBOR (KEP-4222). */
  const mediaTypeOf = ({ storageMediaType, origin }: ResourceDefinition) =>
    origin.typeMeta === 'explicit' && settings.enabled('CBORServingAndStorage')
      ? 'application/cbor'
      : (storageMediaType ?? options.storageMediaType)

  function open(rows: readonly ResourceDefinition[]): OpenedRows {
    const [stored] = rows as readonly [ResourceDefinition]
    const on = groupResourceOf(stored)
    const holder = options.stores.of(on)
    const observer = options.observe(on)
    const store = new ObservedStore(holder, observer, clock)
    const { versioning } = stored
    const keepsVersions = versioning?.heldIn === 'requested'
    const objects = createObjectStore(store, stored, prefix, {
      namesUnreadable,
      clock,
      holder,
      observer,
      mediaType: mediaTypeOf(stored),
      ...(keepsVersions ? { anyVersion: true } : { versions: rows.filter((row) => row !== stored) }),
    })
    const base =
      cached(on) && stored.storageKey !== ''
        ? createWatchCache({ objects, store, clock, logger, pauses, observer: observer.cache, budget, checked, ...lookups })
        : directFeed(objects, store)
    if (!keepsVersions) return { store: base, viewOf: () => base }
    const { converter } = versioning
    const byVersion = new Map(rows.map((row) => [apiVersionOf(row), row]))
    const schemaOf = (apiVersion: string) => byVersion.get(apiVersion)?.schema
    const views = new Map(
      rows.map((row) => [apiVersionOf(row), createVersionedStore({ base, definition: row, stored, converter, schemaOf, context })]),
    )
    return { store: base, viewOf: (row) => views.get(apiVersionOf(row)) ?? base }
  }

  const common: Common = {
    prefix,
    stores: options.stores,
    leaseOf: (definition) =>
      definition.ttl && options.eventTtl > 0
        ? (context) => leases(options.stores.of(groupResourceOf(definition))).grant(options.eventTtl, context)
        : undefined,
  }

  function reservationsIn(rows: readonly ResourceDefinition[], storedOf: (storageKey: string) => StoredRows | undefined) {
    const reservations = once(() =>
      builtInReservations({
        ...options,
        store: options.stores.main,
        resource(group, plural) {
          const row = rows.find((each) => each.group === group && each.names.plural === plural && isStored(each))
          const stored = row && storedOf(row.storageKey)
          if (row === undefined || stored === undefined) throw new Error(`reservations need ${plural}`)
          return new StoredResource(row, stored, common)
        },
      }),
    )
    return (name: ReservationName) => reservations()(name)
  }

  return {
    serve(rows, serves, before) {
      const stores = new Map<string, StoredRows>()
      for (const [storageKey, own] of storedRows(rows)) {
        const kept = before?.stores.get(storageKey)
        stores.set(storageKey, kept && same(kept.rows, own) ? kept : new UnopenedRows(own, open))
      }
      const reservations = reservationsIn(rows, (storageKey) => stores.get(storageKey))
      const former = new Map(before?.all.map((each) => [each.definition, each]))
      const all = rows.flatMap((definition) => {
        const stored = stores.get(definition.storageKey)
        if (stored === undefined) return []
        const kept = before?.stores.get(definition.storageKey) === stored ? former.get(definition) : undefined
        return kept ?? new StoredResource(definition, stored, common, reservations)
      })
      return { all, resources: all.filter(({ definition }) => serves(definition)), stores }
    },

    fixed(catalogue) {
      const stores = new Map<string, StoredRows>()
      const resources = new Map<ResourceDefinition, ServedResource>()
      let isClosed = false
      function storedOf(storageKey: string): StoredRows | undefined {
        const rows = catalogue.stored.get(storageKey)
        const stored = stores.get(storageKey) ?? (rows && new UnopenedRows(rows, open))
        if (stored === undefined) return undefined
        stores.set(storageKey, stored)
        if (isClosed) stored.close()
        return stored
      }
      const reservations = reservationsIn(catalogue.rows, storedOf)
      function resourceOf(row: ResourceDefinition): ServedResource {
        let resource = resources.get(row)
        if (resource === undefined) {
          resource = new StoredResource(row, storedOf(row.storageKey) as StoredRows, common, reservations)
          resources.set(row, resource)
        }
        return resource
      }
      return createFixedSet(catalogue, resourceOf, () => {
        isClosed = true
        for (const stored of stores.values()) stored.close()
      })
    },
  }
}
