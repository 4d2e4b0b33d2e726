/**
 * Turns of the event loop to wait for more callers: clients that get a response often send the next request one turn later. One request
 * costs etcd more than many responses cost this server, and an idle turn takes microseconds.
 */
const gathering = 2

/**
 * Coalesces concurrent calls: all callers share the next request that starts, so that no result is older than its call. At most two requests
 * are in flight.
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
