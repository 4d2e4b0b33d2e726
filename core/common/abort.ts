import type { Clock, Context } from '../ports.ts'

/** Settles as `answer`, or rejects with the reason of `signal` when that aborts first; then `onAbort` is called. */
export function untilAborted<T>(answer: Promise<T>, signal: AbortSignal, onAbort: () => void = () => {}): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      reject(signal.reason)
      onAbort()
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Milliseconds after which a call that is usually fast looks at its context, whose signal costs as much as the call. */
export const usualDuration = 250

/** As `untilAborted`, for an answer that usually comes at once: the context's signal is read when it takes longer than `usualDuration`. */
export function untilAbortedLate<T>(answer: Promise<T>, context: Context, clock: Pick<Clock, 'after'>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(usualDuration, () => untilAborted(answer, context.signal).then(resolve, reject))
    answer.then(resolve, reject).finally(cancel)
  })
}

/** Resolves when the promise settles, or after this time in milliseconds. */
export function settled(promise: Promise<unknown>, clock: Pick<Clock, 'after'>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve)
    const done = () => {
      cancel()
      resolve()
    }
    promise.then(done, done)
  })
}
