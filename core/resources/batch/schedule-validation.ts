/** Validates schedules of cron jobs. */

import { isTimeZone } from '../../schema/cron.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { validateFormat } from '../validation.ts'

interface Schedule {
  readonly schedule: string
  readonly timeZone?: string | undefined
}

/** A time zone in the schedule may stay if `old` has one; an unchanged time zone is not validated again. */
export function validateSchedule({ schedule, timeZone }: Schedule, old: Schedule | undefined, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('schedule')
  if (schedule !== '') validateFormat(schedule, 'cronSchedule', at, errors)
  if (schedule.includes('TZ')) {
    const kept = old?.schedule.includes('TZ')
    if (!kept) errors.invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')
    else if (timeZone !== undefined) errors.invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')
  }
  if (timeZone !== undefined && timeZone !== old?.timeZone) validateTimeZone(timeZone, path.child('timeZone'), errors)
}

function validateTimeZone(zone: string, path: FieldPath, errors: FieldErrors): void {
  if (zone === '') errors.invalid(path, zone, 'timeZone must be nil or non-empty string')
  else if (zone.toLowerCase() === 'local') {
    errors.invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')
  } else if (!isTimeZone(zone)) errors.invalid(path, zone, `unknown time zone ${zone}`)
}
