import type { GroupResource } from '../../answers/status.ts'
import type { Context, ListResult } from '../../ports.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import type { Keys } from '../storage/keys.ts'
import type { Leases } from '../storage/leases.ts'
import type { WatchableStore } from '../watch/feed.ts'
import type { Reservations } from './reservations.ts'

/** A served resource: its definition in one version, and its store. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly groupResource: GroupResource
  /** Keys of its objects. */
  readonly keys: Keys
  /** Opened at the first use. */
  readonly store: WatchableStore
  /** The first stored values, as the store has them, which is not opened for it. */
  sample(limit: number): Promise<ListResult>
  /** Grants the lease for new objects, for resources with a time-to-live. */
  readonly lease?: (context: Context | undefined) => ReturnType<Leases['grant']>
  /** Allocations of its objects from a shared pool. */
  readonly reservations?: Reservations | undefined
}

/** All served resources. Custom resources are added, changed and removed while the server runs. */
export interface ResourceTable {
  lookup(group: string, version: string, plural: string): ServedResource | undefined
  /** The resource of a kind; `apiVersion` as in objects. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined
  all(): readonly ServedResource[]
  /**
   * All resources with the same stored objects, including itself: its versions, in one or several groups. The same array until they
   * change.
   */
  versionsOf(resource: ServedResource): readonly ServedResource[]
  /** The definition of a resource in another version, served or not. */
  definitionIn(definition: ResourceDefinition, apiVersion: string): ResourceDefinition | undefined
  /** A resource in one of its versions, served or not. */
  ofGroup(group: string, plural: string): ServedResource | undefined
  /** The store of a resource, whichever versions are served. */
  storeOf(group: string, plural: string): WatchableStore | undefined
  /** Incremented on every change, for memoization. */
  readonly revision: number
  /** Calls `changed` after every change until the returned function is called. The current content is not reported. */
  follow(changed: () => void): () => void
}
