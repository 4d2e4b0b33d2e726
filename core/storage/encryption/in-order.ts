/**
 * Makes calls in the order they were given, each after the one before has ended; at once while none is waiting. `failed` gets the errors
 * of calls that had to wait; the others throw theirs.
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
