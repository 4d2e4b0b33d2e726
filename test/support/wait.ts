/** Polls until the probe gives a value, and returns it; fails with the last failure after `timeout` milliseconds. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, timeout = 10_000): Promise<T> {
  const end = performance.now() + timeout
  let failure: unknown
  for (;;) {
    try {
      const found = await probe()
      if (found !== undefined && found !== false) return found
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (performance.now() > end) throw new Error(`${what}: not within ${timeout} ms`, failure === undefined ? {} : { cause: failure })
    await sleep(25)
  }
}

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
