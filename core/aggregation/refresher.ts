import { createQueue, type QueueOptions } from '../controllers/queue.ts'

/** Does work for each key when it is added, and again and again until it is removed. */
export interface Refresher {
  add(key: string): void
  remove(key: string): void
  close(): void
}

/** `interval`: milliseconds from a success to the next time. Failures are repeated earlier, with increasing delays. */
export function createRefresher({ work, ...options }: QueueOptions, interval: number): Refresher {
  const { clock } = options
  const kept = new Set<string>()
  const timers = new Map<string, () => void>()
  const cancel = (key: string) => {
    timers.get(key)?.()
    timers.delete(key)
  }
  const queue = createQueue({
    ...options,
    async work(key) {
      if (!kept.has(key)) return
      await work(key)
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
      cancel(key)
    },
    close() {
      kept.clear()
      for (const key of [...timers.keys()]) cancel(key)
      queue.close()
    },
  }
}
