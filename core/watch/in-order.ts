/**
 * Runs pieces of work one after the other, each of which first waits for something. What can be done at once is done at once. After a
 * failure `failed` is called, and nothing further is run. Returns a promise where the piece could not be run at once; it never rejects.
 */
export function inOrder(failed: (error: Error) => void): <T>(first: () => T | Promise<T>, then: () => void) => void | Promise<void> {
  let last: Promise<void> | undefined
  let over = false

  function fail(error: unknown): void {
    if (over) return
    over = true
    failed(error as Error)
  }

  function attempt<T>(first: () => T | Promise<T>, then: () => void): void | Promise<void> {
    if (over) return undefined
    try {
      const ready = first()
      if (ready instanceof Promise) return ready.then(() => (over ? undefined : then())).catch(fail)
      then()
    } catch (error) {
      fail(error)
    }
    return undefined
  }

  return (first, then) => {
    const next = last === undefined ? attempt(first, then) : last.then(() => attempt(first, then))
    if (next === undefined) return undefined
    last = next
    void next.then(() => {
      if (last === next) last = undefined
    })
    return next
  }
}
