import type { Telemetry } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { AuditEvent, EventEncoder } from './event.ts'
import { JoinedText } from './joined-text.ts'
import { legacyLine } from './legacy.ts'
import type { Deliver, ReportLoss } from './sink.ts'

export const formats = ['json', 'legacy'] as const
export type Format = (typeof formats)[number]

const plugin = 'log'
/** Bytes that are written together, so that files are rotated near their size. */
const chunkSize = 256 * 1024

/** Appends one line per event to a log. */
export function logDelivery(
  write: NonNullable<Telemetry['audit']>,
  { format, encoder, reportLoss }: { readonly format: Format; readonly encoder: EventEncoder; readonly reportLoss: ReportLoss },
): Deliver {
  const addLine =
    format === 'json'
      ? (to: JoinedText, event: AuditEvent) => encoder.addLine(to, event)
      : (to: JoinedText, event: AuditEvent) => to.add(`${legacyLine(event)}\n`)

  async function append(lines: Uint8Array, events: readonly AuditEvent[]): Promise<boolean> {
    try {
      await write(lines)
      return true
    } catch (error) {
      reportLoss(plugin, messageOf(error), events)
      return false
    }
  }

  return async (events) => {
    let stored = true
    for (let first = 0; first < events.length; ) {
      const lines = new JoinedText()
      const start = first
      for (; first < events.length && lines.length < chunkSize; first++) addLine(lines, events[first] as AuditEvent)
      stored = (await append(lines.bytes(), events.slice(start, first))) && stored
    }
    return stored
  }
}
