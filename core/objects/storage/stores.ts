/** Assigns resources to stores. */

import type { GroupResource } from '../../answers/status.ts'
import type { KeyValueStore, StoreOverride } from '../../ports.ts'

export interface Stores {
  /** The store of all resources without an override. */
  readonly main: KeyValueStore
  /** All stores, `main` first. */
  readonly all: readonly KeyValueStore[]
  of(groupResource: GroupResource): KeyValueStore
}

/** If two overrides name the same resource, the later one wins. */
export function createStores(main: KeyValueStore, overrides: readonly StoreOverride[] = []): Stores {
  const textOf = ({ group, resource }: GroupResource) => `${group}/${resource}`
  const byResource = new Map(
    overrides.flatMap(({ store, resources }) => resources.map((groupResource) => [textOf(groupResource), store] as const)),
  )
  return { main, all: [main, ...overrides.map(({ store }) => store)], of: (groupResource) => byResource.get(textOf(groupResource)) ?? main }
}
