/** Validates the status of jobs. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { asJson, validateCounts } from '../validation.ts'
import { type IndexRange, parseIndexes } from './index-ranges.ts'
import type { Job } from './job.ts'

type JobValue = Infer<typeof Job>
type Status = NonNullable<JobValue['status']>

const path = FieldPath.of('status')
const conditions = path.child('conditions')

const has = (status: Status | undefined, type: string) =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True')

/** Mutually exclusive conditions. */
const exclusive = [
  ['Complete', 'Failed', 'cannot set Complete=True and Failed=true conditions'],
  ['Complete', 'FailureTarget', 'cannot set Complete=True and FailureTarget=true conditions'],
  ['SuccessCriteriaMet', 'Failed', 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
  ['SuccessCriteriaMet', 'FailureTarget', 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
] as const

/** Conditions that require another one. */
const follows = [
  ['Failed', 'FailureTarget', 'cannot set Failed=True condition without the FailureTarget=true condition'],
  ['Complete', 'SuccessCriteriaMet', 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
] as const

export function validateJobStatus(job: JobValue, old: JobValue, errors: FieldErrors): void {
  const { status } = job
  if (status === undefined) return
  validateCounts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], path, errors)
  validateUncounted(status, errors)
  for (const [a, b, words] of exclusive) if (has(status, a) && has(status, b)) errors.invalidUnshown(conditions, words)
  validateTimes(job, status, old.status, errors)
  for (const [end, before, words] of follows) {
    if (has(status, end) && !has(old.status, end) && !has(status, before)) errors.invalidUnshown(conditions, words)
  }
  if (has(status, 'Complete') || has(status, 'Failed')) validateFinished(status, errors)
  validateIndexes(job, status, errors)
  if (status.ready !== undefined && status.ready > (status.active ?? 0))
    errors.invalid(path.child('ready'), status.ready, 'cannot set more ready pods than active')
  validateProgress(status, old.status, errors)
}

function validateUncounted({ uncountedTerminatedPods = {} }: Status, errors: FieldErrors): void {
  const seen = new Set<string>()
  for (const name of ['succeeded', 'failed'] as const) {
    ;(uncountedTerminatedPods[name] ?? []).forEach((uid, index) => {
      const at = path.child('uncountedTerminatedPods').child(name).index(index)
      if (uid === '') errors.invalid(at, uid, 'must not be empty')
      else if (seen.has(uid)) errors.duplicate(at, uid)
      else seen.add(uid)
    })
  }
}

function validateTimes({ spec }: JobValue, status: Status, old: Status | undefined, errors: FieldErrors): void {
  const { startTime, completionTime } = status
  const at = path.child('completionTime')
  const complete = has(status, 'Complete')
  const isGiven: boolean = completionTime !== undefined
  if (isGiven && !complete) errors.invalid(at, completionTime ?? null, 'cannot set completionTime when there is no Complete=True condition')
  if (!isGiven && complete) errors.required(at, 'completionTime is required for Complete jobs')
  if (startTime && completionTime && completionTime < startTime) {
    errors.invalid(at, completionTime, 'completionTime cannot be set before startTime')
  }
  if (completionTime && old?.completionTime && completionTime !== old.completionTime) {
    errors.invalid(at, completionTime, 'completionTime cannot be mutated')
  }
  if (old?.startTime && old.startTime !== startTime && !spec?.suspend) {
    errors.required(path.child('startTime'), 'startTime cannot be removed for unsuspended job')
  }
}

function validateFinished(status: Status, errors: FieldErrors): void {
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: uncounted } = status
  if (active > 0) errors.invalid(path.child('active'), active, 'active>0 is invalid for finished job')
  if (!startTime) errors.required(path.child('startTime'), 'startTime is required for finished job')
  if ((uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0) > 0) {
    const words = 'uncountedTerminatedPods needs to be empty for finished job'
    errors.invalid(path.child('uncountedTerminatedPods'), asJson(uncounted), words)
  }
  if (terminating > 0) errors.invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job')
}

function validateIndexes({ spec }: JobValue, { completedIndexes = '', failedIndexes }: Status, errors: FieldErrors): void {
  const completed = validateIndexText('completedIndexes', completedIndexes, spec?.completions, errors)
  if (completedIndexes !== '' && spec?.completionMode !== 'Indexed') {
    const words = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.invalid(path.child('completedIndexes'), completedIndexes, words)
  }
  if (failedIndexes === undefined) return
  const at = path.child('failedIndexes')
  if (spec?.backoffLimitPerIndex === undefined) {
    errors.invalid(at, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')
    return
  }
  const failed = validateIndexText('failedIndexes', failedIndexes, spec.completions, errors)
  const overlap = firstCommon(failed, completed)
  if (overlap !== undefined) errors.invalid(at, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${overlap}`)
}

/** The first common index; ranges are ascending. */
function firstCommon(a: readonly IndexRange[], b: readonly IndexRange[]): number | undefined {
  let at = 0
  for (const { first, last } of a) {
    while (at < b.length && (b[at] as IndexRange).last < first) at++
    const other = b[at]
    if (other !== undefined && other.first <= last) return Math.max(other.first, first)
  }
  return undefined
}

function validateIndexText(name: string, text: string, completions: number | undefined, errors: FieldErrors) {
  if (completions === undefined) return []
  try {
    return parseIndexes(text, completions)
  } catch (error) {
    errors.invalid(path.child(name), text, `error parsing ${name}: ${(error as Error).message}`)
    return []
  }
}

/** Counters don't decrease, and final states don't change. */
function validateProgress(status: Status, old: Status | undefined, errors: FieldErrors): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (has(old, type) && !has(status, type)) errors.invalidUnshown(conditions, `cannot disable the terminal ${type}=True condition`)
  }
  for (const name of ['failed', 'succeeded'] as const) {
    const count = status[name] ?? 0
    if (count < (old?.[name] ?? 0)) errors.invalid(path.child(name), count, `cannot decrease the ${name} counter`)
  }
  if (has(old, 'SuccessCriteriaMet') && !has(status, 'SuccessCriteriaMet')) {
    errors.invalidUnshown(conditions, 'cannot disable the SuccessCriteriaMet=True condition')
  }
}
