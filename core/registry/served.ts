import type { ResourceDefinition } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'
import type { Leases } from '../storage/leases.ts'
import type { WatchableStore } from '../watch/feed.ts'
import type { Reservations } from './reservations.ts'

/** A resource that this server answers for: its definition in the version asked for, and its objects. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly groupResource: GroupResource
  readonly store: WatchableStore
  /** Lease under which new objects are stored, for resources with a time-to-live. */
  readonly lease?: () => ReturnType<Leases['grant']>
  /** What its objects take from a shared stock. */
  readonly reservations?: Reservations
}

/** All served resources. Built-in ones are there from the start; others come, change and go while the server runs. */
export interface ResourceTable {
  lookup(group: string, version: string, plural: string): ServedResource | undefined
  /** The resource of a kind; `apiVersion` as objects write it. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined
  all(): readonly ServedResource[]
  /**
   * Those of the same stored objects, itself included: the versions of a resource, of one or of several groups. The same array until they
   * change.
   */
  versionsOf(resource: ServedResource): readonly ServedResource[]
  /** The definition of a resource's objects in another version, served or not. */
  definitionIn(definition: ResourceDefinition, apiVersion: string): ResourceDefinition | undefined
  /** Where the objects of a resource are, whichever of its versions are served. */
  storeOf(group: string, plural: string): WatchableStore | undefined
  /** Raised with every change, so that what is computed from the table can be memoized. */
  readonly revision: number
  /** Calls back after every change, and returns how to end that. What there is already is the caller's to read. */
  follow(changed: () => void): () => void
}
