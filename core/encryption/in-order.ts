/**
 * Runs calls in order, each after the previous one has settled; synchronously while none is pending. Errors of calls that had to wait go to
 * `failed`; others are thrown.
 */
export function inOrder(failed: (error: unknown) => void): (call: () => void | Promise<void>) => void {
  let last: Promise<void> | undefined

  function wait(call: Promise<void>): void {
    const ended = call.catch(failed).then(() => {
      if (last === ended) last = undefined
    })
    last = ended
  }

  return (call) => {
    if (last !== undefined) {
      wait(last.then(call))
      return
    }
    const result = call()
    if (result !== undefined) wait(result)
  }
}
