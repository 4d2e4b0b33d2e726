import type { Clock, Logger } from '../../../ports.ts'
import { messageOf } from '../../../schema/message-of.ts'

/** Milliseconds that an answer of a plugin stands for the next ones. */
const wellFor = 20_000
const unwellFor = 3_000
/** Milliseconds between looks at a plugin that is well, and at one that is not. */
const lookWhileWell = 60_000
const lookWhileUnwell = 10_000

/** How a plugin is, asked not too often. */
export interface Probe {
  /** Rejects with an Error when something is wrong. */
  check(): Promise<void>
  /** Milliseconds that a check may take. */
  readonly timeout: number
  close(): void
}

/** Those who ask while an answer is on its way share it. */
export function probe(check: () => Promise<void>, clock: Clock, timeout: number): Probe {
  let last: { readonly answer: Promise<void>; readonly until: number } | undefined
  let asking: Promise<void> | undefined

  function ask(): Promise<void> {
    const answer = check()
    const keep = (time: number) => {
      asking = undefined
      last = { answer, until: clock.now() + time }
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
      if (last !== undefined && clock.now() < last.until) return last.answer
      asking ??= ask()
      return asking
    },
    close() {},
  }
}

/** A probe that looks by itself now and then, because what is written depends on it. The first look is over when this resolves. */
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
