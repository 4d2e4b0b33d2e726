import type { Infer } from '../../schema/model.ts'
import {
  ageColumn,
  containerColumns,
  elapsed,
  humanDuration,
  isTrue,
  nameColumn,
  none,
  selectorColumn,
  sinceColumn,
  sizeColumn,
  textColumn,
  unset,
  wide,
} from '../cells.ts'
import type { CellContext, Column } from '../definition.ts'
import type { CronJob } from './cronjob.ts'
import type { Job } from './job.ts'

type JobRow = Infer<typeof Job>

/** Deletion takes precedence over running, but not over completion. */
function jobStatus({ metadata, status }: JobRow): string {
  const is = (type: string) => isTrue(status?.conditions, type)
  const ended = ['Complete', 'Failed'].find(is)
  if (ended !== undefined) return ended
  if (metadata?.deletionTimestamp) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running'
}

function completionsText({ spec, status }: JobRow): string {
  const succeeded = status?.succeeded ?? 0
  if (typeof spec?.completions === 'number') return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

/** Time since the unset time, as Go's longest duration. */
const maxDurationText = '292y'

function durationText({ status }: JobRow, context: CellContext): string {
  if (status?.startTime === null) return maxDurationText
  if (!status?.startTime) return ''
  const began = Date.parse(status.startTime)
  return status.completionTime ? humanDuration(Date.parse(status.completionTime) - began) : elapsed(began, context)
}

export const jobColumns = [
  nameColumn,
  textColumn('Status', 'State of the job.', jobStatus),
  textColumn('Completions', 'Pods that succeeded, out of those needed.', completionsText),
  textColumn<JobRow>('Duration', 'Duration of the job, or time since its start.', durationText),
  ageColumn,
  ...containerColumns('.spec.template.spec.containers').map(wide),
  wide(selectorColumn('.spec.selector')),
]

type CronJobRow = Infer<typeof CronJob>

/** Text, although the column's type is boolean. */
const suspend: Column<CronJobRow> = {
  name: 'Suspend',
  type: 'boolean',
  doc: 'Whether further runs are stopped.',
  priority: 0,
  cell: ({ spec }) => (typeof spec?.suspend === 'boolean' ? (spec.suspend ? 'True' : 'False') : unset),
}

export const cronJobColumns = [
  nameColumn,
  textColumn('Schedule', 'Times to run, in cron format.', '.spec.schedule'),
  textColumn('Timezone', 'Time zone of the schedule.', '.spec.timeZone', none),
  suspend,
  sizeColumn('Active', 'Number of jobs that run now.', 'integer', '.status.active'),
  sinceColumn('Last Schedule', 'Time since a job was last started.', '.status.lastScheduleTime', none),
  ageColumn,
  ...containerColumns('.spec.jobTemplate.spec.template.spec.containers').map(wide),
  wide(selectorColumn('.spec.jobTemplate.spec.selector')),
]
