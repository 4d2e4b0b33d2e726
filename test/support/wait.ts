import { eventually as poll } from '../../runtimes/testing/eventually.ts'

/** The harness's `eventually`, with the patience of this project's own tests: 10 s. */
export const eventually = <T>(what: string, probe: () => Promise<T | undefined | false>, timeout = 10_000): Promise<T> =>
  poll<T | undefined | false>(what, probe, timeout) as Promise<T>

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Fails when the promise takes longer than `timeout` milliseconds. */
export async function within<T>(what: string, promise: Promise<T>, timeout = 10_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${timeout} ms`)), timeout)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
