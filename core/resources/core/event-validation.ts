/** Validation of core group events, which is laxer for events without eventTime. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import { givenEmpty } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { type Metadata, validateFinalizer, validateObjectMeta, validateObjectMetaUpdate } from '../../schema/object-meta.ts'
import { asJson, validateFormat, validateUnchanged } from '../validation.ts'
import type { Event as EventSchema } from './event.ts'

type Event = Infer<typeof EventSchema>

const limits = { reportingInstance: 128, action: 128, reason: 128 } as const
const maxMessageLength = 1024

/** Immutable fields: names in errors, and the values that errors show for unset ones. The reference lists the reason twice. */
const fixed = [
  ['involvedObject', 'involvedObject', {}],
  ['reason', 'reason', ''],
  ['message', 'message', ''],
  ['source', 'source', {}],
  ['firstTimestamp', 'firstTimestamp', null],
  ['lastTimestamp', 'lastTimestamp', null],
  ['count', 'count', 0],
  ['reason', 'reason', ''],
  ['type', 'type', ''],
  ['eventTime', 'eventTime', null],
  ['action', 'action', ''],
  ['related', 'related', null],
  ['reportingComponent', 'reportingController', ''],
  ['reportingInstance', 'reportingInstance', ''],
] as const

export function validateEvent(event: Event, errors: FieldErrors, context: HookContext, old?: Event): void {
  const { platform } = context
  const namespace = event.metadata?.namespace ?? ''
  const about = event.involvedObject.namespace ?? ''
  const at = FieldPath.of('involvedObject', 'namespace')
  const timed = Boolean(event.eventTime)
  const home = timed ? ['default', platform.namespaces.system] : ['default', '']
  const matches = about === '' ? home.includes(namespace) : timed || about === namespace
  if (!matches) errors.invalid(at, about, 'does not match event.namespace')
  const controller = context.apiVersion === 'v1' ? 'reportingComponent' : 'reportingController'
  if (timed) validateTimed(event, FieldPath.of(controller), errors)
  validateFormat(namespace, 'dns1123Subdomain', FieldPath.of('namespace'), errors)
  // Stricter rules don't apply to clients of the core group or to the server's own writes.
  if (context.apiVersion === undefined || context.apiVersion === 'v1') return
  const metadata = (event.metadata ?? {}) as Metadata
  const path = FieldPath.of('metadata')
  if (!old) validateObjectMeta(metadata, { namespaced: true, path, nameFormat: 'dns1123Subdomain' }, errors)
  for (const [index, name] of (metadata.finalizers ?? []).entries())
    validateFinalizer(name, path.child('finalizers').index(index), errors, platform)
  if (old) validateObjectMetaUpdate(metadata, (old.metadata ?? {}) as Metadata, path, errors)
  if (old) validateFixed(event, old, errors)
  else validateNew(event, errors)
}

/** A new event must have eventTime and series instead of the deprecated fields. */
function validateNew(event: Event, errors: FieldErrors): void {
  const { eventTime, type = '', source = {} } = event
  validateSeries(event, errors)
  if (!eventTime) errors.required(FieldPath.of('eventTime'))
  if (type !== 'Normal' && type !== 'Warning') errors.invalid(FieldPath.of('type'), '', `has invalid value: ${type}`)
  for (const name of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    // The unset time that a client gave is not unset in Go.
    if (event[name] || givenEmpty(event, name) !== undefined) errors.invalid(FieldPath.of(name), '', 'needs to be unset')
  }
  if (source.component || source.host) errors.invalid(FieldPath.of('source'), '', 'needs to be unset')
}

function validateSeries({ series }: Event, errors: FieldErrors): void {
  if (!series) return
  const { count = 0, lastObservedTime } = series
  if (count < 2) errors.invalid(FieldPath.of('series.count'), '', 'should be at least 2')
  if (!lastObservedTime) errors.required(FieldPath.of('series.lastObservedTime'))
}

/** Only the series may change. */
function validateFixed(event: Event, old: Event, errors: FieldErrors): void {
  if (!equal(asJson(event.series), asJson(old.series))) validateSeries(event, errors)
  for (const [name, shown, unset] of fixed) validateUnchanged(event[name] ?? unset, old[name] ?? unset, FieldPath.of(shown), errors)
}

function validateTimed(event: Event, controller: FieldPath, errors: FieldErrors): void {
  if (!event.reportingComponent) errors.required(controller)
  validateFormat(event.reportingComponent ?? '', 'qualifiedName', controller, errors)
  for (const [name, limit] of Object.entries(limits)) {
    const value = event[name as keyof typeof limits] ?? ''
    if (value === '') errors.required(FieldPath.of(name))
    if (value.length > limit) errors.invalid(FieldPath.of(name), '', `can have at most ${limit} characters`)
  }
  if ((event.message ?? '').length > maxMessageLength) {
    errors.invalid(FieldPath.of('message'), '', `can have at most ${maxMessageLength} characters`)
  }
}
