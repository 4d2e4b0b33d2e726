import { StoreError } from '../../core/ports.ts'
import { type Change, History, type Load } from './history.ts'

/** What a journal has of a store. */
export interface Restored {
  readonly history: History
  /** Lease by key. */
  readonly attached: ReadonlyMap<string, bigint>
}

/**
 * The history of changes, which are in their order. Those up to the oldest readable revision are what a compaction has left; all that follow are
 * complete. Throws a StoreError 'corrupt' when one is missing.
 */
export function restored(oldest: number, changes: Iterable<Change>, loadValue?: Load): Restored {
  const history = new History(oldest, loadValue)
  const attached = new Map<string, bigint>()
  for (const change of changes) {
    if (change.revision <= oldest) history.restore(change)
    else if (change.revision <= history.revision + 1) history.replay(change)
    else throw new StoreError('corrupt', `revision ${history.revision + 1} is missing before revision ${change.revision}`)
    if (change.lease !== 0n) attached.set(change.key, change.lease)
    else attached.delete(change.key)
  }
  return { history, attached }
}
