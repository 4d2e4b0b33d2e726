/**
 * Waiting in tests. Limits are of the time that this process had on a quiet machine: it passes slower while processes queue for the
 * processors, or while this one does not run at all, for then everything takes longer and nothing hangs.
 */
import { availableParallelism, loadavg } from 'node:os'

/** Times that a limit is stretched, at most. */
const longest = 20
/** Milliseconds of what only ends when something hangs. */
const usual = 60_000
/** Milliseconds between looks at the machine. */
const tick = 100

/** How many times as long as on a quiet machine something takes, by the number of processes that want to run. */
export function crowd(): number {
  const [load = 1] = loadavg()
  return Math.min(longest, Math.max(1, load / availableParallelism()))
}

/** Calls back once so many milliseconds of a quiet machine have passed; returns what stops it. */
function afterQuiet(milliseconds: number, callback: () => void): () => void {
  let left = milliseconds
  const timer = setInterval(
    () => {
      // However late the timer is: only this much is known to be time in which the process ran.
      left -= Math.min(tick, milliseconds) / crowd()
      if (left > 0) return
      clearInterval(timer)
      callback()
    },
    Math.min(tick, milliseconds),
  )
  return () => clearInterval(timer)
}

/**
 * Asks every 10 ms until the answer is neither undefined nor false, and returns it. Rejects after `timeout` milliseconds of a quiet machine,
 * with the last failure as its cause.
 */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeout = usual): Promise<T> {
  let late = false
  const stop = afterQuiet(timeout, () => {
    late = true
  })
  const began = performance.now()
  try {
    for (;;) {
      let cause: unknown
      try {
        const found = await probe()
        if (found !== undefined && found !== false) return found
      } catch (error) {
        cause = error
      }
      if (late) throw new Error(`${what}: ${told(timeout, began)}`, cause === undefined ? {} : { cause })
      await sleep(10)
    }
  } finally {
    stop()
  }
}

const told = (timeout: number, began: number) =>
  `not within ${timeout} ms of a quiet machine, which were ${Math.round(performance.now() - began)} ms`

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Fails when the promise takes longer than `timeout` milliseconds do on a quiet machine. */
export async function within<T>(what: string, promise: Promise<T>, timeout = usual): Promise<T> {
  const began = performance.now()
  let stop: (() => void) | undefined
  const late = new Promise<never>((_resolve, reject) => {
    stop = afterQuiet(timeout, () => reject(new Error(`${what}: ${told(timeout, began)}`)))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    stop?.()
  }
}
