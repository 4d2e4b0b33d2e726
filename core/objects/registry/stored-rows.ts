import { hubOf } from '../../resources/converter.ts'
import { apiVersionOf, type ResourceDefinition } from '../../resources/definition.ts'

/** Whether this row's version is the storage version. */
export function isStored(row: ResourceDefinition): boolean {
  if (row.versioning?.heldIn !== 'requested') return hubOf(row) === undefined
  return row.storageVersion === undefined || row.storageVersion === apiVersionOf(row)
}

/** All versions of each resource by storage key, the storage version first. */
export type Stored = ReadonlyMap<string, readonly [ResourceDefinition, ...ResourceDefinition[]]>

/** Groups rows by what they store. Resources without a storage version are left out. */
export function storedRows(rows: readonly ResourceDefinition[]): Stored {
  const views = new Map<string, ResourceDefinition[]>()
  for (const row of rows) {
    if (isStored(row)) continue
    const others = views.get(row.storageKey)
    if (others) others.push(row)
    else views.set(row.storageKey, [row])
  }
  return new Map(rows.filter(isStored).map((row) => [row.storageKey, [row, ...(views.get(row.storageKey) ?? [])] as const]))
}
