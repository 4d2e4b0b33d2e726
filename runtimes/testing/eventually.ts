/**
 * Calls `ask` every 10 ms until it returns a value other than undefined and false, and returns that value. Rejects after `timeout`
 * milliseconds (default 4,000, so that it comes before the limit of test runners, which is 5 s) with `what` in the message and the last error of `ask` as cause. To wait for one object,
 * `objects(…).until` needs no polling.
 */
export async function eventually<T>(what: string, ask: () => T | Promise<T>, timeout = 4_000): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + timeout
  let cause: unknown
  for (;;) {
    try {
      const found = await ask()
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
      cause = undefined
    } catch (error) {
      cause = error
    }
    if (performance.now() > end) throw new Error(`${what}: not within ${timeout} ms`, cause === undefined ? {} : { cause })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
