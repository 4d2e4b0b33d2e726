import type { Clock, Logger } from '../ports.ts'
import type { AuditEvent } from './event.ts'
import { legacyLine } from './legacy.ts'
import type { ReportLoss } from './sink.ts'

/** Milliseconds between messages of one plugin. */
const interval = 1_000
/** Maximum events that a message shows. */
const maxShown = 10

/** Unreported losses of a plugin. */
interface Pending {
  count: number
  readonly shown: string[]
  why: string
}

/**
 * Counts every lost event, and logs losses: the first ones at once, later ones together once per second, so that an unreachable receiver
 * does not flood the log.
 */
export function lossReporter(count: (plugin: string, events: number) => void, logger: Logger, clock: Clock): ReportLoss {
  const pending = new Map<string, Pending>()

  const log = (plugin: string, { count: events, shown, why }: Pending) =>
    logger.error({ plugin, events, error: why, first: shown }, 'audit events were lost')

  function later(plugin: string): void {
    clock.after(interval, () => {
      const found = pending.get(plugin)
      if (found === undefined || found.count === 0) {
        pending.delete(plugin)
        return
      }
      log(plugin, found)
      pending.set(plugin, { count: 0, shown: [], why: '' })
      later(plugin)
    })
  }

  const add = (to: Pending, why: string, events: readonly AuditEvent[]) => {
    to.count += events.length
    to.why = why
    for (const event of events.slice(0, maxShown - to.shown.length)) to.shown.push(legacyLine(event))
  }

  return (plugin, why, events) => {
    count(plugin, events.length)
    const waiting = pending.get(plugin)
    if (waiting !== undefined) return add(waiting, why, events)
    const first: Pending = { count: 0, shown: [], why: '' }
    add(first, why, events)
    log(plugin, first)
    pending.set(plugin, { count: 0, shown: [], why: '' })
    later(plugin)
  }
}
