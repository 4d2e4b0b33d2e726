import type { Clock } from '../ports.ts'

export interface Repetition {
  /** No further work begins; resolves when the running one has ended. */
  stop(): Promise<void>
}

/** Does the work after each interval in milliseconds, unless it still runs. The work must not reject. */
export function repeat(clock: Clock, interval: number, work: () => Promise<void>): Repetition {
  let running: Promise<void> | undefined
  let cancel = clock.after(interval, tick)
  function tick(): void {
    cancel = clock.after(interval, tick)
    running ??= work().finally(() => {
      running = undefined
    })
  }
  return {
    async stop() {
      cancel()
      await running
    },
  }
}
