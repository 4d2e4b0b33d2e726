import type { MaybePromise } from '../common/maybe-promise.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import { type Follower, type Following, follow } from '../objects/watch/follow.ts'
import type { LateFollows } from '../objects/watch/late-follows.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Context } from '../ports.ts'
import { fromStorageVersion } from '../resources/converter.ts'
import type { ApiObject } from '../resources/definition.ts'
import { whenCreated } from './when-created.ts'

/**
 * Stored objects of built-in resources for plugins, which must not change them: they are shared. Groups are written with placeholders; a resource that is not served has no objects.
 * `context`: what they are needed for, such as the attributes of a request; undefined: the server's own work.
 */
export interface Lookup {
  /** A found object may be outdated; a missing one is confirmed by the store. A promise when the store must be asked. */
  find(...of: ObjectPlace): MaybePromise<ApiObject | undefined>
  /** As `find`, but waits up to `milliseconds` for the object to be created. */
  findSoon(milliseconds: number, ...of: ObjectPlace): Promise<ApiObject | undefined>
  /** Reads the current object from the store. */
  findLive(...of: ObjectPlace): Promise<ApiObject | undefined>
  /** Objects of one namespace; empty: of all namespaces, or cluster-scoped. May be outdated. */
  list(group: string, plural: string, namespace: string, context: Context | undefined): Promise<ApiObject[]>
  /** The resource of a kind, including custom resources; `apiVersion` as in objects. Undefined: not served. */
  resourceOf(apiVersion: string, kind: string): ServedKind | undefined
  /** The objects of a kind in that version, including custom resources. Undefined: not served. */
  objectsOf(apiVersion: string, kind: string): KindObjects | undefined
  /** Follows all objects of a built-in resource in the stored version. If it is not served, the follower is never called. */
  follow(group: string, plural: string, follower: Follower): Following
}

/** Where an object is, and what it is needed for. */
type ObjectPlace = readonly [group: string, plural: string, namespace: string, name: string, context: Context | undefined]

export interface KindObjects {
  readonly namespaced: boolean
  /** As `Lookup.find`. */
  find(namespace: string, name: string, context: Context | undefined): Promise<ApiObject | undefined>
  /** As `Lookup.list`. */
  list(namespace: string, context: Context | undefined): Promise<ApiObject[]>
}

export interface ServedKind {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespaced: boolean
}

function objectsIn({ definition, store }: ServedResource): KindObjects {
  const shown = (object: ApiObject) => fromStorageVersion(definition, object)
  return {
    namespaced: definition.namespaced,
    async find(namespace, name, context) {
      const of = { namespace, name }
      const entry = store.known(of) ?? (await store.get(of, context))
      return entry && shown(entry.object)
    },
    async list(namespace, context) {
      const { entries } = await store.list({ namespace, at: 'any', ...(context && { context }) })
      return entries.map(({ object }) => shown(object))
    },
  }
}

/** Calls `open` at once, or when there is an object with these keys. */
export type FollowLate = LateFollows['follow']

const nothing: Following = { ready: undefined, close() {} }

/** `late`: how resources are followed that may have no objects; default: at once. */
export function createLookup(table: ResourceTable, platform: Platform, clock: Clock, late: FollowLate = (_keys, open) => open()): Lookup {
  const storeOf = (group: string, plural: string) => table.storeOf(platform.name(group), plural)
  const find: Lookup['find'] = (group, plural, namespace, name, context) => {
    const store = storeOf(group, plural)
    if (store === undefined) return undefined
    const of = { namespace, name }
    const known = store.known(of)
    return known ? known.object : store.get(of, context).then((entry) => entry?.object)
  }
  return {
    find,
    async findSoon(milliseconds, ...of) {
      const found = await find(...of)
      const [group, plural, namespace, name, context] = of
      const store = storeOf(group, plural)
      if (found !== undefined || store === undefined) return found
      await whenCreated(store, { namespace, name }, context, clock, milliseconds)
      return find(...of)
    },
    async findLive(group, plural, namespace, name, context) {
      const store = storeOf(group, plural)
      return (await store?.get({ namespace, name }, context))?.object
    },
    async list(group, plural, namespace, context) {
      const found = await storeOf(group, plural)?.list({ namespace, at: 'any', ...(context && { context }) })
      return (found?.entries ?? []).map(({ object }) => object)
    },
    resourceOf(apiVersion, kind) {
      const served = table.ofKind(apiVersion, kind)
      return served && { ...served.groupResource, version: served.definition.version, namespaced: served.definition.namespaced }
    },
    objectsOf(apiVersion, kind) {
      const served = table.ofKind(apiVersion, kind)
      return served && objectsIn(served)
    },
    follow(group, plural, follower) {
      const resource = table.ofGroup(platform.name(group), plural)
      return resource ? late(resource.keys, () => follow(resource.store, clock, follower)) : nothing
    },
  }
}
