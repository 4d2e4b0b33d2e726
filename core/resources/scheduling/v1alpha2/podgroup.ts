import { field, int32, keyedList, list, message, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { Condition } from '../../meta/condition.ts'
import { object } from '../../meta/object.ts'
import { podGroupColumns } from '../columns.ts'
import { validatePodGroup, validatePodGroupStatus } from '../workload-validation.ts'
import { DisruptionMode } from './enums.ts'
import { PodGroupResourceClaim, PodGroupSchedulingConstraints, PodGroupSchedulingPolicy } from './pod-group-policy.ts'

export const WorkloadPodGroupTemplateReference = message(
  'WorkloadPodGroupTemplateReference',
  'Points at a template in a workload.',
  () => ({
    workloadName: required(1, string, 'Name of the workload.'),
    podGroupTemplateName: required(2, string, 'Template in the workload.'),
  }),
)

export const PodGroupTemplateReference = message('PodGroupTemplateReference', 'Origin of a group.', () => ({
  workload: pointer(1, WorkloadPodGroupTemplateReference, 'Template in a workload.', { omitEmpty: false }),
})).with({ unions: [{ members: ['workload'] }] })

export const PodGroupSpec = message('PodGroupSpec', 'How a group of pods is scheduled.', () => ({
  podGroupTemplateRef: pointer(1, PodGroupTemplateReference, 'Template that the group was created from.', {
    omitEmpty: false,
  }),
  schedulingPolicy: required(2, PodGroupSchedulingPolicy, 'How its pods are scheduled.'),
  schedulingConstraints: pointer(3, PodGroupSchedulingConstraints, 'Where its pods are placed.', {
    gate: 'TopologyAwareWorkloadScheduling',
  }),
  resourceClaims: field(4, list(PodGroupResourceClaim, { listType: 'map', keys: ['name'] }), 'Claims that its pods share.', {
    patchStrategy: 'merge,retainKeys',
    patchMergeKey: 'name',
    gate: 'DRAWorkloadResourceClaims',
  }),
  disruptionMode: pointer(5, string, 'Whether its pods are preempted one by one (Pod) or together (PodGroup).', {
    goType: 'v1alpha2.DisruptionMode',
    publishedEnum: DisruptionMode,
    default: 'Pod',
    gate: 'WorkloadAwarePreemption',
  }),
  priorityClassName: field(6, string, 'Class that gives the group its priority.', { gate: 'WorkloadAwarePreemption' }),
  priority: pointer(7, int32, 'Priority, filled in from the class.', { gate: 'WorkloadAwarePreemption' }),
}))

export const PodGroupResourceClaimStatus = message(
  'PodGroupResourceClaimStatus',
  'The claim that stands behind an entry of spec.resourceClaims.',
  () => ({
    name: required(1, string, 'Name of that entry.'),
    resourceClaimName: pointer(2, string, 'The created claim; absent when none was needed.'),
  }),
)

export const PodGroupStatus = message('PodGroupStatus', 'State of a group.', () => ({
  conditions: keyedList(1, Condition, 'type', 'Latest observations, one per condition type.'),
  resourceClaimStatuses: field(
    2,
    list(PodGroupResourceClaimStatus, { listType: 'map', keys: ['name'] }),
    'Claims behind spec.resourceClaims.',
    { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name', gate: 'DRAWorkloadResourceClaims' },
  ),
}))

export const PodGroup = object('PodGroup', 'Pods that are scheduled as one.', () => ({
  spec: required(2, PodGroupSpec, 'Desired state.'),
  status: field(3, PodGroupStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const podGroups = resource({
  group: 'scheduling.<domain>',
  version: 'v1alpha2',
  names: ['podgroups', 'podgroup'],
  gate: 'GenericWorkload',
  schema: PodGroup,
  columns: podGroupColumns,
  lifecycle: { introduced: '1.36' },
  status: true,
  statusKeeps: 'metadata',
  strategy: { validate: validatePodGroup, validateStatus: validatePodGroupStatus },
})
