import { untilAborted } from '../../common/abort.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Context } from '../../ports.ts'

interface Running<T> {
  readonly answer: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * Concurrent callers with the same key share one call. A caller whose context ends stops waiting, and rejects with its signal's reason; the call
 * is aborted when no caller is left. A call that needs no I/O is not shared.
 */
export function sharedCalls<T>() {
  const all = new Map<string, Running<T>>()

  function end(key: string, running: Running<T>): void {
    if (all.get(key) === running) all.delete(key)
  }

  function wait(key: string, running: Running<T>, context: Context | undefined): Promise<T> {
    running.waiting++
    if (context === undefined) return running.answer
    const { signal } = context
    return untilAborted(running.answer, signal, () => {
      if (--running.waiting > 0) return
      // The next caller must not join a call that is being aborted.
      end(key, running)
      running.controller.abort(signal.reason)
    })
  }

  return (key: string, context: Context | undefined, call: (shared: Context) => MaybePromise<T>): MaybePromise<T> => {
    const known = all.get(key)
    if (known !== undefined) return wait(key, known, context)
    const controller = new AbortController()
    // Only the first caller's trace shows the call.
    const answer = call({ signal: controller.signal, span: context?.span })
    if (!(answer instanceof Promise)) return answer
    const running = { answer, controller, waiting: 0 }
    all.set(key, running)
    const over = () => end(key, running)
    answer.then(over, over)
    return wait(key, running, context)
  }
}
