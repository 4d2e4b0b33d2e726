import { StoreError } from '../../core/ports.ts'
import { Draft } from './draft.ts'
import type { Change, Versions } from './history.ts'
import type { Leases } from './leases.ts'
import type { Watchers } from './watchers.ts'

/**
 * Decides a write against the state at its turn, and makes its changes: at once, without waiting. Returns its result, which is given away
 * when the changes are durable, and so does an error that it throws: then it has made no changes.
 */
export type Decide<T> = (draft: Draft) => T

interface Waiting {
  readonly decide: Decide<() => void>
  /** Its own commit: what it does to leases is known to no other write of the same one. */
  readonly alone: boolean
  readonly reject: (error: unknown) => void
}

interface Batch {
  readonly draft: Draft
  /** Called when the changes are durable. */
  readonly settle: (() => void)[]
  readonly members: Waiting[]
}

/** Maximum bytes and changes of a batch, which bound how long a commit blocks the event loop. */
const batchBytes = 4 * 1024 * 1024
const batchChanges = 2048

/** Decides when a batch begins that has writes already. Without it: at once. */
export interface Gathering {
  /** So many writes wait for the next batch. Resolves when it is to begin; undefined: now. */
  wait(waiting: number): Promise<void> | undefined
  /** One write more waits. */
  arrived(waiting: number): void
  /** A batch of so many writes is durable; so many came meanwhile. */
  written(writes: number, waiting: number): void
}

export interface CommitOptions {
  readonly history: Versions
  readonly watchers: Watchers
  readonly leases: Leases
  readonly append?: (changes: readonly Change[]) => Promise<void>
  readonly gathering?: Gathering | undefined
  /** Called after changes have entered the history. */
  readonly committed: () => void
}

/**
 * The one place that assigns revisions. Work that arrives while a batch is being written forms the next batch (group commit). Writes are
 * decided in order of arrival, against the history and the earlier changes of the same batch.
 */
export class CommitQueue {
  readonly #options: CommitOptions
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(options: CommitOptions) {
    this.#options = options
  }

  /** Resolves or rejects as the write was decided, once it is durable. Rejects with a StoreError when it can't be made so. */
  commit<T>(decide: Decide<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#add({ decide: settled(decide, resolve, reject), alone: false, reject }))
  }

  /** Deletes the keys of a lease, at one revision, and ends it. Resolves to the store's revision. */
  end(lease: bigint): Promise<number> {
    const { leases } = this.#options
    const decide = (draft: Draft) => {
      const transaction = draft.begin()
      for (const key of leases.keys(lease)) transaction.delete(key)
      return draft.revision
    }
    return new Promise((resolve, reject) => {
      const ended = (revision: number) => {
        leases.end(lease)
        resolve(revision)
      }
      this.#add({ decide: settled(decide, ended, reject), alone: true, reject })
    })
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#options.gathering?.arrived(this.#waiting.length)
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  /** Resolves when no commit is pending. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    const { gathering } = this.#options
    while (this.#waiting.length > 0) {
      const gathered = gathering?.wait(this.#waiting.length)
      if (gathered !== undefined) await gathered
      const batch = this.#judge()
      try {
        if (batch.draft.changes.length > 0) await this.#options.append?.(batch.draft.changes)
      } catch (error) {
        const failure = error instanceof StoreError ? error : new StoreError('unavailable', `write failed: ${error}`)
        for (const { reject } of batch.members) reject(failure)
        continue
      }
      this.#publish(batch)
      gathering?.written(batch.members.length, this.#waiting.length)
    }
    this.#running = undefined
  }

  #judge(): Batch {
    const draft = new Draft(this.#options.history)
    const batch: Batch = { draft, settle: [], members: [] }
    let taken = 0
    for (const waiting of this.#waiting) {
      if (draft.bytes > batchBytes || draft.changes.length >= batchChanges || (waiting.alone && taken > 0)) break
      taken++
      batch.members.push(waiting)
      batch.settle.push(waiting.decide(draft))
      if (waiting.alone) break
    }
    this.#waiting = this.#waiting.slice(taken)
    return batch
  }

  #publish({ draft: { changes }, settle }: Batch): void {
    const { history, leases, watchers } = this.#options
    const events = changes.map((change) => {
      leases.attach(change.key, change.lease)
      return history.apply(change)
    })
    if (events.length > 0) watchers.deliver(events)
    for (const done of settle) done()
    this.#options.committed()
  }
}

/** Decides, and returns what gives the result away. */
const settled =
  <T>(decide: Decide<T>, resolve: (result: T) => void, reject: (error: unknown) => void): Decide<() => void> =>
  (draft) => {
    try {
      const result = decide(draft)
      return () => resolve(result)
    } catch (error) {
      return () => reject(error)
    }
  }
