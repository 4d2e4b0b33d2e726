import type { Clock, KeyValueStore, Logger } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'

/** Where replicas of this server, and of the reference server, agree on who compacts next; its value is the revision last compacted. */
const compactionKey = 'compact_rev_key'
const encoder = new TextEncoder()

/**
 * Every `interval` milliseconds (0: never) forgets the history from before the last time, so that watches can resume for at least that
 * long. Of the replicas on one store only the first to swap the key in an interval compacts; the others learn that it was done and wait.
 */
export function startCompaction(store: KeyValueStore, clock: Clock, logger: Logger, interval: number): () => void {
  if (interval === 0) return () => {}
  let cancel = () => {}
  let stopped = false
  /** Modification revision of the key when it was last seen; 0: never yet. */
  let known = 0
  /** The store's revision an interval ago. */
  let seen = 0

  async function compact(): Promise<void> {
    try {
      const result = await store.put(compactionKey, encoder.encode(String(seen)), known)
      const mine = result.ok && seen > 0
      const before = seen
      known = result.ok ? result.revision : (result.current?.modRevision ?? 0)
      seen = result.revision
      if (mine) await store.compact(before)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'compaction failed; retrying at the next interval')
    }
    schedule()
  }

  function schedule(): void {
    if (!stopped) cancel = clock.after(interval, () => void compact())
  }

  schedule()
  return () => {
    stopped = true
    cancel()
  }
}
