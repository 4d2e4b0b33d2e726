/**
 * Asks again and again until the answer is neither undefined nor false, and returns it. Rejects after `timeout` milliseconds with the last
 * failure as its cause. To wait for one object, `objects(…).until` needs no polling.
 */
export async function eventually<T>(what: string, ask: () => T | Promise<T>, timeout = 5_000): Promise<Exclude<T, undefined | false>> {
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
