import { ageColumn, conditionOf, countColumn, flagColumn, nameColumn, none, textColumn } from '../cells.ts'

export const priorityClassColumns = [
  nameColumn,
  countColumn('Value', 'Priority of the pods.', '.value'),
  flagColumn('Global-Default', 'Whether it holds for pods that name no class.', '.globalDefault'),
  ageColumn,
  textColumn('PreemptionPolicy', 'Whether the pods preempt others.', '.preemptionPolicy'),
]

export const workloadColumns = [nameColumn, ageColumn]

interface PodGroupRow {
  readonly spec?: { readonly schedulingPolicy?: { readonly gang?: object | undefined } | undefined } | undefined
  readonly status?:
    | {
        readonly conditions?:
          | readonly { readonly type: string; readonly status: string; readonly reason?: string | undefined }[]
          | undefined
      }
    | undefined
}

function groupStatus({ status }: PodGroupRow): string {
  const disrupted = conditionOf(status?.conditions, 'DisruptionTarget')
  if (disrupted) return disrupted.reason ?? ''
  const scheduled = conditionOf(status?.conditions, 'PodGroupScheduled')
  if (scheduled === undefined) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

export const podGroupColumns = [
  nameColumn,
  textColumn<PodGroupRow>('Policy', 'How its pods are scheduled.', ({ spec }) => (spec?.schedulingPolicy?.gang ? 'Gang' : 'Basic')),
  textColumn('Workload', 'Workload that it was created from.', '.spec.podGroupTemplateRef.workload.workloadName', none),
  textColumn('Status', 'State of the group.', groupStatus),
  ageColumn,
]
