import { usualDuration } from '../../../core/common/abort.ts'
import { CallError, type Clock, type Context } from '../../../core/ports.ts'
import { deadlineExceeded } from './codes.ts'

/** Milliseconds until a deadline, at least 1. */
export const timeLeft = (clock: Clock, deadline: number) => Math.max(1, Math.ceil(deadline - clock.monotonic()))

/**
 * Calls `stop` when the deadline has come, or, with the reason of its signal, when the context ends. Call the returned function when the call has
 * ended. The signal is read late: most calls have ended before, and the signal of their request was never made.
 */
export function deadline(clock: Clock, at: number, context: Context | undefined, stop: (error: unknown) => void): () => void {
  const left = timeLeft(clock, at)
  const expire = () => stop(new CallError(deadlineExceeded, 'Deadline exceeded'))
  if (context === undefined || left <= usualDuration) return clock.after(left, expire)
  let finish = clock.after(usualDuration, () => {
    const { signal } = context
    if (signal.aborted) return stop(signal.reason)
    const leave = () => stop(signal.reason)
    const cancel = clock.after(left - usualDuration, expire)
    signal.addEventListener('abort', leave, { once: true })
    finish = () => {
      cancel()
      signal.removeEventListener('abort', leave)
    }
  })
  return () => finish()
}
