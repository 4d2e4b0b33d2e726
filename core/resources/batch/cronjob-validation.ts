/** Validation of cron jobs, in the reference's order. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { isTimeZone } from '../../schema/formats/time-zones.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, validateFormat, validateNonNegative } from '../validation.ts'
import type { CronJob, CronJobSpec, JobTemplateSpec } from './cronjob.ts'
import { validateJobSpec } from './job-spec-validation.ts'

type CronJobValue = Infer<typeof CronJob>
type Spec = Infer<typeof CronJobSpec>

const maxName = 52
const policies = ['Allow', 'Forbid', 'Replace']

export function validateCronJob({ metadata, spec }: CronJobValue, errors: FieldErrors, context: HookContext, old?: CronJobValue): void {
  validateSpec(spec, old?.spec, FieldPath.of('spec'), errors, context)
  const name = metadata?.name ?? ''
  if (!old && name.length > maxName) errors.invalid(FieldPath.of('metadata', 'name'), name, `must be no more than ${maxName} characters`)
}

/** An unchanged time zone is not validated again. */
function validateSpec(spec: Spec, old: Spec | undefined, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { concurrencyPolicy: policy, timeZone } = spec
  if (!spec.schedule) errors.required(path.child('schedule'))
  else validateSchedule(spec, old, path.child('schedule'), errors)
  validateNonNegative(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds'), errors)
  if (timeZone !== undefined && timeZone !== old?.timeZone) validateTimeZone(timeZone, path.child('timeZone'), errors)
  const policyAt = path.child('concurrencyPolicy')
  if (!policy) errors.required(policyAt)
  else if (!policies.includes(policy)) errors.notSupported(policyAt, policy, policies)
  validateJobTemplate(spec.jobTemplate, path.child('jobTemplate').child('spec'), errors, context)
  validateNonNegative(spec.successfulJobsHistoryLimit, path.child('successfulJobsHistoryLimit'), errors)
  validateNonNegative(spec.failedJobsHistoryLimit, path.child('failedJobsHistoryLimit'), errors)
}

/** A time zone in the schedule may stay if `old` has one. */
function validateSchedule({ schedule, timeZone }: Spec, old: Spec | undefined, path: FieldPath, errors: FieldErrors): void {
  validateFormat(schedule, 'cronSchedule', path, errors)
  if (!schedule.includes('TZ')) return
  const kept = old?.schedule.includes('TZ')
  if (!kept) errors.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')
  else if (timeZone !== undefined) errors.invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')
}

function validateTimeZone(zone: string, path: FieldPath, errors: FieldErrors): void {
  if (zone === '') {
    errors.invalid(path, zone, 'timeZone must be nil or non-empty string')
    return
  }
  if (zone.toLowerCase() === 'local') {
    errors.invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')
  }
  if (zone !== 'Local' && !isTimeZone(zone)) errors.invalid(path, zone, `unknown time zone ${zone}`)
}

/** The controller generates the selectors of its jobs. */
function validateJobTemplate({ spec }: Infer<typeof JobTemplateSpec>, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (spec === undefined) return
  validateJobSpec(spec, path, errors, context)
  if (spec.selector) errors.invalid(path.child('selector'), asJson(spec.selector), '`selector` will be auto-generated')
  if (spec.manualSelector) errors.notSupported(path.child('manualSelector'), true, ['nil', 'false'])
}
