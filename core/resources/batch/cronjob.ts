import { atomicList, bool, field, int32, int64, message, pointer, required, string, time } from '../../schema/model.ts'
import { ObjectReference } from '../core/references.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { cronJobColumns } from './columns.ts'
import { validateCronJob } from './cronjob-validation.ts'
import { JobSpec } from './job.ts'
import { cronJobWarnings } from './job-warnings.ts'

export const JobTemplateSpec = message('JobTemplateSpec', 'Metadata and spec of the jobs that a cron job creates.', () => ({
  metadata: field(1, ObjectMeta, 'Labels and annotations of the jobs.'),
  spec: field(2, JobSpec, 'Spec of the jobs.'),
}))

export const CronJobSpec = message('CronJobSpec', 'When to run jobs, and which.', () => ({
  schedule: required(1, string, 'Times to run, in cron format.', { notEmpty: true }),
  timeZone: pointer(8, string, 'Time zone of the schedule; that of the controller by default.'),
  startingDeadlineSeconds: pointer(2, int64, 'Seconds by which a run may be late; later it counts as missed.', { min: 0 }),
  concurrencyPolicy: field(3, string, 'When a run overlaps the last one: Allow, Forbid or Replace.', {
    goType: 'v1.ConcurrencyPolicy',
    enum: ['Allow', 'Forbid', 'Replace'],
  }),
  suspend: pointer(4, bool, 'Stops further runs.'),
  jobTemplate: required(5, JobTemplateSpec, 'Template of the jobs.'),
  successfulJobsHistoryLimit: pointer(6, int32, 'Number of successful jobs to keep; 3 by default.', { min: 0 }),
  failedJobsHistoryLimit: pointer(7, int32, 'Number of failed jobs to keep; 1 by default.', { min: 0 }),
})).with({
  defaults(spec) {
    spec.concurrencyPolicy ??= 'Allow'
    spec.suspend ??= false
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
  },
  byKind: true,
})

export const CronJobStatus = message('CronJobStatus', 'State of a cron job.', () => ({
  active: field(1, atomicList(ObjectReference), 'Jobs that run now.'),
  lastScheduleTime: pointer(4, time, 'When a job was last started.'),
  lastSuccessfulTime: pointer(5, time, 'When a job last succeeded.'),
}))

export const CronJob = object('CronJob', 'Runs jobs on a schedule.', () => ({
  spec: required(2, CronJobSpec, 'Desired state.', { omitEmpty: true }),
  status: field(3, CronJobStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const cronJobs = resource({
  group: 'batch',
  version: 'v1',
  names: ['cronjobs', 'cronjob', 'cj'],
  categories: ['all'],
  schema: CronJob,
  columns: cronJobColumns,
  lifecycle: { introduced: '1.21' },
  status: true,
  generation: 'spec',
  strategy: {
    validate: validateCronJob,
    warnings: templateWarnings('.spec.jobTemplate.spec.template', {
      namesPods: true,
      own: ({ spec }, old, context) => cronJobWarnings(spec, old?.spec, context),
    }),
  },
})
