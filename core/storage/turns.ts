import type { Clock } from '../ports.ts'
import { tooManyRequests } from '../respond/status.ts'

/** Writers of one key that wait at a time. */
const longestQueue = 1_000
/**
 * Milliseconds until a writer goes ahead without its turn: the one before it may be waiting for an admission webhook that itself wants to
 * write this object.
 */
const patience = 5_000

type Waiter = () => void

/**
 * Writers of one key take turns, in the order in which they came: together they would read the same revision, and all but one would lose
 * their compare-and-swap and begin again. Nothing relies on turns for correctness, as other servers write the same store.
 */
export class Turns {
  readonly #queues = new Map<string, Set<Waiter>>()
  readonly #clock: Clock | undefined

  /** Without a clock, writers wait until it is their turn. */
  constructor(clock?: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `work` when it is this writer's turn; `waited` tells that another one has written meanwhile. Rejects with 429 when too many wait,
   * and with the reason of the waiter's signal, which is only asked for when it waits, when that aborts before the turn.
   */
  async take<T>(key: string, waiter: { readonly signal?: AbortSignal }, work: (waited: boolean) => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key)
    if (queue === undefined) this.#queues.set(key, new Set())
    else if (!(await this.#wait(queue, waiter.signal))) return work(true)
    try {
      return await work(queue !== undefined)
    } finally {
      this.#pass(key)
    }
  }

  /** False: patience has ended before the turn came. */
  #wait(queue: Set<Waiter>, signal: AbortSignal | undefined): Promise<boolean> {
    if (queue.size >= longestQueue) throw tooManyRequests('Too many writes of this object wait, please try again later.', 1)
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
      const cancel = this.#clock?.after(patience, () => {
        leave()
        resolve(false)
      })
      if (signal?.aborted) return aborted()
      signal?.addEventListener('abort', aborted)
      queue.add(turn)
    })
  }

  #pass(key: string): void {
    const queue = this.#queues.get(key)
    const [next] = queue ?? []
    if (next === undefined) this.#queues.delete(key)
    else next()
  }
}
