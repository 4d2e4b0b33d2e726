import { type Guard, type KeyValue, StoreError, type SwapResult } from '../../core/ports.ts'
import type { Change, Versions } from './history.ts'
import type { Leases } from './leases.ts'
import type { Watchers } from './watchers.ts'

interface Swap {
  readonly key: string
  /** Absent: delete. */
  readonly value?: Uint8Array
  readonly expected: number
  readonly lease: bigint
  readonly guards: readonly Guard[]
}

interface Waiting {
  readonly work: Swap | { readonly expired: bigint }
  readonly resolve: (result: SwapResult) => void
  readonly reject: (error: StoreError) => void
}

/** The changes of one group commit. */
interface Batch {
  readonly changes: Change[]
  /** Keys changed so far; later swaps of the batch see these values. */
  readonly latest: Map<string, Change>
  /** Called when the changes are durable. */
  readonly settle: (() => void)[]
  readonly members: Waiting[]
  bytes: number
}

/** Maximum bytes and changes of a batch, which bound how long a commit blocks the event loop. */
const batchBytes = 4 * 1024 * 1024
const batchChanges = 2048

export interface CommitOptions {
  readonly history: Versions
  readonly watchers: Watchers
  readonly leases: Leases
  readonly append?: (changes: readonly Change[]) => Promise<void>
  /** Called after changes have entered the history. */
  readonly committed: () => void
}

/**
 * The one place that assigns revisions. Work that arrives while a batch is being written forms the next batch (group commit). Swaps are
 * decided in order of arrival, against the history and the earlier changes of the same batch.
 */
export class CommitQueue {
  readonly #options: CommitOptions
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(options: CommitOptions) {
    this.#options = options
  }

  swap(swap: Swap): Promise<SwapResult> {
    return this.#submit(swap)
  }

  /** Deletes the keys of an expired lease. */
  async expire(lease: bigint): Promise<void> {
    await this.#submit({ expired: lease })
  }

  /** Resolves when no commit is pending. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  #submit(work: Waiting['work']): Promise<SwapResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      this.#running ??= Promise.resolve().then(() => this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#judge()
      try {
        if (batch.changes.length > 0) await this.#options.append?.(batch.changes)
      } catch (error) {
        const failure = error instanceof StoreError ? error : new StoreError('unavailable', `write failed: ${error}`)
        for (const { reject } of batch.members) reject(failure)
        continue
      }
      this.#publish(batch)
    }
    this.#running = undefined
  }

  #judge(): Batch {
    const batch: Batch = { changes: [], latest: new Map(), settle: [], members: [], bytes: 0 }
    let taken = 0
    for (const waiting of this.#waiting) {
      if (batch.bytes > batchBytes || batch.changes.length >= batchChanges) break
      // The expiry of a lease is its own batch: all earlier keys of the lease are known, and no later change uses it.
      const ends = 'expired' in waiting.work
      if (ends && taken > 0) break
      taken++
      batch.members.push(waiting)
      if ('expired' in waiting.work) this.#expire(batch, waiting, waiting.work.expired)
      else this.#swap(batch, waiting, waiting.work)
      if (ends) break
    }
    this.#waiting = this.#waiting.slice(taken)
    return batch
  }

  #swap(batch: Batch, { resolve, reject }: Waiting, { key, value, expected, lease, guards }: Swap): void {
    const current = this.#current(batch, key)
    if (lease !== 0n && !this.#options.leases.has(lease)) {
      batch.settle.push(() => reject(new StoreError('unavailable', `lease ${lease} not found`)))
      return
    }
    const revision = this.#options.history.revision + batch.changes.length
    const isGuarded = guards.every((guard) => (this.#current(batch, guard.key)?.modRevision ?? 0) === guard.revision)
    if ((current?.modRevision ?? 0) !== expected || (!value && !current) || !isGuarded) {
      batch.settle.push(() => resolve({ ok: false, revision, ...(current && { current }) }))
      return
    }
    const next = revision + 1
    this.#add(batch, { key, revision: next, createRevision: current?.createRevision ?? next, lease, ...(value && { value }) })
    batch.settle.push(() => resolve({ ok: true, revision: next }))
  }

  /** The value after the earlier changes of the batch. */
  #current({ latest }: Batch, key: string): KeyValue | undefined {
    const changed = latest.get(key)
    return changed ? stored(changed) : this.#options.history.get(key)
  }

  #expire(batch: Batch, { resolve }: Waiting, lease: bigint): void {
    const { history, leases } = this.#options
    for (const key of leases.keys(lease)) {
      this.#add(batch, { key, revision: history.revision + batch.changes.length + 1, createRevision: 0, lease: 0n })
    }
    batch.settle.push(() => {
      leases.end(lease)
      resolve({ ok: true, revision: history.revision })
    })
  }

  #add(batch: Batch, change: Change): void {
    batch.changes.push(change)
    batch.latest.set(change.key, change)
    batch.bytes += change.value?.byteLength ?? 0
  }

  #publish(batch: Batch): void {
    const { history, leases, watchers } = this.#options
    const events = batch.changes.map((change) => {
      leases.attach(change.key, change.lease)
      return history.apply(change)
    })
    if (events.length > 0) watchers.deliver(events)
    for (const settle of batch.settle) settle()
    this.#options.committed()
  }
}

function stored({ key, value, createRevision, revision }: Change): KeyValue | undefined {
  return value && { key, value, createRevision, modRevision: revision }
}
