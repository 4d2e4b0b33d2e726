import { validateOptions } from '../../core/options/validate.ts'
import { type Clock, type KeyValueStore, StoreError } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import type { Journal } from './engine.ts'
import type { Change, History } from './history.ts'
import type { Lease } from './leases.ts'
import { hostClock } from './memory.ts'
import { createMvcc } from './mvcc.ts'
import { sqlRows } from './option-rows.ts'
import type { SqlDatabase } from './sql/database.ts'
import type { Loaded } from './sql/tables.ts'
import { compactTo, deleteLease, insertChanges, insertLease, load, newestRevision, oldestRevision, tellNextExpiry } from './sql/tables.ts'

export interface SqlStoreOptions {
  readonly database: SqlDatabase
  /** Default: the host's clock. */
  readonly clock?: Clock
  /** Maximum bytes of replaced values to keep in the database between compactions; default 256 MiB. */
  readonly pastBytes?: number
  /**
   * Called once, when it is not known what the database has of a write, or a sync has failed. The store has ended then: all calls fail, and what
   * is in the database counts once it is opened again.
   */
  readonly ended?: (error: StoreError) => void
}

/** Revisions per transaction of a compaction, which bound how long it blocks the event loop. */
const compactionStep = 5_000

/**
 * A store in memory over tables of an SQL database: current values are in memory, replaced ones are read back. A write is acknowledged, and
 * visible to reads and watches, once it is durable. In a full database it fails with 'no-space', and changes nothing. Throws a StoreError:
 * 'unavailable' when the database can't be read, as when another process uses it, 'corrupt' when it holds something else; an OptionError when an
 * option is invalid or unknown.
 */
export function sqlStore(options: SqlStoreOptions): KeyValueStore {
  validateOptions('sqlStore', sqlRows, options, { required: ['database'] })
  const { database, clock = hostClock, pastBytes } = options
  const loaded = opened(database)
  const journal = new SqlJournal(database, loaded.history, (error) => {
    void store.close()
    options.ended?.(error)
  })
  const store = createMvcc({ clock, journal, ...loaded, ...(pastBytes !== undefined && { pastBytes }) })
  return store
}

function opened(database: SqlDatabase): Loaded {
  try {
    database.open?.()
    const loaded = load(database)
    tellNextExpiry(database)
    return loaded
  } catch (error) {
    database.close?.()
    if (error instanceof StoreError) throw error
    const isDamaged = /malformed|not a database|SQLITE_CORRUPT|SQLITE_NOTADB/i.test(messageOf(error))
    throw new StoreError(isDamaged ? 'corrupt' : 'unavailable', `open the database: ${messageOf(error)}`)
  }
}

/** SQLite's text for a database that can't grow: a full disk, a quota, a maximum number of pages. */
const isFull = (error: unknown) => /database or disk is full|SQLITE_FULL/i.test(messageOf(error))

/** What a transaction changes them to; absent: they stay. */
interface Revisions {
  readonly newest?: number | undefined
  readonly oldest?: number
}

class SqlJournal implements Journal {
  readonly #database: SqlDatabase
  readonly #history: History
  readonly #end: (error: StoreError) => void
  /** The newest and the oldest readable revision in the tables. */
  #newest: number
  #oldest: number
  #ended: StoreError | undefined

  constructor(database: SqlDatabase, history: History, end: (error: StoreError) => void) {
    this.#database = database
    this.#history = history
    this.#newest = history.revision
    this.#oldest = history.oldest
    this.#end = end
  }

  append(changes: readonly Change[]): Promise<void> {
    const newest = changes.at(-1)?.revision
    return this.#commit(() => insertChanges(this.#database, this.#history, changes), { newest })
  }

  async grant(lease: Lease): Promise<void> {
    await this.#commit(() => insertLease(this.#database, lease))
    tellNextExpiry(this.#database)
  }

  async endLease(id: bigint): Promise<void> {
    await this.#commit(() => deleteLease(this.#database, id))
    tellNextExpiry(this.#database)
  }

  /** Each step is a compaction by itself: one that fails leaves the rest to the next. */
  async compact(oldest: number): Promise<void> {
    while (this.#oldest < oldest) {
      const next = Math.min(oldest, this.#oldest + compactionStep)
      await this.#commit(() => compactTo(this.#database, this.#oldest, next), { oldest: next })
    }
  }

  size(): number {
    return this.#database.size()
  }

  async close(): Promise<void> {
    this.#database.close?.()
  }

  async #commit(work: () => void, { newest = this.#newest, oldest = this.#oldest }: Revisions = {}): Promise<void> {
    if (this.#ended) throw this.#ended
    try {
      this.#database.transaction(work)
      this.#newest = newest
      this.#oldest = oldest
    } catch (error) {
      if (isFull(error) && this.#isUnchanged()) throw new StoreError('no-space', messageOf(error))
      throw this.#failed(error)
    }
    try {
      await this.#database.sync?.()
    } catch (error) {
      throw this.#failed(error)
    }
    if (this.#ended) throw this.#ended
  }

  /** Whether the tables are as they were before the transaction. */
  #isUnchanged(): boolean {
    try {
      return newestRevision(this.#database) === this.#newest && oldestRevision(this.#database) === this.#oldest
    } catch {
      return false
    }
  }

  #failed(error: unknown): StoreError {
    if (this.#ended) return this.#ended
    this.#ended = new StoreError('unavailable', `the store has ended, because the database failed: ${messageOf(error)}`)
    this.#end(this.#ended)
    return this.#ended
  }
}
