import { availableParallelism, loadavg } from 'node:os'
import { eventually as poll } from '../../runtimes/testing/eventually.ts'

/** Times that a limit is stretched, at most. */
const longest = 20

/**
 * Milliseconds after which something that takes so long on a quiet machine is given up: longer where processes queue for the processors, for
 * then everything takes longer and nothing hangs.
 */
export function patience(milliseconds: number): number {
  const [load = 1] = loadavg()
  return milliseconds * Math.min(longest, Math.max(1, load / availableParallelism()))
}

/** The harness's `eventually`, with the patience of this project's own tests. */
export const eventually = <T>(what: string, probe: () => Promise<T | undefined | false>, timeout = 10_000): Promise<T> =>
  poll<T | undefined | false>(what, probe, patience(timeout)) as Promise<T>

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Fails when the promise takes longer than `timeout` milliseconds do on a quiet machine. */
export async function within<T>(what: string, promise: Promise<T>, timeout = 10_000): Promise<T> {
  const limit = patience(timeout)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limit} ms`)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
