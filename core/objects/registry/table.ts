/** The live table of resources: sets of rows are added, replaced and removed while requests are served. */
import { apiVersionOf, type ResourceDefinition } from '../../resources/definition.ts'
import type { ResourceTable, ServedResource } from './served.ts'
import type { ServedSet, ServeRows } from './serving.ts'

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

/** Look-up index of all sets. */
class Index {
  readonly all: ServedResource[] = []
  readonly byPlural = new Map<string, Map<string, ServedResource>>()
  readonly byKind = new Map<string, ServedResource>()
  readonly byStorageKey = new Map<string, ServedResource[]>()
  /** By storage key, version and kind, including versions that are not served. */
  readonly definitions = new Map<string, ResourceDefinition>()
  /** By plural and group; of several versions, the last one. */
  readonly byGroup = new Map<string, ServedResource>()

  /** Of resources with the same name, the first one stays. */
  add({ all, resources }: ServedSet): void {
    for (const { definition } of all) {
      const key = versionOfObjects(definition, apiVersionOf(definition))
      if (!this.definitions.has(key)) this.definitions.set(key, definition)
    }
    for (const each of resources) {
      const { definition, groupResource } = each
      const versions = this.byPlural.get(groupResource.resource) ?? new Map<string, ServedResource>()
      const version = versionKey(definition.group, definition.version)
      if (versions.has(version)) continue
      this.byPlural.set(groupResource.resource, versions.set(version, each))
      this.all.push(each)
      const kind = `${apiVersionOf(definition)} ${definition.kind}`
      if (!this.byKind.has(kind)) this.byKind.set(kind, each)
      const { storageKey } = definition
      if (storageKey !== '') this.byStorageKey.set(storageKey, [...(this.byStorageKey.get(storageKey) ?? []), each])
      this.byGroup.set(`${groupResource.resource}.${groupResource.group}`, each)
    }
  }
}

/** `a` and `a/b` of `a/b/c`. */
const prefixesOf = (storageKey: string) =>
  storageKey
    .split('/')
    .slice(0, -1)
    .map((_, index, all) => all.slice(0, index + 1).join('/'))

const versionOfObjects = ({ storageKey, kind }: ResourceDefinition, apiVersion: string) => `${storageKey} ${apiVersion} ${kind}`

const versionKey = (group: string, version: string) => `${group}/${version}`

export function createResourceTable(serve: ServeRows): LiveTable {
  const sets = new Map<string, ServedSet>()
  const followers = new Set<() => void>()
  /** One-element lists, the same for every call. */
  const alone = new WeakMap<ServedResource, readonly ServedResource[]>()
  let revision = 0
  let known: Index | undefined
  /** Rebuilt on next use, because many sets may change at once. */
  function index(): Index {
    if (known === undefined) {
      known = new Index()
      for (const each of sets.values()) known.add(each)
    }
    return known
  }

  function onlyOf(resource: ServedResource): readonly ServedResource[] {
    const list = alone.get(resource) ?? [resource]
    alone.set(resource, list)
    return list
  }

  /** Sets by storage key, and by what is above their storage keys. */
  const owners = new Map<string, string>()
  const below = new Map<string, Set<string>>()

  function overlaps(name: string, storageKey: string): boolean {
    const isForeign = (owner: string | undefined) => owner !== undefined && owner !== name
    const above = [storageKey, ...prefixesOf(storageKey)].some((each) => isForeign(owners.get(each)))
    return above || [...(below.get(storageKey) ?? [])].some(isForeign)
  }

  function own(name: string, before: ServedSet | undefined, made: ServedSet | undefined): void {
    for (const key of before?.stores.keys() ?? []) {
      owners.delete(key)
      for (const prefix of prefixesOf(key)) below.get(prefix)?.delete(name)
    }
    for (const key of made?.stores.keys() ?? []) {
      owners.set(key, name)
      for (const prefix of prefixesOf(key)) below.set(prefix, (below.get(prefix) ?? new Set()).add(name))
    }
  }

  return {
    overlaps,
    lookup: (group, version, plural) => index().byPlural.get(plural)?.get(versionKey(group, version)),
    ofKind: (apiVersion, kind) => index().byKind.get(`${apiVersion} ${kind}`),
    all: () => [...index().all],
    versionsOf: (resource) => index().byStorageKey.get(resource.definition.storageKey) ?? onlyOf(resource),
    definitionIn: (definition, apiVersion) => index().definitions.get(versionOfObjects(definition, apiVersion)),
    storeOf: (group, plural) => index().byGroup.get(`${plural}.${group}`)?.store,
    get revision() {
      return revision
    },
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
      own(name, before, made)
      if (made) sets.set(name, made)
      else sets.delete(name)
      if (made && before === undefined) known?.add(made)
      else known = undefined
      revision++
      const kept = new Set(made?.stores.values())
      for (const stored of before?.stores.values() ?? []) if (!kept.has(stored)) stored.close()
      for (const changed of followers) changed()
      return made?.all ?? []
    },
    close() {
      for (const { stores } of sets.values()) for (const stored of stores.values()) stored.close()
    },
  }
}
