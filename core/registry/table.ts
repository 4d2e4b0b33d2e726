/** The live table of resources: sets of rows are put in, replaced and taken out while requests go on. */
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import type { WatchableStore } from '../watch/feed.ts'
import type { ResourceTable, ServedResource } from './served.ts'
import type { ServedSet, ServeRows } from './serving.ts'

/** The table as its owner sees it. */
export interface LiveTable extends ResourceTable {
  /**
   * Serves these rows, bound to the platform, in place of those last given under the name; none: takes them away. Resources of the same
   * rows as before stay as they are; the stores of the others are closed, which ends their watches. Where two sets have a resource of the
   * same group, version and plural, the set that came first has it. Returns the resources of all rows, served or not.
   */
  replace(name: string, rows: readonly ResourceDefinition[], serves?: (row: ResourceDefinition) => boolean): readonly ServedResource[]
  /** Closes all stores. */
  close(): void
}

/** What is looked up, made from all sets. */
interface Index {
  readonly all: readonly ServedResource[]
  readonly byPlural: ReadonlyMap<string, ReadonlyMap<string, ServedResource>>
  readonly byKind: ReadonlyMap<string, ServedResource>
  readonly stores: ReadonlyMap<string, WatchableStore>
  readonly byStorageKey: ReadonlyMap<string, readonly ServedResource[]>
}

function indexOf(sets: Iterable<ServedSet>): Index {
  const all: ServedResource[] = []
  const byPlural = new Map<string, Map<string, ServedResource>>()
  const byKind = new Map<string, ServedResource>()
  const stores = new Map<string, WatchableStore>()
  const byStorageKey = new Map<string, ServedResource[]>()
  for (const { resources } of sets) {
    for (const each of resources) {
      const { definition, on } = each
      const groupVersion = versionKey(definition.group, definition.version)
      const versions = byPlural.get(on.resource) ?? new Map<string, ServedResource>()
      if (versions.has(groupVersion)) continue
      byPlural.set(on.resource, versions.set(groupVersion, each))
      all.push(each)
      const kind = `${apiVersionOf(definition)} ${definition.kind}`
      if (!byKind.has(kind)) byKind.set(kind, each)
      const { storageKey } = definition
      if (storageKey !== '') byStorageKey.set(storageKey, [...(byStorageKey.get(storageKey) ?? []), each])
      stores.set(`${on.resource}.${on.group}`, each.store)
    }
  }
  return { all, byPlural, byKind, stores, byStorageKey }
}

const versionKey = (group: string, version: string) => `${group}/${version}`

export function createResourceTable(serve: ServeRows): LiveTable {
  const sets = new Map<string, ServedSet>()
  const followers = new Set<() => void>()
  let revision = 0
  let known: Index | undefined
  /** Made when it is next needed: many sets may come at a time. */
  const index = () => {
    known ??= indexOf(sets.values())
    return known
  }

  return {
    lookup: (group, version, plural) => index().byPlural.get(plural)?.get(versionKey(group, version)),
    ofKind: (apiVersion, kind) => index().byKind.get(`${apiVersion} ${kind}`),
    all: () => index().all,
    versionsOf: (resource) => index().byStorageKey.get(resource.definition.storageKey) ?? [resource],
    storeOf: (group, plural) => index().stores.get(`${plural}.${group}`),
    get revision() {
      return revision
    },
    follow(changed) {
      followers.add(changed)
      return () => followers.delete(changed)
    },
    replace(name, rows, serves = () => true) {
      const before = sets.get(name)
      if (rows.length > 0) sets.set(name, serve(rows, serves, before))
      else sets.delete(name)
      known = undefined
      revision++
      const kept = new Set([...(sets.get(name)?.stores.values() ?? [])].map(({ store }) => store))
      for (const { store } of before?.stores.values() ?? []) if (!kept.has(store)) store.close()
      for (const changed of followers) changed()
      return sets.get(name)?.all ?? []
    },
    close() {
      for (const { stores } of sets.values()) for (const { store } of stores.values()) store.close()
    },
  }
}
