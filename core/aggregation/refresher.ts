import { createQueue, type QueueOptions } from '../controllers/queue.ts'
import { messageOf } from '../schema/message-of.ts'
import { UnusableDocument } from './unusable-document.ts'

/** Does work for each key when it is added, and again and again until it is removed. */
export interface Refresher {
  add(key: string): void
  remove(key: string): void
  close(): void
}

export interface RefresherOptions extends Omit<QueueOptions, 'work'> {
  /** Message of a warning about each UnusableDocument that differs from the last one of its key; default: there is none. */
  readonly warning?: string
  /** `signal` aborts when the refresher is closed. */
  work(key: string, signal: AbortSignal): Promise<void>
}

/** `interval`: milliseconds from a success to the next time. Failures are repeated earlier, with increasing delays up to it. */
export function createRefresher({ work, warning, ...options }: RefresherOptions, interval: number): Refresher {
  const { clock, logger } = options
  const kept = new Set<string>()
  const closing = new AbortController()
  const timers = new Map<string, () => void>()
  const failures = new Map<string, string>()
  const warn = (key: string, error: unknown) => {
    const why = messageOf(error)
    if (warning === undefined || !(error instanceof UnusableDocument) || failures.get(key) === why || !kept.has(key)) return
    failures.set(key, why)
    logger.warn({ name: key, error: why }, warning)
  }
  const cancel = (key: string) => {
    timers.get(key)?.()
    timers.delete(key)
  }
  const queue = createQueue({
    ...options,
    maxRetryDelay: interval,
    async work(key) {
      if (!kept.has(key)) return
      try {
        await work(key, closing.signal)
        failures.delete(key)
      } catch (error) {
        warn(key, error)
        throw error
      }
      cancel(key)
      if (kept.has(key))
        timers.set(
          key,
          clock.after(interval, () => queue.add(key)),
        )
    },
  })
  return {
    add(key) {
      kept.add(key)
      queue.add(key)
    },
    remove(key) {
      kept.delete(key)
      failures.delete(key)
      cancel(key)
    },
    close() {
      kept.clear()
      closing.abort(new Error('the server is closing'))
      for (const key of [...timers.keys()]) cancel(key)
      queue.close()
    },
  }
}
