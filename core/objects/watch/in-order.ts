/**
 * Runs steps in order; each first awaits `first`, then calls `then`. Synchronous when nothing is pending. After a failure `failed` is called
 * once, and later steps are dropped. Returns a promise if the step is asynchronous; it never rejects.
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
