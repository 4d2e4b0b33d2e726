import { field, int32, message, microTime, pointer, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { firstOf } from '../selectable.ts'
import { eventColumns } from './event-columns.ts'
import { validateEvent } from './event-validation.ts'
import { objectValidation } from './object-validation.ts'
import { ObjectReference } from './references.ts'

export const EventSource = message('EventSource', 'Who reported an event.', () => ({
  component: field(1, string, 'Component that reported it.'),
  host: field(2, string, 'Node on which that component runs.'),
}))

export const EventSeries = message('EventSeries', 'Counts of an event that keeps happening.', () => ({
  count: field(1, int32, 'Occurrences up to the last heartbeat.'),
  lastObservedTime: field(2, microTime, 'When it was last seen.'),
}))

export const Event = message('Event', 'A report of something that happened to an object; kept for a limited time.', () => ({
  metadata: required(1, ObjectMeta, "Standard object's metadata: name, labels and what else every object carries."),
  involvedObject: required(2, ObjectReference, 'Object that the event is about.'),
  reason: field(3, string, 'Why the action was taken, in one word.'),
  message: field(4, string, 'What happened, for people.'),
  source: field(5, EventSource, 'Component that reported it.'),
  firstTimestamp: field(6, time, 'When it was first recorded.'),
  lastTimestamp: field(7, time, 'When it was last recorded.'),
  count: field(8, int32, 'How often it occurred.'),
  type: field(9, string, 'Normal or Warning.'),
  eventTime: field(10, microTime, 'When it was first observed.'),
  series: pointer(11, EventSeries, 'Counts of repeated occurrences; absent for a single one.'),
  action: field(12, string, 'What was done or failed, regarding the object.'),
  related: pointer(13, ObjectReference, 'Second object that takes part in the action.'),
  reportingComponent: field(14, string, 'Name of the controller that reports.', { omitEmpty: false }),
  reportingInstance: field(15, string, 'Instance of that controller.', { omitEmpty: false }),
})).with({ typeMeta: true })

export const events = resource({
  group: '',
  version: 'v1',
  names: ['events', 'event', 'ev'],
  anyFinalizers: true,
  metadataOnUpdate: [],
  nameFormat: ({ apiVersion = 'v1' }) => (apiVersion === 'v1' ? 'pathSegment' : 'dns1123Subdomain'),
  schema: Event,
  columns: eventColumns,
  strategy: { validate: objectValidation(validateEvent) },
  cached: false,
  lifecycle: { introduced: '1.0' },
  selectable: {
    'involvedObject.kind': '.involvedObject.kind',
    'involvedObject.namespace': '.involvedObject.namespace',
    'involvedObject.name': '.involvedObject.name',
    'involvedObject.uid': '.involvedObject.uid',
    'involvedObject.apiVersion': '.involvedObject.apiVersion',
    'involvedObject.resourceVersion': '.involvedObject.resourceVersion',
    'involvedObject.fieldPath': '.involvedObject.fieldPath',
    reason: '.reason',
    reportingComponent: '.reportingComponent',
    source: firstOf('.source.component', '.reportingComponent'),
    type: '.type',
  },
  createOnUpdate: true,
  ttl: 'event',
  defaultPropagation: 'Unsupported',
})
