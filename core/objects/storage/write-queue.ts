import { tooManyRequests } from '../../answers/status.ts'
import type { Clock, Context } from '../../ports.ts'

/** Maximum waiting writers per key. */
const maxQueueLength = 1_000
/**
 * Milliseconds after which a writer proceeds without its turn: the writer before it may be waiting for an admission webhook that itself
 * writes this object.
 */
const maxWait = 5_000

type Waiter = () => void

/**
 * Serializes writers per key, in order of arrival: concurrent writers would read the same revision, and all but one would fail their
 * compare-and-swap and retry. Correctness does not depend on it, because other servers write the same store.
 */
export class WriteQueue {
  /** Those who wait, by key; undefined: only the one whose turn it is. */
  readonly #queues = new Map<string, Set<Waiter> | undefined>()
  readonly #clock: Clock | undefined

  /** Without a clock, writers wait without a time limit. */
  constructor(clock?: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work` when it is this writer's turn; `waited`: another writer may have written meanwhile. Rejects with 429 when too many wait, and
   * with the reason of the context's signal when that aborts first.
   */
  async take<T>(key: string, context: Context | undefined, work: (waited: boolean) => Promise<T>): Promise<T> {
    const waits = this.#queues.has(key)
    if (!waits) this.#queues.set(key, undefined)
    else if (!(await this.#wait(key, context?.signal))) return work(true)
    try {
      return await work(waits)
    } finally {
      this.#pass(key)
    }
  }

  /** Resolves to false when the time limit passes first. */
  #wait(key: string, signal: AbortSignal | undefined): Promise<boolean> {
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    if (queue.size >= maxQueueLength) throw tooManyRequests('Too many writes of this object are waiting, please try again later.', 1)
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(turn)
        signal?.removeEventListener('abort', aborted)
        cancel?.()
      }
      const aborted = () => {
        leave()
        reject(signal?.reason)
      }
      const turn = () => {
        leave()
        resolve(true)
      }
      const cancel = this.#clock?.after(maxWait, () => {
        leave()
        resolve(false)
      })
      if (signal?.aborted) return aborted()
      signal?.addEventListener('abort', aborted)
      queue.add(turn)
    })
  }

  #pass(key: string): void {
    const next = this.#queues.get(key)?.values().next().value
    if (next === undefined) this.#queues.delete(key)
    else next()
  }
}
