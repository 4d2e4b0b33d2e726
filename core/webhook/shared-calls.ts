import type { MaybePromise } from '../maybe-promise.ts'

/** Who waits for an answer, such as the exchange of a request. Absent: the server itself, which never gives up. */
export interface Caller {
  /** Aborts when the answer has no use any more: the client left, or the deadline has passed. */
  readonly signal: AbortSignal
}

interface Running<T> {
  readonly answer: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * Concurrent callers with the same key share one call. A caller that gives up stops waiting, and rejects with its signal's reason; the call is
 * aborted when no caller is left. A call that needs no I/O is not shared.
 */
export function sharedCalls<T>() {
  const all = new Map<string, Running<T>>()

  function end(key: string, running: Running<T>): void {
    if (all.get(key) === running) all.delete(key)
  }

  function wait(key: string, running: Running<T>, caller: Caller | undefined): Promise<T> {
    running.waiting++
    if (caller === undefined) return running.answer
    const { signal } = caller
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        if (--running.waiting > 0) return
        // The next caller must not join a call that is being aborted.
        end(key, running)
        running.controller.abort(signal.reason)
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      running.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  return (key: string, caller: Caller | undefined, call: (signal: AbortSignal) => MaybePromise<T>): MaybePromise<T> => {
    const known = all.get(key)
    if (known !== undefined) return wait(key, known, caller)
    const controller = new AbortController()
    const answer = call(controller.signal)
    if (!(answer instanceof Promise)) return answer
    const running = { answer, controller, waiting: 0 }
    all.set(key, running)
    const over = () => end(key, running)
    answer.then(over, over)
    return wait(key, running, caller)
  }
}
