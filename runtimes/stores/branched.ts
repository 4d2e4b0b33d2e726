/** A store in memory that starts with the present content of another store, and leaves that as it is. */
import type { Clock, KeyValueStore } from '../../core/ports.ts'
import { forkableStore, type StoreSnapshot } from './forkable.ts'
import { History, type Readable } from './history.ts'
import type { ViewableStore } from './mvcc.ts'
import { ReadThrough } from './read-through.ts'

const isViewable = (store: KeyValueStore): store is ViewableStore => 'view' in store

export interface BranchedStoreOptions {
  readonly clock: Clock
  /** Maximum bytes of replaced values that reads of the past may need. */
  readonly pastBytes: number
  /** Maximum bytes of what is read of a store that is not in memory; each object counts as 1 KiB besides. */
  readonly readBytes: number
}

export interface BranchedStore {
  readonly store: KeyValueStore
  /** Revision of the other store at which it starts. */
  readonly revision: number
  /** Revision of a key in the other store at that time; 0: it did not exist. Known of keys that the store has read or written. */
  before(key: string): number
}

/** Leases are left out: nothing of the content expires. */
const unleased = (versions: Readable): StoreSnapshot => ({ base: { versions, depth: 0 }, leases: [], attached: new Map() })

const revisionIn = (versions: Readable) => (key: string) => versions.get(key)?.modRevision ?? 0

/**
 * Takes constant time. The content of a store in memory is shared with it until it changes; that of another one is read when it is first asked for,
 * at the revision at which the branch starts: see `ReadThrough` for what happens when that is compacted.
 */
export async function branchedStore(other: KeyValueStore, { readBytes, ...options }: BranchedStoreOptions): Promise<BranchedStore> {
  if (isViewable(other)) {
    const view = other.view()
    const own = forkableStore({ ...options, from: unleased(view) })
    const close = () => own.close().finally(view.close)
    return { store: { ...own, close }, revision: view.revision, before: revisionIn(view) }
  }
  const base = new History(await other.currentRevision())
  const own = forkableStore({ ...options, from: unleased(base) })
  const { revision } = base
  return { store: new ReadThrough(other, base, readBytes).before(own), revision, before: revisionIn(base) }
}
