import type { Clock, Logger } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'

/** Milliseconds for which a health result is cached: healthy, unhealthy. */
const wellFor = 20_000
const unwellFor = 3_000
/** Milliseconds between health checks of a healthy and of an unhealthy plugin. */
const lookWhileWell = 60_000
const lookWhileUnwell = 10_000

/** Cached health check of a plugin. */
export interface Probe {
  /** Rejects with an Error when the plugin is unhealthy. */
  check(): Promise<void>
  /** Timeout in milliseconds of a check. */
  readonly timeout: number
  close(): void
}

/** Concurrent callers share one check. */
export function probe(check: () => Promise<void>, clock: Clock, timeout: number): Probe {
  let last: { readonly answer: Promise<void>; readonly until: number } | undefined
  let asking: Promise<void> | undefined

  function ask(): Promise<void> {
    const answer = check()
    const keep = (time: number) => {
      asking = undefined
      last = { answer, until: clock.monotonic() + time }
    }
    answer.then(
      () => keep(wellFor),
      () => keep(unwellFor),
    )
    return answer
  }

  return {
    timeout,
    check() {
      if (last !== undefined && clock.monotonic() < last.until) return last.answer
      asking ??= ask()
      return asking
    },
    close() {},
  }
}

/** A probe that also checks periodically, because writes depend on its result. Resolves after the first check. */
export async function watchfulProbe(name: string, inner: Probe, clock: Clock, logger: Logger): Promise<Probe> {
  let closed = false
  let cancel = () => {}

  async function look(): Promise<void> {
    let next = lookWhileWell
    try {
      await inner.check()
    } catch (error) {
      next = lookWhileUnwell
      logger.warn({ plugin: name, error: messageOf(error) }, 'key-management plugin is unhealthy')
    }
    if (!closed) cancel = clock.after(next, () => void look())
  }

  await look()
  return {
    ...inner,
    close() {
      closed = true
      cancel()
    },
  }
}
