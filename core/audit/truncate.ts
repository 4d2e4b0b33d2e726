import type { AuditEvent } from './event.ts'
import type { Deliver, ReportLoss } from './sink.ts'

/** Limits in bytes of JSON. */
export interface TruncateOptions {
  readonly maxEventSize: number
  readonly maxBatchSize: number
}

interface Context {
  /** Bytes of an event as it will be stored. */
  sizeOf(event: AuditEvent): number
  readonly reportLoss: ReportLoss
  /** Key of the annotation of truncated events. */
  readonly annotation: string
}

const plugin = 'truncate'

/** Removes the objects of events that are too large, drops those that still are, and splits batches (plugin/pkg/audit/truncate). */
export function truncating(
  { maxEventSize, maxBatchSize }: TruncateOptions,
  { sizeOf, reportLoss, annotation }: Context,
  deliver: Deliver,
): Deliver {
  const truncated = ({ requestObject: _request, responseObject: _response, annotations, ...event }: AuditEvent): AuditEvent => ({
    ...event,
    requestObject: undefined,
    responseObject: undefined,
    annotations: [...annotations, [annotation, 'true'] as const].sort(([a], [b]) => (a < b ? -1 : 1)),
  })

  /** The batches to deliver. */
  function split(events: readonly AuditEvent[]): AuditEvent[][] {
    const batches: AuditEvent[][] = []
    let batchSize = 0
    for (const whole of events) {
      let event = whole
      let size = sizeOf(event)
      if (size > maxEventSize && (event.level === 'Request' || event.level === 'RequestResponse')) {
        event = truncated(whole)
        size = sizeOf(event)
      }
      if (size > maxEventSize) {
        reportLoss(plugin, 'event is too large even after truncating', [event])
        continue
      }
      const last = batches.at(-1)
      if (last === undefined || batchSize + size > maxBatchSize) {
        batches.push([event])
        batchSize = size
      } else {
        last.push(event)
        batchSize += size
      }
    }
    return batches
  }

  return (events) => {
    const results = split(events).map((batch) => deliver(batch))
    if (!results.some((result) => result instanceof Promise)) return results.every(Boolean)
    return Promise.all(results).then((all) => all.every(Boolean))
  }
}
