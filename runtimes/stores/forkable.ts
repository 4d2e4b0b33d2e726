import type { Clock, KeyValue, KeyValueStore } from '../../core/ports.ts'
import { Branch } from './branch.ts'
import { type Change, History } from './history.ts'
import type { Lease } from './leases.ts'
import { createMvcc } from './mvcc.ts'

/** Immutable content of a store at one revision. */
export interface StoreSnapshot {
  readonly base: ReturnType<Branch['freeze']>
  readonly leases: readonly Lease[]
  /** Lease by key. */
  readonly attached: ReadonlyMap<string, bigint>
}

export interface ForkableStore extends KeyValueStore {
  /** Takes constant time: stored values are shared until they change (copy on write). */
  snapshot(): StoreSnapshot
}

/** Creates a snapshot from given content, such as that of a file. The history before `revision` counts as compacted. */
export function storeSnapshot(
  revision: number,
  items: Iterable<KeyValue>,
  { leases, attached }: Pick<StoreSnapshot, 'leases' | 'attached'>,
): StoreSnapshot {
  const versions = new History(revision)
  for (const { modRevision, ...kv } of items) versions.restore({ ...kv, revision: modRevision, lease: 0n })
  return { base: { versions, depth: 0 }, leases, attached }
}

/** Creates a snapshot without leases from changes since revision 1, in order. */
export function replayedSnapshot(changes: Iterable<Change>): StoreSnapshot {
  const versions = new History()
  for (const change of changes) versions.replay(change)
  return { base: { versions, depth: 0 }, leases: [], attached: new Map() }
}

export interface ForkableStoreOptions {
  readonly clock: Clock
  /** Default: empty. */
  readonly from?: StoreSnapshot
  /** Called after each commit. */
  readonly changed?: (changes: readonly Change[]) => void
  /** Maximum bytes of replaced values that reads of the past may need; older ones are compacted; default 256 MiB. */
  readonly pastBytes?: number
}

/** A store in memory that can be forked. */
export function forkableStore({ clock, from, changed, pastBytes }: ForkableStoreOptions): ForkableStore {
  const history = new Branch(from?.base)
  const leases = new Map(from?.leases.map((lease) => [lease.id, lease]))
  const attached = new Map(from?.attached)
  const store = createMvcc({
    clock,
    history,
    ...(pastBytes !== undefined && { pastBytes }),
    ...(from && { leases: from.leases, attached: from.attached }),
    // Not durable; it only tracks leases.
    journal: {
      async append(changes) {
        for (const { key, lease } of changes) {
          if (lease !== 0n) attached.set(key, lease)
          else attached.delete(key)
        }
        changed?.(changes)
      },
      async grant(lease) {
        leases.set(lease.id, lease)
      },
      async endLease(id) {
        leases.delete(id)
      },
      async compact() {},
      size: () => history.bytes,
      async close() {},
    },
  })
  return { ...store, snapshot: () => ({ base: history.freeze(), leases: [...leases.values()], attached: new Map(attached) }) }
}
