/** Interfaces of audit backends and of reports about lost events. */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { AuditEvent } from './event.ts'

/** Takes events. */
export interface Sink {
  /** Returns false, or a promise of it, if the event could not be stored and its request must fail. */
  process(event: AuditEvent): MaybePromise<boolean>
  /** Stores what is buffered, within limits; later events are lost. */
  close(): Promise<void>
}

/** Stores events together. False: they are lost, which has been reported. */
export type Deliver = (events: readonly AuditEvent[]) => MaybePromise<boolean>

/** Reports lost events. `plugin`: the part that lost them, as metrics name it. */
export type ReportLoss = (plugin: string, why: string, events: readonly AuditEvent[]) => void

/** `batch`: events are stored later. `blocking`: the request waits. `blocking-strict`: it fails if its first event can't be stored. */
export const modes = ['batch', 'blocking', 'blocking-strict'] as const
export type Mode = (typeof modes)[number]

export const directSink = (deliver: Deliver, strict: boolean): Sink => ({
  process(event) {
    const stored = deliver([event])
    if (strict) return stored
    return stored instanceof Promise ? stored.then(() => true) : true
  },
  close: () => Promise.resolve(),
})

/** Passes events to all sinks; an event is stored when all have it. */
export function allSinks(sinks: readonly Sink[]): Sink {
  const [first] = sinks
  if (sinks.length === 1 && first !== undefined) return first
  return {
    process(event) {
      const results = sinks.map((sink) => sink.process(event))
      if (!results.some((result) => result instanceof Promise)) return results.every(Boolean)
      return Promise.all(results).then((all) => all.every(Boolean))
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()))
    },
  }
}
