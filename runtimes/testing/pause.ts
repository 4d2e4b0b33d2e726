import { pauseFor } from '../../core/outgoing/time-limit.ts'
import type { Clock } from '../../core/ports.ts'

/** Milliseconds between turns that do nothing. */
const idle = 60_000

/** Waits on a server's clock until the time is over or the signal aborts. Keeps the process alive meanwhile, as timers of the clock do not: a caller waits. */
export async function pauseOn(clock: Pick<Clock, 'after'>, milliseconds: number, signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => {}, idle)
  try {
    await pauseFor(clock, milliseconds, signal)
  } finally {
    clearInterval(alive)
  }
}
