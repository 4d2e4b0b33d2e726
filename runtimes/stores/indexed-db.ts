import { validateOptions } from '../../core/options/validate.ts'
import { type Clock, type KeyValueStore, StoreError } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import type { Journal } from './engine.ts'
import type { Change, History } from './history.ts'
import { Database, type Durability, type Row } from './indexed-db/database.ts'
import type { Lease } from './leases.ts'
import { hostClock } from './memory.ts'
import { createMvcc } from './mvcc.ts'
import { indexedDbRows } from './option-rows.ts'
import { restored } from './restored.ts'

export interface IndexedDbStoreOptions {
  /** Name of the database, for all pages and workers of an origin. */
  readonly name: string
  /**
   * `relaxed`: a write is acknowledged when the operating system has it, and survives the end of the browser, but may be lost when the machine
   * loses power. `strict`: when the disk has it. Default relaxed.
   */
  readonly durability?: Durability
  /** Default: the host's clock. */
  readonly clock?: Clock
  /** Maximum bytes of replaced values that reads of the past may need, which are in memory too; default 16 MiB. */
  readonly pastBytes?: number
  /** Called once, when the database has failed, or the user has deleted it. The store has ended then: all calls fail. */
  readonly ended?: (error: StoreError) => void
}

/** Milliseconds to wait for a page that has the store open: one that is reloaded may end a little later. */
const lockTimeout = 3_000
/** Revisions per transaction of a compaction. */
const compactionStep = 5_000
/** Most changes of one revision. Places stay below 2^53 for 2^37 revisions. */
const placesOfRevision = 2 ** 16
const defaultPastBytes = 16 * 1024 * 1024

const placeOf = (revision: number) => revision * placesOfRevision

/**
 * A store in memory over a database of IndexedDB, for pages and workers of a browser. One of them has it open at a time. A write is visible to
 * reads and watches when it is acknowledged; see `durability`. Beyond the browser's quota it fails with 'no-space', and changes nothing.
 * Rejects with a StoreError: 'unavailable' when another page has the store open, or there is no secure context, 'corrupt' when changes are
 * missing; with an OptionError when an option is invalid or unknown.
 */
export async function indexedDbStore(options: IndexedDbStoreOptions): Promise<KeyValueStore> {
  validateOptions('indexedDbStore', indexedDbRows, options, { required: ['name'] })
  const { name, durability = 'relaxed', clock = hostClock, pastBytes = defaultPastBytes } = options
  const release = await locked(`apiserver ${name}`)
  let lost = () => {}
  try {
    const database = await Database.open(name, durability, () => lost())
    const { oldest, rows, leases } = await database.load()
    const content = restored(
      oldest,
      rows.map(([, { change }]) => change),
    )
    const journal = new IndexedDbJournal({ database, release, history: content.history, rows }, (error) => {
      void store.close()
      options.ended?.(error)
    })
    lost = () => journal.fail(new Error('the browser has closed the database'))
    const store = createMvcc({ clock, journal, ...content, leases, pastBytes })
    return store
  } catch (error) {
    release()
    throw error instanceof StoreError ? error : new StoreError('unavailable', `open the database: ${messageOf(error)}`)
  }
}

/** Takes the lock of this name; resolves to what releases it, which the end of the page or worker does too (https://www.w3.org/TR/web-locks). */
function locked(name: string): Promise<() => void> {
  const { locks } = navigator as Partial<Navigator>
  if (locks === undefined) throw new StoreError('unavailable', 'the store needs a secure context: https, or localhost')
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(() => release()))
    locks
      .request(name, { signal: AbortSignal.timeout(lockTimeout) }, hold)
      .catch(() => reject(new StoreError('unavailable', 'another page or worker has the store open')))
  })
}

interface JournalOptions {
  readonly database: Database
  readonly release: () => void
  readonly history: History
  readonly rows: readonly (readonly [place: number, row: Row])[]
}

class IndexedDbJournal implements Journal {
  readonly #database: Database
  readonly #release: () => void
  readonly #history: History
  readonly #end: (error: StoreError) => void
  /** Place of each key's value. */
  readonly #places = new Map<string, number>()
  #oldest: number
  #ended: StoreError | undefined

  constructor({ database, release, history, rows }: JournalOptions, end: (error: StoreError) => void) {
    this.#database = database
    this.#release = release
    this.#history = history
    this.#oldest = history.oldest
    this.#end = end
    for (const [place, { change }] of rows) this.#placed(change, place)
  }

  async append(changes: readonly Change[]): Promise<void> {
    let place = 0
    // Places are those of a batch until it is committed.
    const latest = new Map<string, number | undefined>()
    const rows = changes.map((change): readonly [number, Row, Change] => {
      const { key, revision, value } = change
      const previous = latest.has(key) ? latest.get(key) : this.#places.get(key)
      place = Math.max(placeOf(revision), place + 1)
      latest.set(key, value && place)
      return [place, { previous, change }, change]
    })
    await this.#commit(() => this.#database.insertChanges(rows.map(([at, row]) => [at, row])))
    for (const [at, , change] of rows) this.#placed(change, at)
  }

  grant(lease: Lease): Promise<void> {
    return this.#commit(() => this.#database.insertLease(lease))
  }

  endLease(id: bigint): Promise<void> {
    return this.#commit(() => this.#database.deleteLease(id))
  }

  /** Each step is a compaction by itself: one that fails leaves the rest to the next. */
  async compact(oldest: number): Promise<void> {
    while (this.#oldest < oldest) {
      const next = Math.min(oldest, this.#oldest + compactionStep)
      await this.#commit(() => this.#database.compact(next, placeOf(this.#oldest + 1), placeOf(next + 1)))
      this.#oldest = next
    }
  }

  size(): number {
    return this.#history.bytes + this.#history.past
  }

  async close(): Promise<void> {
    this.#database.close()
    this.#release()
  }

  /** Ends the store. */
  fail(cause: unknown): StoreError {
    if (this.#ended) return this.#ended
    this.#ended = new StoreError('unavailable', `the store has ended, because the database failed: ${messageOf(cause)}`)
    this.#end(this.#ended)
    return this.#ended
  }

  async #commit(work: () => Promise<void>): Promise<void> {
    if (this.#ended) throw this.#ended
    try {
      await work()
    } catch (error) {
      // A transaction that fails has changed nothing.
      if (error instanceof DOMException && error.name === 'QuotaExceededError') throw new StoreError('no-space', messageOf(error))
      throw this.fail(error)
    }
  }

  #placed({ key, value }: Change, place: number): void {
    if (value === undefined) this.#places.delete(key)
    else this.#places.set(key, place)
  }
}
