/**
 * Turns of the event loop in which callers gather: the answers sent in one bring requests in the next. A request costs etcd more than many
 * answers cost here, and a turn in which nothing comes takes microseconds.
 */
const gathering = 2

/**
 * Coalesces concurrent calls: callers share the next request to begin, so that no result is older than its call. Two are in flight at most.
 */
export function coalesce<T>(ask: () => Promise<T>): () => Promise<T> {
  let older: Promise<unknown> | undefined
  let newer: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function begin(): Promise<T> {
    await older
    for (let turn = 0; turn < gathering; turn++) await new Promise(setImmediate)
    next = undefined
    const answer = ask()
    older = newer
    newer = answer.catch(() => {})
    return answer
  }

  return () => {
    next ??= begin()
    return next
  }
}
