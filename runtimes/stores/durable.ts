import type { Clock, KeyValueStore, Logger } from '../../core/ports.ts'
import { LmdbJournal } from './journal.ts'
import { createMvcc } from './mvcc.ts'

export interface DurableStoreOptions {
  /** Made when absent. One process at a time may have it open. */
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * A store in memory with a journal on disk: a write is acknowledged, and seen by reads and watches, once it is flushed. Rejects with
 * a StoreError: 'unavailable' when another process has the directory, 'corrupt' when the journal is damaged before its end.
 */
export async function openDurableStore({ directory, clock, logger }: DurableStoreOptions): Promise<KeyValueStore> {
  const journal = await LmdbJournal.open(directory)
  try {
    return createMvcc({ clock, journal, ...(await journal.load(logger)) })
  } catch (error) {
    await journal.close()
    throw error
  }
}
