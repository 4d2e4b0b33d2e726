/** What gives work to a controller that sleeps. */
import type { Platform } from '../platform.ts'

/** A change of the store. */
export interface Written {
  readonly key: string
  /** Absent: the key was deleted. */
  readonly value?: Uint8Array
}

/** A change of a stored object. */
export interface StoredChange {
  /** The key without the prefix of all keys: `STORAGEKEY/[NAMESPACE/]NAME`. */
  readonly path: string
  /** What is stored; null: the object was deleted. */
  readonly value: Uint8Array | null
}

/** Changes of resources, by their storage keys, or those of which this is true. What time alone makes due is no matter of changes. */
export type Wakes = readonly string[] | ((change: StoredChange) => boolean)

export function givesWork(wakes: Wakes, change: StoredChange, platform: Pick<Platform, 'name'>): boolean {
  if (typeof wakes === 'function') return wakes(change)
  return wakes.some((key) => change.path.startsWith(`${platform.name(key)}/`))
}
