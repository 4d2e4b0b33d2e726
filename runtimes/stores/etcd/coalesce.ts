/**
 * Lets calls share an answer: those that come while one is under way get the next one, which begins after they came.
 * So no answer is older than its question.
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
