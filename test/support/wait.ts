/**
 * Waiting in tests. Timeouts are in milliseconds of an idle machine: their time passes slower while processes queue for
 * processors, and stops while this process does not run.
 */
import { availableParallelism, loadavg } from 'node:os'

/** Maximum factor by which a timeout is extended. */
const longest = 20
/** Default timeout in milliseconds, reached only when something hangs. */
const usual = 60_000
/** Milliseconds between checks of the machine's load. */
const tick = 100

/** Factor by which the machine is slower than when idle, estimated from the number of runnable processes. */
export function crowd(): number {
  const [load = 1] = loadavg()
  return Math.min(longest, Math.max(1, load / availableParallelism()))
}

/** Calls back after this many milliseconds of an idle machine; returns a function that cancels it. */
function afterQuiet(milliseconds: number, callback: () => void): () => void {
  let left = milliseconds
  const timer = setInterval(
    () => {
      // If the timer is late, the process may not have run in the meantime, so that only the planned interval counts.
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
 * Polls until the result is neither undefined nor false, and returns it. Pauses as long as a probe takes, at least 10 ms. Rejects after
 * `timeout` milliseconds of an idle machine, with the last error as its cause.
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
      const asked = performance.now()
      try {
        const found = await probe()
        if (found !== undefined && found !== false) return found
      } catch (error) {
        cause = error
      }
      if (late) throw new Error(`${what}: ${told(timeout, began)}`, cause === undefined ? {} : { cause })
      await sleep(Math.max(10, performance.now() - asked))
    }
  } finally {
    stop()
  }
}

const told = (timeout: number, began: number) =>
  `not within ${timeout} ms of a quiet machine, which were ${Math.round(performance.now() - began)} ms`

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Rejects if the promise takes longer than `timeout` milliseconds of an idle machine. */
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
