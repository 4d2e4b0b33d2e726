import { Pending } from './values/errors.ts'

/** What a run gives, at once where nothing takes time; a run that throws a Pending is called again once there is an answer. */
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
