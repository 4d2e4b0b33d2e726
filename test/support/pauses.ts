/** How long work in tests holds the thread. */
import { slowness } from './cost.ts'

/**
 * Milliseconds of processor time, of an idle machine, of the longest stretch of the work without a pause, in which no other request is answered. Time
 * that the machine gives to other processes does not count.
 */
export async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.cpuUsage()
  let ended = false
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    if (!ended) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    ended = true
    // Work that never paused is one stretch.
    look()
  }
  return longest / (await slowness())
}
