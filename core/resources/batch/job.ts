import { FieldPath } from '../../schema/field-path.ts'
import { quote } from '../../schema/go/quote.ts'
import { atomicList, bool, field, int32, int64, list, message, pointer, required, string, time } from '../../schema/model.ts'
import { ConditionStatus, PodConditionType } from '../core/enums.ts'
import { PodTemplateSpec } from '../core/pod-template.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { resource } from '../definition.ts'
import { probedConditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { countAt } from '../selectable.ts'
import { jobColumns } from './columns.ts'
import { completeJob, defaultJob, defaultLabels, generateSelector } from './job-defaults.ts'
import { validateJobStatus } from './job-status-validation.ts'
import { validateJob, validateJobUpdate } from './job-validation.ts'
import { jobSpecWarnings } from './job-warnings.ts'

export const PodFailurePolicyOnExitCodesRequirement = message(
  'PodFailurePolicyOnExitCodesRequirement',
  'A test of exit codes of failed containers.',
  () => ({
    containerName: pointer(1, string, 'Container to check; all containers by default.'),
    operator: required(2, string, 'In or NotIn; exit code 0 is never checked.', {
      goType: 'v1.PodFailurePolicyOnExitCodesOperator',
      enum: ['In', 'NotIn'],
      notEmpty: true,
    }),
    values: required(3, list(int32, { listType: 'set' }), 'Exit codes to compare with.'),
  }),
)

export const PodFailurePolicyOnPodConditionsPattern = message(
  'PodFailurePolicyOnPodConditionsPattern',
  'A pod condition to match.',
  () => ({
    type: required(1, string, 'Type of the condition.', { goType: 'v1.PodConditionType', openEnum: PodConditionType }),
    status: field(2, string, 'Its status; True by default.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus, omitEmpty: false }),
  }),
).with({
  defaults(pattern) {
    pattern.status ||= 'True'
  },
})

export const PodFailurePolicyRule = message('PodFailurePolicyRule', 'Reaction to a kind of failure.', () => ({
  action: required(1, string, 'FailJob, FailIndex, Ignore or Count.', {
    goType: 'v1.PodFailurePolicyAction',
    enum: ['FailJob', 'FailIndex', 'Ignore', 'Count'],
    notEmpty: true,
  }),
  onExitCodes: pointer(2, PodFailurePolicyOnExitCodesRequirement, 'Applies to failures with these exit codes.'),
  onPodConditions: field(3, atomicList(PodFailurePolicyOnPodConditionsPattern), 'Applies to failures with one of these conditions.'),
}))

export const PodFailurePolicy = message('PodFailurePolicy', 'Rules that decide how a failed pod counts.', () => ({
  rules: required(
    1,
    atomicList(PodFailurePolicyRule),
    'Rules in order; the first that applies decides, and without one the failure counts.',
  ),
}))

export const SuccessPolicyRule = message('SuccessPolicyRule', 'When a job counts as successful; all given parts must hold.', () => ({
  succeededIndexes: pointer(1, string, 'Indexes that must have succeeded, such as 1,3-5.'),
  succeededCount: pointer(2, int32, 'Number of indexes that must have succeeded.'),
}))

export const SuccessPolicy = message('SuccessPolicy', 'Rules that decide when enough indexes have succeeded.', () => ({
  rules: required(1, atomicList(SuccessPolicyRule), 'Alternatives, of which one is enough.'),
}))

export const JobSpec = message('JobSpec', 'What a job runs, and when it is done.', () => ({
  parallelism: pointer(1, int32, 'Greatest number of pods at a time; 1 by default.', { min: 0 }),
  completions: pointer(2, int32, 'Number of pods that must succeed; absent when any one success is enough.', { min: 0 }),
  activeDeadlineSeconds: pointer(3, int64, 'Seconds after which the job fails.', { min: 0 }),
  podFailurePolicy: pointer(11, PodFailurePolicy, 'Reaction to failed pods.'),
  successPolicy: pointer(16, SuccessPolicy, 'When an indexed job is done early.'),
  backoffLimit: pointer(7, int32, 'Retries until the job fails; 6 by default.', { min: 0 }),
  backoffLimitPerIndex: pointer(12, int32, 'Retries of each index until it fails.', { min: 0 }),
  maxFailedIndexes: pointer(13, int32, 'Failed indexes until the job fails.', { min: 0 }),
  selector: pointer(4, LabelSelector, 'Labels of its pods; set by the server unless manualSelector is true.'),
  manualSelector: pointer(5, bool, 'Leaves selector and labels to the client.'),
  template: required(6, PodTemplateSpec, 'Template of its pods; their restart policy is Never or OnFailure.'),
  ttlSecondsAfterFinished: pointer(8, int32, 'Seconds after its end when the job is deleted; absent for never.', { min: 0 }),
  completionMode: pointer(9, string, 'NonIndexed, or Indexed to number the pods.', {
    goType: 'v1.CompletionMode',
    enum: ['NonIndexed', 'Indexed'],
  }),
  suspend: pointer(10, bool, 'Stops the job and deletes its pods until it is false again.'),
  podReplacementPolicy: pointer(14, string, 'When pods are replaced: TerminatingOrFailed or Failed.', {
    goType: 'v1.PodReplacementPolicy',
    enum: ['TerminatingOrFailed', 'Failed'],
  }),
  managedBy: pointer(15, string, 'Controller that runs the job, if not the built-in one; cannot be changed.', {
    format: 'domainPrefixedPath',
    maxLength: 63,
  }),
})).with({ byKind: true })

export const JobCondition = message('JobCondition', 'An observation about a job.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1.JobConditionType',
    openEnum: ['Suspended', 'Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'],
  }),
  ...probedConditionFields,
}))

export const UncountedTerminatedPods = message(
  'UncountedTerminatedPods',
  'UIDs of ended pods that the counters of a job do not include yet.',
  () => ({
    succeeded: field(1, list(string, { listType: 'set' }), 'UIDs of pods that succeeded.', { goType: 'types.UID' }),
    failed: field(2, list(string, { listType: 'set' }), 'UIDs of pods that failed.', { goType: 'types.UID' }),
  }),
)

export const JobStatus = message('JobStatus', 'State of a job.', () => ({
  conditions: field(1, atomicList(JobCondition), 'Latest observations; Complete and Failed end the job.', {
    patchStrategy: 'merge',
    patchMergeKey: 'type',
  }),
  startTime: pointer(2, time, 'When the controller took the job up.'),
  completionTime: pointer(3, time, 'When the job succeeded.'),
  active: field(4, int32, 'Pods that are pending or running.'),
  succeeded: field(5, int32, 'Pods that succeeded.'),
  failed: field(6, int32, 'Pods that failed.'),
  terminating: pointer(11, int32, 'Pods that are being removed.'),
  completedIndexes: field(7, string, 'Indexes that succeeded, such as 1,3-5.'),
  failedIndexes: pointer(10, string, 'Indexes that failed, such as 1,3-5.'),
  uncountedTerminatedPods: pointer(8, UncountedTerminatedPods, 'Ended pods that are not in the counters yet.'),
  ready: pointer(9, int32, 'Active pods that are ready.'),
}))

export const Job = object('Job', 'Runs pods until enough of them have succeeded.', specAndStatus(JobSpec, JobStatus))

export const jobs = resource({
  group: 'batch',
  version: 'v1',
  names: ['jobs', 'job'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  categories: ['all'],
  schema: Job,
  columns: jobColumns,
  lifecycle: { introduced: '1.2' },
  status: true,
  generation: 'spec',
  strategy: {
    propagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    defaults: defaultJob,
    prepareCreate: generateSelector,
    completeCreate: (job) => completeJob(job),
    prepareStatus: (job) => defaultLabels(job),
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    validateStatus: validateJobStatus,
    warnings: templateWarnings('.spec.template', {
      namesPods: true,
      own: ({ spec }, _old, context) => jobSpecWarnings(spec, FieldPath.of('spec'), context),
    }),
  },
  selectable: { 'status.successful': countAt('.status.succeeded') },
  unselectable: (label) => `field label ${quote(label)} not supported for Job`,
  defaultPropagation: 'Orphan',
})
