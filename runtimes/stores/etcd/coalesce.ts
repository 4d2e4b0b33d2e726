/**
 * Coalesces concurrent calls: calls that arrive while one is in progress share the next one, which starts after them, so that no result is
 * older than its call.
 */
export function coalesce<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  const start = (): Promise<T> => {
    next = undefined
    const answer = ask()
    const settled = answer.then(forget, forget)
    function forget(): void {
      if (running === settled) running = undefined
    }
    running = settled
    return answer
  }

  return () => {
    if (running === undefined) return start()
    next ??= running.then(start)
    return next
  }
}
