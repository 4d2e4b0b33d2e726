import type { Clock, KeyValueStore, Logger } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'

/** Key on which all replicas, including those of the reference server, coordinate compaction; its value is the last compacted revision. */
const compactionKey = 'compact_rev_key'
const encoder = new TextEncoder()

/**
 * Compacts the store every `interval` milliseconds (0: never) up to the revision at the previous compaction, so that watches can resume for at
 * least one interval. The first replica to swap the key in an interval compacts; the others see the changed key and wait.
 */
export function startCompaction(store: KeyValueStore, clock: Clock, logger: Logger, interval: number): () => void {
  if (interval === 0) return () => {}
  let cancel = () => {}
  let stopped = false
  /** Last seen modification revision of the key; 0: never seen. */
  let known = 0
  /** The store's revision one interval ago. */
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
