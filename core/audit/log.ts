import type { Telemetry } from '../ports.ts'
import { concatenate } from '../schema/bytes.ts'
import { messageOf } from '../schema/message-of.ts'
import type { AuditEvent, EventEncoder } from './event.ts'
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
  const text = new TextEncoder()
  const lineOf =
    format === 'json' ? (event: AuditEvent) => encoder.line(event) : (event: AuditEvent) => text.encode(`${legacyLine(event)}\n`)

  async function append(lines: readonly Uint8Array[], events: readonly AuditEvent[]): Promise<boolean> {
    try {
      await write(lines.length === 1 ? (lines[0] as Uint8Array) : concatenate(lines))
      return true
    } catch (error) {
      reportLoss(plugin, messageOf(error), events)
      return false
    }
  }

  return async (events) => {
    let stored = true
    for (let first = 0; first < events.length; ) {
      const lines: Uint8Array[] = []
      const start = first
      for (let size = 0; first < events.length && (size === 0 || size < chunkSize); first++) {
        const line = lineOf(events[first] as AuditEvent)
        lines.push(line)
        size += line.length
      }
      stored = (await append(lines, events.slice(start, first))) && stored
    }
    return stored
  }
}
