import { type CallOptions, createCall } from '../outgoing/webhook/call.ts'
import { messageOf } from '../schema/message-of.ts'
import type { EventEncoder } from './event.ts'
import type { Deliver, ReportLoss } from './sink.ts'

const plugin = 'webhook'
/** Milliseconds per attempt, as for every webhook with a connection file (apiserver, util/webhook). */
const timeout = 30_000

/** Posts lists of events to a webhook; every failure is tried again. */
export function webhookDelivery({
  encoder,
  reportLoss,
  ...options
}: Pick<CallOptions, 'connection' | 'outbound' | 'clock'> & {
  /** Milliseconds before the second attempt. */
  readonly firstWait: number
  readonly encoder: EventEncoder
  readonly reportLoss: ReportLoss
}): Deliver {
  const call = createCall({ ...options, timeout, persistent: true })
  return async (events) => {
    try {
      await call(encoder.list(events))
      return true
    } catch (error) {
      reportLoss(plugin, messageOf(error), events)
      return false
    }
  }
}
