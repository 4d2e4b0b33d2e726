import { field, int32, message, microTime, pointer, required, string, time } from '../../schema/model.ts'
import { EventSource } from '../core/event.ts'
import { eventColumns } from '../core/event-columns.ts'
import { ObjectReference } from '../core/references.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { conversion } from './conversion.ts'

export const EventSeries = message('EventSeries', 'Counts of an event that keeps happening.', () => ({
  count: required(1, int32, 'Occurrences up to the last heartbeat.'),
  lastObservedTime: required(2, microTime, 'When it was last seen.'),
}))

export const Event = message('Event', 'A report of something that happened to an object; kept for a limited time.', () => ({
  metadata: field(1, ObjectMeta, "Standard object's metadata: name, labels and what else every object carries.", { omitEmpty: false }),
  eventTime: required(2, microTime, 'When it was first observed.'),
  series: pointer(3, EventSeries, 'Counts of repeated occurrences; absent for a single one.'),
  reportingController: field(4, string, 'Name of the controller that reports.'),
  reportingInstance: field(5, string, 'Instance of that controller.'),
  action: field(6, string, 'What was done or failed, regarding the object.'),
  reason: field(7, string, 'Why the action was taken, in one word.'),
  regarding: field(8, ObjectReference, 'Object that the event is about.'),
  related: pointer(9, ObjectReference, 'Second object that takes part in the action.'),
  note: field(10, string, 'What happened, for people; up to 1 kB.'),
  type: field(11, string, 'Normal or Warning.'),
  deprecatedSource: field(12, EventSource, 'Source, as in core events.'),
  deprecatedFirstTimestamp: field(13, time, 'First time, as in core events.'),
  deprecatedLastTimestamp: field(14, time, 'Last time, as in core events.'),
  deprecatedCount: field(15, int32, 'Count, as in core events.'),
})).with({ typeMeta: true })

export const events = resource({
  group: 'events.<domain>',
  version: 'v1',
  names: ['events', 'event', 'ev'],
  anyFinalizers: true,
  schema: Event,
  columns: eventColumns,
  storageVersion: 'v1',
  conversion,
  cached: false,
  lifecycle: { introduced: '1.19' },
  selectable: {
    'regarding.kind': '.regarding.kind',
    'regarding.namespace': '.regarding.namespace',
    'regarding.name': '.regarding.name',
    'regarding.uid': '.regarding.uid',
    'regarding.apiVersion': '.regarding.apiVersion',
    'regarding.resourceVersion': '.regarding.resourceVersion',
    'regarding.fieldPath': '.regarding.fieldPath',
    reason: '.reason',
    reportingController: '.reportingController',
    type: '.type',
  },
  createOnUpdate: true,
  ttl: 'event',
  defaultPropagation: 'Unsupported',
})
