import type { Infer } from '../../schema/model.ts'
import { age, nameColumn, textColumn, wide } from '../cells.ts'
import type { Column } from '../definition.ts'
import type { Event as GroupEvent } from '../events/event.ts'
import type { Event } from './event.ts'

type Time = string | null | undefined

/** An event of the core group or of group events; some field names differ. */
type EventRow = Partial<Infer<typeof Event> & Infer<typeof GroupEvent>>

const about = (event: EventRow) => event.involvedObject ?? event.regarding ?? {}
const firstSeen = (event: EventRow) => event.firstTimestamp || event.deprecatedFirstTimestamp || event.eventTime

function lastSeen(event: EventRow): Time {
  return event.series ? event.series.lastObservedTime : event.lastTimestamp || event.deprecatedLastTimestamp || firstSeen(event)
}

function objectText(event: EventRow): string {
  const { kind = '', name } = about(event)
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()
}

function sourceText(event: EventRow): string {
  const source = event.source ?? event.deprecatedSource
  const component = source?.component || event.reportingComponent || event.reportingController || ''
  const instance = source?.host || event.reportingInstance || ''
  return instance === '' ? component : `${component}, ${instance}`
}

const count: Column<EventRow> = {
  name: 'Count',
  type: 'string',
  doc: 'How often it happened.',
  priority: 1,
  cell: (event) => (event.series ? (event.series.count ?? 0) : event.count || event.deprecatedCount || 1),
}

export const eventColumns = [
  textColumn<EventRow>('Last Seen', 'Time since it last happened.', (event, context) => age(lastSeen(event), context)),
  textColumn('Type', 'Normal or Warning.', '.type'),
  textColumn('Reason', 'Why it happened, in one word.', '.reason'),
  textColumn('Object', 'Object that it is about.', objectText),
  wide(textColumn<EventRow>('Subobject', 'Part of that object.', (event) => about(event).fieldPath ?? '')),
  wide(textColumn('Source', 'Who reported it.', sourceText)),
  textColumn<EventRow>('Message', 'What happened.', ({ message, note }) => (message ?? note ?? '').trim()),
  wide(textColumn<EventRow>('First Seen', 'Time since it first happened.', (event, context) => age(firstSeen(event), context))),
  count,
  wide(nameColumn),
]
