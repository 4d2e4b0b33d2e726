import type { Clock, Logger } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'

/** Work queue of keys. A key is never processed by two workers at the same time, and is retried after failures. */
export interface Queue {
  add(key: string): void
  /** Adds a key after a delay in milliseconds. */
  addLater(key: string, milliseconds: number): void
  close(): void
}

const firstRetry = 50
const longestRetry = 60_000

export interface QueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  /** Concurrent workers; default 4. */
  readonly workers?: number
  /** Reconciles a key. Failures are retried with increasing delays. */
  work(key: string): Promise<void>
}

export function createQueue({ name, clock, logger, workers = 4, work }: QueueOptions): Queue {
  const waiting = new Set<string>()
  const running = new Set<string>()
  const failures = new Map<string, number>()
  const timers = new Set<() => void>()
  let closed = false

  function next(): void {
    if (closed || running.size >= workers) return
    for (const key of waiting) {
      if (running.has(key)) continue
      waiting.delete(key)
      running.add(key)
      void run(key)
      if (running.size >= workers) return
    }
  }

  async function run(key: string): Promise<void> {
    try {
      await work(key)
      failures.delete(key)
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      if (!closed) logger.debug({ controller: name, key, error: messageOf(error) }, 'reconciliation failed; retrying')
      addLater(key, Math.min(firstRetry * 2 ** count, longestRetry))
    }
    // Work that requeues itself must not monopolize the thread.
    if (waiting.has(key)) await clock.pause?.()
    running.delete(key)
    next()
  }

  function addLater(key: string, milliseconds: number): void {
    if (closed) return
    const cancel = clock.after(milliseconds, () => {
      timers.delete(cancel)
      add(key)
    })
    timers.add(cancel)
  }

  function add(key: string): void {
    if (closed) return
    waiting.add(key)
    next()
  }

  return {
    add,
    addLater,
    close() {
      closed = true
      for (const cancel of timers) cancel()
    },
  }
}
