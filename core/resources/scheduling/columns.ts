import type { Infer } from '../../schema/model.ts'
import { ageColumn, conditionOf, countColumn, flagColumn, nameColumn, none, textColumn } from '../cells.ts'
import type { PodGroup } from './v1alpha2/podgroup.ts'

export const priorityClassColumns = [
  nameColumn,
  countColumn('Value', 'Priority of the pods.', '.value'),
  flagColumn('Global-Default', 'Whether it holds for pods that name no class.', '.globalDefault'),
  ageColumn,
  textColumn('PreemptionPolicy', 'Whether the pods preempt others.', '.preemptionPolicy'),
]

export const workloadColumns = [nameColumn, ageColumn]

type PodGroupRow = Infer<typeof PodGroup>

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
