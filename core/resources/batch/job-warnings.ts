/** Warnings about jobs and cron jobs, in addition to those of pod templates. */
import type { Platform } from '../../platform.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { CronJobSpec } from './cronjob.ts'
import type { JobSpec } from './job.ts'

const tooMany = ({ title }: Platform) =>
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ' +
  `${title} might not be able to track completedIndexes when a big number of indexes fail`

export function* jobSpecWarnings(spec: Infer<typeof JobSpec> | undefined, path: FieldPath, { platform }: HookContext): Iterable<string> {
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {}
  if (completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000) yield `${path}: ${tooMany(platform)}`
}

type Spec = Infer<typeof CronJobSpec> | undefined

/** Validation rejects time zones in new schedules. */
export function* cronJobWarnings(spec: Spec, old: Spec, context: HookContext): Iterable<string> {
  yield* jobSpecWarnings(spec?.jobTemplate?.spec, FieldPath.of('spec', 'jobTemplate', 'spec'), context)
  if (old === undefined || !spec?.schedule.includes('TZ')) return
  const page = context.platform.name('https://<labels>/docs/concepts/workloads/controllers/cron-jobs/')
  // The reference's path has the duplicate part.
  yield `cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${page} for more details`
}
