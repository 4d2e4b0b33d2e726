/** Resources that are there from the start and stay. What is known of their definitions alone is made once for all servers with the same options. */
import type { ResourceDefinition } from '../../resources/definition.ts'
import { ResourceIndex } from './resource-index.ts'
import type { ServedResource } from './served.ts'
import { StorageKeyOwners } from './storage-key-owners.ts'
import { type Stored, storedRows } from './stored-rows.ts'

/** Rows, and what is looked up in them. Holds no state of a server. */
export interface Catalogue {
  readonly rows: readonly ResourceDefinition[]
  readonly stored: Stored
  readonly index: ResourceIndex<ResourceDefinition>
  readonly owners: StorageKeyOwners
}

/** `rows` are bound to the platform; `serves` tells which of them are served. */
export function catalogueOf(rows: readonly ResourceDefinition[], serves: (row: ResourceDefinition) => boolean): Catalogue {
  const stored = storedRows(rows)
  const index = new ResourceIndex<ResourceDefinition>((row) => row)
  const all = rows.filter(({ storageKey }) => stored.has(storageKey))
  index.add(all, all.filter(serves))
  const owners = new StorageKeyOwners()
  owners.add('built-in', stored.keys())
  return { rows, stored, index, owners }
}

/** The resources of a catalogue in one server. Each is made when it is first looked up. */
export interface FixedSet
  extends Pick<ResourceIndex<ServedResource>, 'lookup' | 'ofKind' | 'ofStorageKey' | 'definitionIn' | 'ofGroup'>,
    Pick<Catalogue, 'owners'> {
  all(): readonly ServedResource[]
  /** Closes the stores that were opened. */
  close(): void
}

export const noFixedSet: FixedSet = {
  owners: new StorageKeyOwners(),
  lookup: () => undefined,
  ofKind: () => undefined,
  ofStorageKey: () => undefined,
  definitionIn: () => undefined,
  ofGroup: () => undefined,
  all: () => [],
  close() {},
}

/** `resourceOf` makes a resource once, and returns the same one from then on. */
export function createFixedSet(
  { index, owners }: Catalogue,
  resourceOf: (row: ResourceDefinition) => ServedResource,
  close: () => void,
): FixedSet {
  const found = (row: ResourceDefinition | undefined) => row && resourceOf(row)
  const versions = new Map<string, readonly ServedResource[]>()
  return {
    owners,
    lookup: (group, version, plural) => found(index.lookup(group, version, plural)),
    ofKind: (apiVersion, kind) => found(index.ofKind(apiVersion, kind)),
    ofStorageKey(storageKey) {
      const known = versions.get(storageKey) ?? index.ofStorageKey(storageKey)?.map(resourceOf)
      if (known) versions.set(storageKey, known)
      return known
    },
    definitionIn: (definition, apiVersion) => index.definitionIn(definition, apiVersion),
    ofGroup: (group, plural) => found(index.ofGroup(group, plural)),
    all: () => index.all.map(resourceOf),
    close,
  }
}
