import { Pending } from './values/errors.ts'

/** Runs a resumable computation to its end: synchronously if possible, otherwise again after each Pending. */
export function settled<T>(run: () => T): T | Promise<T> {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Pending)) throw error
    return later(run, error)
  }
}

async function later<T>(run: () => T, first: Pending): Promise<T> {
  for (let pending = first; ; ) {
    await pending.answer
    try {
      return run()
    } catch (error) {
      if (!(error instanceof Pending)) throw error
      pending = error
    }
  }
}
