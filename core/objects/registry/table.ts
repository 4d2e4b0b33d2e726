/** The live table of resources: sets of rows are added, replaced and removed while requests are served. */
import type { ResourceDefinition } from '../../resources/definition.ts'
import { type FixedSet, noFixedSet } from './fixed-set.ts'
import { ResourceIndex } from './resource-index.ts'
import type { ResourceTable, ServedResource } from './served.ts'
import type { ServedSet, ServeRows } from './serving.ts'
import { StorageKeyOwners } from './storage-key-owners.ts'

/** The table with write access. */
export interface LiveTable extends ResourceTable {
  /**
   * Serves these rows (bound to the platform) in place of the previous ones of that set; an empty list removes the set. Unchanged resources
   * are kept; the stores of others are closed, which ends their watches. If two sets have the same group, version and plural, the older set
   * wins. Returns the resources of all rows, served or not.
   * @throws Error when another set stores objects below the same keys: the table then stays as it was.
   */
  replace(name: string, rows: readonly ResourceDefinition[], serves?: (row: ResourceDefinition) => boolean): readonly ServedResource[]
  /** Whether another set stores objects below, or above, the keys of this storage key. */
  overlaps(name: string, storageKey: string): boolean
  /** Closes all stores. */
  close(): void
}

const definitionOf = ({ definition }: ServedResource) => definition

/** `fixed`: resources that are there from the start and stay; they win over those of sets. Default: none. */
export function createResourceTable(serve: ServeRows, fixed: FixedSet = noFixedSet): LiveTable {
  const sets = new Map<string, ServedSet>()
  const followers = new Set<() => void>()
  /** One-element lists, the same for every call. */
  const alone = new WeakMap<ServedResource, readonly ServedResource[]>()
  let known: ResourceIndex<ServedResource> | undefined
  /** Rebuilt on next use, because many sets may change at once. */
  function index(): ResourceIndex<ServedResource> {
    if (known === undefined) {
      known = new ResourceIndex(definitionOf)
      for (const { all, resources } of sets.values()) known.add(all, resources)
    }
    return known
  }

  function onlyOf(resource: ServedResource): readonly ServedResource[] {
    const list = alone.get(resource) ?? [resource]
    alone.set(resource, list)
    return list
  }

  const owners = new StorageKeyOwners()
  const overlaps = (name: string, storageKey: string) => fixed.owners.overlaps(name, storageKey) || owners.overlaps(name, storageKey)

  const ofGroup = (group: string, plural: string) => fixed.ofGroup(group, plural) ?? index().ofGroup(group, plural)

  const table: Omit<LiveTable, 'revision'> & { revision: number } = {
    overlaps,
    lookup: (group, version, plural) => fixed.lookup(group, version, plural) ?? index().lookup(group, version, plural),
    ofKind: (apiVersion, kind) => fixed.ofKind(apiVersion, kind) ?? index().ofKind(apiVersion, kind),
    all: () => [...fixed.all(), ...index().all],
    versionsOf(resource) {
      const { storageKey } = resource.definition
      return fixed.ofStorageKey(storageKey) ?? index().ofStorageKey(storageKey) ?? onlyOf(resource)
    },
    definitionIn: (definition, apiVersion) => fixed.definitionIn(definition, apiVersion) ?? index().definitionIn(definition, apiVersion),
    ofGroup,
    storeOf: (group, plural) => ofGroup(group, plural)?.store,
    revision: 0,
    follow(changed) {
      followers.add(changed)
      return () => followers.delete(changed)
    },
    replace(name, rows, serves = () => true) {
      for (const key of new Set(rows.map(({ storageKey }) => storageKey)))
        if (key !== '' && overlaps(name, key))
          throw new Error(`storage key ${JSON.stringify(key)} of ${JSON.stringify(name)} belongs to other resources`)
      const before = sets.get(name)
      const made = rows.length > 0 ? serve(rows, serves, before) : undefined
      owners.remove(name, before?.stores.keys() ?? [])
      owners.add(name, made?.stores.keys() ?? [])
      if (made) sets.set(name, made)
      else sets.delete(name)
      if (made && before === undefined) known?.add(made.all, made.resources)
      else known = undefined
      table.revision++
      const kept = new Set(made?.stores.values())
      for (const stored of before?.stores.values() ?? []) if (!kept.has(stored)) stored.close()
      for (const changed of followers) changed()
      return made?.all ?? []
    },
    close() {
      fixed.close()
      for (const { stores } of sets.values()) for (const stored of stores.values()) stored.close()
    },
  }
  return table
}
