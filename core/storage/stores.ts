/** Which store holds which resource. */
import type { KeyValueStore, StoreOverride } from '../ports.ts'
import type { GroupResource } from '../respond/status.ts'

export interface Stores {
  /** The one that everything is in which no other claims. */
  readonly main: KeyValueStore
  /** All of them, `main` first. */
  readonly all: readonly KeyValueStore[]
  of(groupResource: GroupResource): KeyValueStore
}

/** Of two stores for one resource the later one wins. */
export function createStores(main: KeyValueStore, overrides: readonly StoreOverride[] = []): Stores {
  const textOf = ({ group, resource }: GroupResource) => `${group}/${resource}`
  const byResource = new Map(overrides.flatMap(({ store, resources }) => resources.map((on) => [textOf(on), store] as const)))
  return { main, all: [main, ...overrides.map(({ store }) => store)], of: (on) => byResource.get(textOf(on)) ?? main }
}
