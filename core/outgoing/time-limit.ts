import type { Clock } from '../ports.ts'

/**
 * Settles as `work`, or rejects with a TimeoutError after these milliseconds, or with the reason of `signal` when that aborts first. `work`
 * gets a signal that aborts in both cases; what ignores it is not waited for.
 */
export function withinTime<T>(
  clock: Pick<Clock, 'after'>,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const ends = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  if (ends.aborted) return Promise.reject(ends.reason)
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(1, milliseconds), () =>
      limit.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    )
    const late = () => reject(ends.reason)
    ends.addEventListener('abort', late, { once: true })
    work(ends)
      .then(resolve, reject)
      .finally(() => {
        cancel()
        ends.removeEventListener('abort', late)
      })
  })
}

/** Resolves after these milliseconds, or when `signal` aborts. */
export function pauseFor(clock: Pick<Clock, 'after'>, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(milliseconds, done)
    signal?.addEventListener('abort', done)
  })
}
