import { field, int32, list, message, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { workloadColumns } from '../columns.ts'
import { validateWorkload } from '../workload-validation.ts'
import { DisruptionMode } from './enums.ts'
import { declared, PodGroupResourceClaim, PodGroupSchedulingConstraints, PodGroupSchedulingPolicy } from './pod-group-policy.ts'

export const PodGroupTemplate = message(
  'PodGroupTemplate',
  'Name, scheduling policy and constraints of pod groups that are created from it.',
  () => ({
    name: required(1, string, 'DNS label, unique in the workload.'),
    schedulingPolicy: required(2, PodGroupSchedulingPolicy, 'How the pods are scheduled.'),
    schedulingConstraints: pointer(3, PodGroupSchedulingConstraints, 'Where the pods are placed.', {
      gate: 'TopologyAwareWorkloadScheduling',
      omitEmpty: false,
    }),
    resourceClaims: field(4, list(PodGroupResourceClaim, { listType: 'map', keys: ['name'] }), 'Claims that the pods share.', {
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'name',
      gate: 'DRAWorkloadResourceClaims',
    }),
    disruptionMode: pointer(5, string, 'Whether pods are preempted one by one (Pod) or together (PodGroup).', {
      goType: 'v1alpha2.DisruptionMode',
      publishedEnum: DisruptionMode,
      gate: 'WorkloadAwarePreemption',
    }),
    priorityClassName: field(6, string, 'Class that gives the groups their priority.', { gate: 'WorkloadAwarePreemption' }),
    priority: pointer(7, int32, 'Priority, filled in from the class.', { gate: 'WorkloadAwarePreemption' }),
  }),
).with(declared)

export const TypedLocalObjectReference = message(
  'TypedLocalObjectReference',
  'Points at an object of any kind in the same namespace.',
  () => ({
    apiGroup: field(1, string, 'Group of the object; empty for the core group.'),
    kind: required(2, string, 'Kind of the object.'),
    name: required(3, string, 'Name of the object.'),
  }),
)

export const WorkloadSpec = message('WorkloadSpec', 'Parts of a workload.', () => ({
  controllerRef: pointer(1, TypedLocalObjectReference, 'Object that runs the workload, for tools; cannot be changed once set.'),
  podGroupTemplates: required(2, list(PodGroupTemplate, { listType: 'map', keys: ['name'] }), 'Templates of its pod groups.'),
})).with(declared)

export const Workload = object('Workload', 'An application, as far as its scheduling is concerned.', () => ({
  spec: required(2, WorkloadSpec, 'Desired state.'),
}))

export const workloads = resource({
  group: 'scheduling.<domain>',
  version: 'v1alpha2',
  names: ['workloads', 'workload'],
  gate: 'GenericWorkload',
  schema: Workload,
  columns: workloadColumns,
  lifecycle: { introduced: '1.36' },
  strategy: { validate: validateWorkload },
})
