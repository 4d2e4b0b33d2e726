/** The parts of the embedded store: its history, leases, watchers and the queue of its commits. */
import { type Clock, StoreError, type StoreWatch, type StoreWatcher } from '../../core/ports.ts'
import { CommitQueue, type Decide, type Gathering } from './commit.ts'
import type { Change, Versions } from './history.ts'
import { type Lease, Leases } from './leases.ts'
import { Watchers } from './watchers.ts'

/**
 * Makes commits durable. Calls to `append` never overlap. If `append` rejects, its changes are not committed; but if the process ends before
 * the journal has removed what it wrote of them, they may reappear after a restart.
 */
export interface Journal {
  /** Lets writers share appends. Absent: an append is not worth waiting for. */
  readonly gathering?: Gathering
  /** All of the changes become durable, or none. */
  append(changes: readonly Change[]): Promise<void>
  /** Stores a lease. */
  grant(lease: Lease): Promise<void>
  /** Removes a lease whose keys are deleted. */
  endLease(id: bigint): Promise<void>
  /** Compaction: `oldest` is now the first readable revision. */
  compact(oldest: number): Promise<void>
  /** Size in bytes on disk. */
  size(): number
  close(): Promise<void>
}

export interface EngineOptions<V extends Versions = Versions> {
  readonly clock: Clock
  readonly history: V
  /** Maximum bytes of replaced and deleted values. Beyond it, the oldest are compacted down to half of it. Default 256 MiB. */
  readonly pastBytes?: number
  /** Absent: in memory only. */
  readonly journal?: Journal
  /** Leases to restore. */
  readonly leases?: readonly Lease[]
  /** Lease ID by key, for keys with a lease. */
  readonly attached?: ReadonlyMap<string, bigint>
}

export const isClosed = () => new StoreError('unavailable', 'the store is closed')

/**
 * A history in memory that writes are committed to. With a journal, a change is committed (visible to reads, sent to watches, confirmed to its
 * caller) only after the journal has written it.
 */
export class Engine<V extends Versions = Versions> {
  readonly clock: Clock
  readonly #history: V
  readonly #pastBytes: number
  readonly #journal: Journal | undefined
  readonly #watchers: Watchers
  readonly leases: Leases
  readonly #queue: CommitQueue
  #compaction: Promise<void> = Promise.resolve()
  #cutting = false
  #closing: Promise<void> | undefined

  constructor({ clock, history, pastBytes = 256 * 1024 * 1024, journal, leases = [], attached = new Map() }: EngineOptions<V>) {
    this.clock = clock
    this.#history = history
    this.#pastBytes = pastBytes
    this.#journal = journal
    this.#watchers = new Watchers(history)
    this.leases = new Leases(clock, (id) => void this.#expire(id))
    const append = journal && ((changes: readonly Change[]) => journal.append(changes))
    const committed = () => this.#boundPast()
    const { gathering } = journal ?? {}
    this.#queue = new CommitQueue({
      history,
      watchers: this.#watchers,
      leases: this.leases,
      committed,
      gathering,
      ...(append && { append }),
    })
    for (const lease of leases) this.leases.start(lease)
    for (const [key, id] of attached) this.leases.attach(key, id)
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  /** @throws StoreError when the store is closed. */
  get history(): V {
    if (this.closed) throw isClosed()
    return this.#history
  }

  /** Size in bytes on disk, or of the current values in memory. */
  get size(): number {
    const { history } = this
    return this.#journal?.size() ?? history.bytes
  }

  /** See `CommitQueue.commit`. */
  commit<T>(decide: Decide<T>): Promise<T> {
    return this.closed ? Promise.reject(isClosed()) : this.#queue.commit(decide)
  }

  watch(prefix: string, afterRevision: number, watcher: StoreWatcher): StoreWatch {
    if (!this.closed) return this.#watchers.watch(prefix, afterRevision, watcher)
    queueMicrotask(() => watcher.end(isClosed()))
    return { close() {}, requestProgress() {} }
  }

  /** Drops the history before a revision; resolves when that is durable. */
  compact(revision: number): Promise<void> {
    const next = this.#compaction.then(async () => {
      const { history } = this
      const before = history.oldest
      history.compact(revision)
      if (history.oldest > before) await this.#journal?.compact(history.oldest)
    })
    this.#compaction = next.catch(() => {})
    return next
  }

  /** Starts a lease; resolves when it is durable. */
  async grant(lease: Lease): Promise<void> {
    if (this.closed) throw isClosed()
    await this.#journal?.grant(lease)
    this.leases.start(lease)
  }

  /** Deletes the keys of a lease, and ends it; resolves to the store's revision. */
  async revoke(id: bigint): Promise<number> {
    const revision = await this.#queue.end(id)
    await this.#journal?.endLease(id)
    return revision
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.leases.close()
      await Promise.all([this.#queue.idle(), this.#compaction])
      this.#watchers.close()
      await this.#journal?.close()
    })()
    return this.#closing
  }

  #boundPast(): void {
    if (this.#cutting || this.#history.past <= this.#pastBytes) return
    this.#cutting = true
    void this.compact(this.#history.cut(this.#pastBytes / 2))
      .catch(() => {})
      .finally(() => {
        this.#cutting = false
      })
  }

  async #expire(id: bigint): Promise<void> {
    if (this.closed) return
    try {
      await this.revoke(id)
    } catch {
      // The journal failed, such as on a full disk; the keys stay until a retry succeeds.
      this.clock.after(1000, () => void this.#expire(id))
    }
  }
}
