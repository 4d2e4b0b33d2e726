/** Aborts at the first SIGINT or SIGTERM, with its name as the reason. A second one ends the process at once, as kube-apiserver does. */
export function endingSignal(): AbortSignal {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(1)
      ending.abort(signal)
    })
  return ending.signal
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
