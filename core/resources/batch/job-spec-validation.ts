/** Validates specs of jobs and of cron job templates. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validatePodTemplate } from '../core/pod-validation.ts'
import { asJson, validateCounts, validateDomainPrefixedPath, validateSupported } from '../validation.ts'
import type { JobSpec } from './job.ts'
import { validatePodFailurePolicy } from './pod-failure-policy-validation.ts'
import { validateSuccessPolicy } from './success-policy-validation.ts'

type Spec = Infer<typeof JobSpec>

/** Limits of indexed jobs; `many` applies above 100,000 completions with a backoff limit per index. */
const max = { parallelism: 100_000, failed: 100_000, manager: 63 }
const largeJob = { completions: 100_000, parallelism: 10_000, failed: 10_000 }
const forMany = `when completions are above ${largeJob.completions} and used with backoff limit per index`

/** Validates a spec whose selector is up to the caller: a cron job's template has none. */
export function validateJobSpec(spec: Spec, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const counts = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
  ] as const
  validateCounts(spec, [...counts, 'maxFailedIndexes'], path, errors)
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')
  }
  if (spec.managedBy !== undefined) validateManager(spec.managedBy, path.child('managedBy'), errors)
  validateCompletionMode(spec, path, errors)
  if (spec.podFailurePolicy) validatePodFailurePolicy(spec.podFailurePolicy, spec, path.child('podFailurePolicy'), errors)
  if (spec.successPolicy) {
    const at = path.child('successPolicy')
    if (spec.completionMode === 'Indexed') validateSuccessPolicy(spec.successPolicy, spec.completions ?? 0, at, errors)
    else errors.invalid(at, asJson(spec.successPolicy), 'requires indexed completion mode')
  }
  const replacements = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed']
  if (spec.podReplacementPolicy !== undefined)
    validateSupported(spec.podReplacementPolicy, replacements, path.child('podReplacementPolicy'), errors)
  validatePodTemplate(spec.template, path.child('template'), errors, context)
  validateRestartPolicy(spec, path.child('template').child('spec').child('restartPolicy'), errors)
}

function validateManager(name: string, path: FieldPath, errors: FieldErrors): void {
  validateDomainPrefixedPath(name, path, errors)
  if (name.length > max.manager) errors.tooLong(path, max.manager)
}

function validateCompletionMode(spec: Spec, path: FieldPath, errors: FieldErrors): void {
  const { completionMode: mode } = spec
  if (mode === 'Indexed') validateIndexed(spec, path, errors)
  else if (mode === undefined || mode === 'NonIndexed') validateNonIndexed(spec, path, errors)
  else errors.notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed'])
}

function validateRestartPolicy({ template, podFailurePolicy }: Spec, path: FieldPath, errors: FieldErrors): void {
  const policy = template?.spec?.restartPolicy ?? 'Always'
  if (policy === 'Always') errors.required(path, 'valid values: "OnFailure", "Never"')
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.notSupported(path, policy, ['OnFailure', 'Never'])
  else if (podFailurePolicy && policy !== 'Never') {
    errors.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

function validateNonIndexed({ backoffLimitPerIndex, maxFailedIndexes }: Spec, path: FieldPath, errors: FieldErrors): void {
  for (const [name, value] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
    if (value !== undefined) errors.invalid(path.child(name), value, 'requires indexed completion mode')
  }
}

function validateIndexed(spec: Spec, path: FieldPath, errors: FieldErrors): void {
  const { completions, parallelism = 0, maxFailedIndexes } = spec
  const failedAt = path.child('maxFailedIndexes')
  const parallelismAt = path.child('parallelism')
  if (completions === undefined) errors.required(path.child('completions'), 'when completion mode is Indexed')
  if (parallelism > max.parallelism) {
    errors.invalid(parallelismAt, parallelism, `must be less than or equal to ${max.parallelism} when completion mode is Indexed`)
  }
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions) {
      errors.invalid(failedAt, maxFailedIndexes, 'must be less than or equal to completions')
    }
    if (maxFailedIndexes > max.failed) errors.invalid(failedAt, maxFailedIndexes, `must be less than or equal to ${max.failed}`)
  }
  if ((completions ?? 0) <= largeJob.completions || spec.backoffLimitPerIndex === undefined) return
  if (maxFailedIndexes === undefined) errors.required(failedAt, `must be specified when completions is above ${largeJob.completions}`)
  if (parallelism > largeJob.parallelism)
    errors.invalid(parallelismAt, parallelism, `must be less than or equal to ${largeJob.parallelism} ${forMany}`)
  if (maxFailedIndexes !== undefined && maxFailedIndexes > largeJob.failed) {
    errors.invalid(failedAt, maxFailedIndexes, `must be less than or equal to ${largeJob.failed} ${forMany}`)
  }
}
