/** Processor time of the threads of a daemon. */
import { readdirSync, readFileSync } from 'node:fs'

export interface ThreadTimes {
  /** Microseconds of the main thread, which has the store. */
  readonly main: number
  /** Microseconds of all other threads: workers, the engine's collectors of garbage, writers of files. */
  readonly others: number
}

/** Microseconds since the start of the process (Linux: first field of `schedstat`, nanoseconds on a processor). */
export function threadTimes(pid: number): ThreadTimes {
  const times = { main: 0, others: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      times[thread === String(pid) ? 'main' : 'others'] += Number(nanoseconds) / 1000
    } catch {
      // The thread has ended since it was listed.
    }
  }
  return times
}

/** What one of `count` operations took between two readings. */
export const timesOfOne = (before: ThreadTimes, after: ThreadTimes, count: number): ThreadTimes => ({
  main: (after.main - before.main) / count,
  others: (after.others - before.others) / count,
})
