import type { Clock } from '../ports.ts'

export interface Repetition {
  /** Resolves when the work has been done once. */
  readonly first: Promise<void>
  /** No further work begins; resolves when the running one has ended. */
  stop(): Promise<void>
}

/** Does the work now, and again and again: it resolves to the milliseconds until the next time. It must not reject. */
export function repeat(clock: Clock, work: () => Promise<number>): Repetition {
  let isStopped = false
  let cancel = () => {}
  async function turn(): Promise<void> {
    const wait = await work()
    if (isStopped) return
    cancel = clock.after(wait, () => {
      running = turn()
    })
  }
  let running = turn()
  return {
    first: running,
    async stop() {
      isStopped = true
      cancel()
      await running
    },
  }
}

/** Does the work now, and once in each interval in milliseconds, unless it takes longer. It must not reject. */
export const repeatEvery = (clock: Clock, interval: number, work: () => Promise<void> | void): Repetition =>
  repeat(clock, async () => {
    const began = clock.monotonic()
    await work()
    return Math.max(0, began + interval - clock.monotonic())
  })
